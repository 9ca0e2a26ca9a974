"""Looking through trees of Values without knowing their kinds.

In: any Value, or a tuple of them. Out: the Values inside, the outer ones first.
Never: a decision about what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Value


def descendants(*roots: object) -> Iterator[Value]:
    """Every Value within `roots`, themselves included, in reading order."""
    stack: list[object] = list(reversed(roots))
    while stack:
        item = stack.pop()
        if isinstance(item, Value):
            yield item
            stack.extend(reversed(item.__dict__.values()))
        elif type(item) is tuple:
            stack.extend(reversed(item))
