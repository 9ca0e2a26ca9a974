"""The import lines of an emitted module, in the order that ruff's isort rules want.

In: needs, as `module:name`, or `module` for a plain import. Out: text.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from loom.backends.python.text.statements import WIDTH
from loom.emit.layout import columns

_DIGITS = re.compile(r"\d+")
_FIRST_PARTY = ("app", "tests")


def import_lines(needs: Iterable[str]) -> str:
    """Sections of imports, a blank line between them; empty when nothing is needed."""
    modules: dict[str, list[str]] = defaultdict(list)
    for need in needs:
        module, _, name = need.partition(":")
        modules[module].append(name)
    sections: dict[int, list[str]] = defaultdict(list)
    for module in sorted(modules, key=_natural):
        sections[_section(module.partition(".")[0])].append(module)
    return "\n\n".join("\n".join(_lines(sections[number], modules)) for number in sorted(sections))


@lru_cache(1 << 8)
def _section(root: str) -> int:
    if root in _FIRST_PARTY:
        return 2
    return 0 if root in sys.stdlib_module_names else 1


def _lines(section: Iterable[str], modules: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Modules that are imported whole, then the others."""
    yield from (f"import {module}" for module in section if "" in modules[module])
    for module in section:
        names = [name for name in modules[module] if name]
        yield from _from(module, names) if names else ()


def _from(module: str, names: Sequence[str]) -> list[str]:
    """A line for what keeps its name, and one for each name that is imported as another."""
    if len(names) == 1:
        return [_line(module, names)]
    renamed = [[name] for name in names if " as " in name]
    kept = sorted((name for name in names if " as " not in name), key=_rank)
    groups = sorted([*renamed, *([kept] if kept else [])], key=lambda group: _rank(group[0]))
    return [_line(module, group) for group in groups]


def _line(module: str, names: Sequence[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if columns(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


@lru_cache(1 << 14)
def _rank(name: str) -> tuple[int, str, str]:
    """Constants, then classes, then the rest; by letter whatever its case, then by case."""
    bare = name.split(" ")[0]
    kind = 0 if bare.isupper() and len(bare) > 1 else 1 if bare[:1].isupper() else 2
    return kind, _natural(name.lower()), _natural(name)


@lru_cache(1 << 14)
def _natural(name: str) -> str:
    """A text that sorts as the name does: numbers in it by their worth, after those that begin with a zero."""
    return _DIGITS.sub(_sortable, name)


def _sortable(number: re.Match[str]) -> str:
    """The more digits, the greater; in front a zero, where any digit sorts among other signs."""
    digits = number[0]
    return f"0\0{digits}\0" if digits.startswith("0") else f"0{chr(len(digits))}{digits}"
