"""Looking through trees of Values without knowing their kinds.

In: any Value, or a tuple of them. Out: the Values inside, the outer ones first.
Never: a decision about what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec
from msgspec.structs import astuple, replace

from loom.base.value import Value

V = TypeVar("V", bound=Value)
S = TypeVar("S", bound=msgspec.Struct)

# Most of a tree is names and numbers; leaving them out early halves the time of a walk.
_PLAIN = frozenset({str, int, bool, type(None)})


def descendants(*roots: object) -> Iterator[Value]:
    """Every Value within `roots`, themselves included, in reading order."""
    return below(Value, *roots)


def below(kind: type[S], *roots: object) -> Iterator[S]:
    """The same for records of another kind, which hold nothing but tuples and each other."""
    stack: list[object] = list(reversed(roots))
    while stack:
        item = stack.pop()
        if type(item) is tuple:
            stack += item[::-1]
        elif isinstance(item, kind):
            yield item
            stack += [part for part in astuple(item)[::-1] if type(part) not in _PLAIN]


def mapped(node: V, change: Callable[[object], object], *, but: str = "") -> V:
    """`node` with `change` applied to what its fields hold, names and numbers and the field `but` aside."""
    updates = {
        name: new
        for name, old in zip(node.field_names(), astuple(node), strict=True)
        if type(old) not in _PLAIN and name != but and (new := change(old)) is not old
    }
    return replace(node, **updates) if updates else node
