"""Patterns of the common regex subset, piece by piece, for a language to spell each in its own words.

In: an RE2-like pattern. Out: characters and escapes in order, and whether they stand in brackets.
Never: a pattern outside the subset (lowering has refused it).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Piece(NamedTuple):
    """One character, or a backslash with what it escapes. A bracket counts as outside of its class or at its end."""

    text: str
    in_class: bool


def pieces(pattern: str) -> Iterator[Piece]:
    at, in_class = 0, False
    while at < len(pattern):
        text = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        at += len(text)
        yield Piece(text, in_class)
        if text in ("[", "]"):
            in_class = text == "["
