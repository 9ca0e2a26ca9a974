"""Imports stand in the order of the linter, which is no order of the alphabet."""

from __future__ import annotations

import random

from loom.backends.node.text.imports import Imports

# Letter by letter, capitals first where letters are the same; of two numbers the shorter is smaller.
NAMES = ["_a", "A10b", "AB", "Ab", "a2", "a02", "a10", "aB", "aB2", "ab", "ab10", "HTTPServer", "Öre", "öre"]


def test_names_are_imported_in_the_order_of_the_linter() -> None:
    imports = Imports("src/domain/harbour/berth")
    shuffled = random.Random(3).sample(NAMES, len(NAMES))
    for name in shuffled:
        imports.value("src/domain/ids", name)
    imports.type("hono", "Context")
    imports.value("src/domain/values/decimals", "plus")
    assert imports.text() == (
        "import type { Context } from 'hono';\n"
        f"import {{ {', '.join(NAMES)} }} from '../ids.js';\n"
        "import { plus } from '../values/decimals.js';"
    )
