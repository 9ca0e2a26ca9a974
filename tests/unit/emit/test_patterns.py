"""Regular expressions piece by piece."""

from __future__ import annotations

import pytest

from loom.emit.patterns import pieces


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        (r"^\d+$", "", "^ \\d + $"),
        (r"a[^b\]c]/", "^ b \\] c ]", "a [ /"),
        (r"\[x[[.]y", "[ . ]", "\\[ x [ y"),
        ("", "", ""),
    ],
)
def test_pieces_know_whether_they_stand_in_brackets(pattern: str, inside: str, outside: str) -> None:
    found = list(pieces(pattern))
    assert "".join(piece.text for piece in found) == pattern
    assert [piece.text for piece in found if piece.in_class] == inside.split()
    assert [piece.text for piece in found if not piece.in_class] == outside.split()
