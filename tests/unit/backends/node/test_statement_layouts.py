"""Each shape of statement that does not fit is laid out as Biome lays it out: statements.md holds what it printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loom.backends.node.text.modules import laid_out
from loom.backends.node.text.reader import FLEXIBLE

CASES = re.findall(
    r"^## (.+)\n\n```ts\n(.+?)\n```\n\n```ts\n(.+?)\n```$",
    Path(__file__).with_name("statements.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.parametrize(("flat", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_statement_is_broken_as_biome_breaks_it(flat: str, expected: str) -> None:
    assert laid_out(flat.replace("⇥", FLEXIBLE)) == expected


def test_what_is_not_typescript_that_we_print_is_refused() -> None:
    with pytest.raises(ValueError, match="no expression begins with"):
        laid_out(f"const {'tideTable' * 12} = ;")
