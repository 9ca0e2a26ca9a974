"""A rule of the linter is off only where the model needs it."""

from __future__ import annotations

import pytest

from loom.backends.node import spelling
from loom.backends.node.project import linter_settings
from loom.backends.node.runtime import STATIC
from loom.emit import File
from loom.emit.project import static_files

STANDARD = static_files(STATIC)["biome.jsonc"]


def settings(line: str) -> str:
    return linter_settings(STANDARD, [File(path="src/domain/tides/tide-table.ts", text=f"export const a = {line};\n")])


def test_no_rule_is_off_by_itself() -> None:
    assert "off" not in STANDARD
    assert settings("{ thenPublished: await found.then(first) }") == STANDARD


@pytest.mark.parametrize("line", ["{ then: body.then }", "{ id, then }", "{ then, id }"])
def test_a_field_called_then_may_be_written(line: str) -> None:
    assert '"noThenProperty": "off"' in settings(line)


def test_no_method_of_an_aggregate_makes_it_look_like_a_promise() -> None:
    assert spelling.member_name("then") == "then_"
