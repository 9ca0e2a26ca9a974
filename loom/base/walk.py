"""Looking through trees of Values without knowing their kinds.

In: any Value, or a tuple of them. Out: the Values inside, the outer ones first.
Never: a decision about what they mean.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from loom.base.value import Value

V = TypeVar("V", bound=Value)
S = TypeVar("S", bound=msgspec.Struct)

# Most of a tree is names and numbers; fields that hold nothing else are never looked at.
_PLAIN = frozenset({"str", "int", "bool", "str | None", "int | None", "bool | None", "tuple[str, ...]"})
_PLAIN_TYPES = frozenset({str, int, bool, type(None)})


def descendants(*roots: object) -> list[Value]:
    """Every Value within `roots`, themselves included, in reading order."""
    return below(Value, *roots)


def below(kind: type[S], *roots: object) -> list[S]:
    """The same for records of another kind, which hold nothing but tuples and each other."""
    found: list[S] = []
    stack: list[object] = list(reversed(roots))
    while stack:
        item = stack.pop()
        if type(item) is tuple:
            stack += item[::-1]
        elif isinstance(item, kind):
            found.append(item)
            if (inside := _INSIDE[type(item)]) is not None:
                stack += inside(item)
    return found


class _Inside(dict[type, Callable[[Any], tuple[object, ...]] | None]):
    """What gives the fields of a record that may hold records, the last one first; found out when one is met."""

    def __missing__(self, kind: type[msgspec.Struct]) -> Callable[[Any], tuple[object, ...]] | None:
        self[kind] = _inside(kind)
        return self[kind]


def _inside(kind: type[msgspec.Struct]) -> Callable[[Any], tuple[object, ...]] | None:
    written: dict[str, object] = {}
    for one in reversed(kind.__mro__):
        written |= vars(one).get("__annotations__", {})
    names = [name for name in reversed(kind.__struct_fields__) if written[name] not in _PLAIN]
    match names:
        case []:
            return None
        case [name]:
            return lambda item: (getattr(item, name),)
        case _:
            return attrgetter(*names)


_INSIDE = _Inside()


def mapped(node: V, change: Callable[[object], object], *, but: str = "") -> V:
    """`node` with `change` applied to what its fields hold, names and numbers and the field `but` aside."""
    updates = {
        name: new
        for name, old in zip(node.field_names(), astuple(node), strict=True)
        if type(old) not in _PLAIN_TYPES and name != but and (new := change(old)) is not old
    }
    return replace(node, **updates) if updates else node
