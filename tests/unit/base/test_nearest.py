"""A misspelt name is recognised among few names and among thousands, at a cost that stays small."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest

from loom.base import nearest
from loom.base.nearest import MOST_COMPARED

MANY = [f"turbineHousing{number}Label" for number in range(5000)] + ["HTTPServer", "class"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("HTTPSever", "HTTPServer"), ("httpserver", "HTTPServer"), ("clas", "class"),
     ("turbineHousing4321Labl", "turbineHousing4321Label"), ("turbinHousing77Label", "turbineHousing77Label"),
     ("qqqqqqqq", "")],
)  # fmt: skip
def test_the_name_that_was_meant_is_found_among_thousands(written: str, meant: str) -> None:
    assert nearest(written, MANY) == meant


def test_of_many_names_few_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    monkeypatch.setattr(SequenceMatcher, "set_seq1", _counting(compared))
    nearest("turbineHousing4321Labell", MANY)
    assert 0 < len(compared) <= MOST_COMPARED


def _counting(compared: list[str]) -> object:
    before = SequenceMatcher.set_seq1

    def counted(matcher: SequenceMatcher[str], name: str) -> None:
        compared.extend([name] if name else [])  # a matcher begins with no text
        before(matcher, name)

    return counted
