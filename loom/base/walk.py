"""Looking through trees of Values without knowing their kinds.

In: any Value, or a tuple of them. Out: the Values inside, the outer ones first.
Never: a decision about what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base.value import Value

# Most of a tree is names and numbers; leaving them out early halves the time of a walk.
_PLAIN = frozenset({str, int, bool, type(None)})


def descendants(*roots: object) -> Iterator[Value]:
    """Every Value within `roots`, themselves included, in reading order."""
    stack: list[object] = list(reversed(roots))
    while stack:
        item = stack.pop()
        if type(item) is tuple:
            stack += item[::-1]
        elif isinstance(item, Value):
            yield item
            stack += [part for part in reversed(item.__dict__.values()) if type(part) not in _PLAIN]
