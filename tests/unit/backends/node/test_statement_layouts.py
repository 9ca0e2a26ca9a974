"""Each shape of statement that does not fit is laid out as Biome lays it out: statements.md holds what it printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loom.backends.node.text.modules import laid_out
from loom.backends.node.text.reader import FLEXIBLE

TEXT = Path(__file__).with_name("statements.md").read_text(encoding="utf-8")
CASES = re.findall(r"^## ([^\n]+)\n\n```ts\n(.+?)\n```\n\n```ts\n(.+?)\n```$", TEXT, re.MULTILINE | re.DOTALL)


def test_each_title_is_a_case() -> None:
    assert [case[0] for case in CASES] == re.findall("^## (.+)", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("flat", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_statement_is_broken_as_biome_breaks_it(flat: str, expected: str) -> None:
    assert laid_out(flat.replace("⇥", FLEXIBLE)) == expected


@pytest.mark.parametrize(("flat", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_long_names_decide_by_their_widths_alone(flat: str, expected: str) -> None:
    assert laid_out(_renamed(flat).replace("⇥", FLEXIBLE)) == _renamed(expected)


def _renamed(text: str) -> str:
    """With other names, as long, and the words of the language as they are."""
    return re.sub(r"\b(?!interface|undefined)[A-Za-z]\w{8,}", lambda name: f"{name[0][0]}{name[0][:0:-1]}", text)


def test_names_stand_where_they_did_among_signs_of_percent() -> None:
    flat = f"const percentOfLoad = '100 %s %% of the {'lighterage' * 9}';"
    assert laid_out(flat) == flat.replace(" = ", " =\n  ", 1)


def test_what_is_not_typescript_that_we_print_is_refused() -> None:
    with pytest.raises(ValueError, match="no expression begins with"):
        laid_out(f"const {'tideTable' * 12} = ;")
