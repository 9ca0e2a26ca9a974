"""Names as words, and the casings that print them.

In: an identifier as its author spelled it. Out: its words in lower case, and their spellings.
Never: reserved words of a language (each backend escapes its own).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import count

Words = tuple[str, ...]

# An acronym run ends before the capital that starts a word: HTTPServer -> HTTP Server.
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SIBILANT = ("s", "x", "z", "ch", "sh")


@lru_cache(1 << 14)
def words(name: str) -> Words:
    """The words of `name`: camelCase, PascalCase, snake_case and acronym runs are told apart."""
    return tuple(part for part in _BOUNDARY.sub("_", name).lower().split("_") if part) or ("_",)


def snake(parts: Words) -> str:
    return "_".join(parts)


def kebab(parts: Words) -> str:
    return "-".join(parts)


@lru_cache(1 << 14)
def camel(parts: Words) -> str:
    return parts[0] + "".join(part.capitalize() for part in parts[1:])


@lru_cache(1 << 14)
def pascal(parts: Words) -> str:
    return "".join(part.capitalize() for part in parts)


def upper_snake(parts: Words) -> str:
    return snake(parts).upper()


def plural(parts: Words) -> Words:
    """The words with the last one in the plural (language.md, HTTP naming)."""
    return (*parts[:-1], _plural_word(parts[-1]))


def _plural_word(word: str) -> str:
    if word.endswith("y") and not word.endswith(("ay", "ey", "iy", "oy", "uy")):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(_SIBILANT) else "s")


def numbered(name: str) -> Iterator[str]:
    """`name`, then with the numbers from 2 on."""
    yield name
    yield from (f"{name}{number}" for number in count(2))
