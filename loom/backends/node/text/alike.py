"""Statements that differ in nothing but long names are laid out once, for only the widths of these decide.

In: statements, and what lays out one. Out: their layouts.
Never: a short name, or a word of the language: what they say decides too.
Kept by tests/unit/backends/node/test_statement_layouts.py::test_long_names_decide_by_their_widths_alone
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import chain, zip_longest

Layout = Callable[[str, int], str]

_LONG_NAME = re.compile(
    r"\b(?!(?:constructor|implements|instanceof|interface|protected|satisfies|undefined)\b)([A-Za-z]\w{8,})", re.ASCII
)


def laid_out(statement: str, indent: int, layout: Layout) -> str:
    """What `layout` gives for `statement`."""
    parts = _LONG_NAME.split(statement)
    names = parts[1::2]
    return _pattern(tuple(parts[::2]), tuple(map(_stand_in, names)), indent, layout) % tuple(names)


@lru_cache(1 << 12)
def _pattern(others: tuple[str, ...], names: tuple[str, ...], indent: int, layout: Layout) -> str:
    """The layout with a hole for each of the names, which stay in their order."""
    statement = "".join(chain.from_iterable(zip_longest(others, names, fillvalue="")))
    return _LONG_NAME.sub("%s", layout(statement, indent).replace("%", "%%"))


def _stand_in(name: str) -> str:
    """A name as wide; a capital letter marks what makes objects."""
    return ("X" if name[0].isupper() else "x") * len(name)
