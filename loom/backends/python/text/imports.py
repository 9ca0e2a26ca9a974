"""The import lines of an emitted module, in the order that ruff's isort rules want.

In: needs, as `module:name`, or `module` for a plain import. Out: text.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable

_FIRST_PARTY = ("app", "tests")


def import_lines(needs: Iterable[str]) -> str:
    """Sections of imports, a blank line between them; empty when nothing is needed."""
    sections: dict[int, set[str]] = defaultdict(set)
    for need in needs:
        sections[_section(need)].add(need)
    return "\n\n".join("\n".join(_lines(sections[number])) for number in sorted(sections))


def _section(need: str) -> int:
    root = need.partition(":")[0].partition(".")[0]
    if root in _FIRST_PARTY:
        return 2
    return 0 if root in sys.stdlib_module_names else 1


def _lines(needs: set[str]) -> list[str]:
    names: dict[str, list[str]] = defaultdict(list)
    plain = []
    for need in needs:
        module, _, name = need.partition(":")
        if name:
            names[module].append(name)
        else:
            plain.append(f"import {module}")
    return [*sorted(plain), *(line for module in sorted(names) for line in _from(module, names[module]))]


def _from(module: str, names: Iterable[str]) -> list[str]:
    """A line for what keeps its name, and one for each name that is imported as another."""
    renamed = [[name] for name in names if " as " in name]
    kept = sorted((name for name in names if " as " not in name), key=_rank)
    groups = sorted([*renamed, *([kept] if kept else [])], key=lambda group: _rank(group[0]))
    return [f"from {module} import {', '.join(group)}" for group in groups]


def _rank(name: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Constants, then classes, then the rest; numbers inside names count as numbers, after those with a zero."""
    bare = name.split(" ")[0]
    kind = 0 if bare.isupper() and len(bare) > 1 else 1 if bare[:1].isupper() else 2
    parts = re.findall(r"\d+|\D+", name)
    return kind, list(map(_part_rank, parts))


def _part_rank(part: str) -> tuple[int, int, str]:
    if not part.isdigit():
        return 0, 0, part
    return (1, 0, part) if part.startswith("0") else (2, int(part), "")
