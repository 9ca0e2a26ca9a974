"""Looking through trees of Values without knowing their kinds.

In: any Value, or a tuple of them. Out: the Values inside, the outer ones first.
Never: a decision about what they mean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from enum import EnumType
from operator import attrgetter
from typing import Any, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from loom.base.value import Value

V = TypeVar("V", bound=Value)
S = TypeVar("S", bound=msgspec.Struct)

# Most of a tree is names, numbers and words of enums; fields that hold nothing else are never looked at.
_PLAIN = frozenset({"str", "int", "bool", "None", "tuple[str, ...]"})
_PLAIN_TYPES = frozenset({str, int, bool, type(None)})

Fields = Callable[[Any], tuple[object, ...]]


def descendants(*roots: object, past: frozenset[str] = frozenset()) -> list[Value]:
    """Every Value within `roots`, themselves included, in reading order. Fields that are annotated as one of `past`
    are passed over."""
    return below(Value, *roots, past=past)


def below(kind: type[S], *roots: object, past: frozenset[str] = frozenset()) -> list[S]:
    """The same for records of another kind, which hold nothing but tuples and each other."""
    found: list[S] = []
    stack: list[Any] = list(reversed(roots))
    inside = _INSIDE[kind, past]
    while stack:
        item = stack.pop()
        if type(item) is tuple:
            stack += item[::-1]
        elif (fields := inside[type(item)]) is not None:
            found.append(item)
            if fields is not _nothing:
                stack += fields(item)
    return found


class _Inside(dict[type, Fields | None]):
    """What gives the fields of a record that may hold records, the last one first; None for what is no record of
    the kind. Found out when the first of a type is met."""

    def __init__(self, kind: type[msgspec.Struct], past: frozenset[str]) -> None:
        super().__init__()
        self.kind = kind
        self.past = _PLAIN | past

    def __missing__(self, kind: type) -> Fields | None:
        self[kind] = _fields(kind, self.past) if issubclass(kind, self.kind) else None
        return self[kind]


class _Kinds(dict[tuple[type, frozenset[str]], _Inside]):
    """The same by the kind of record and what is passed over."""

    def __missing__(self, key: tuple[type, frozenset[str]]) -> _Inside:
        self[key] = _Inside(*key)
        return self[key]


_INSIDE = _Kinds()


def _fields(kind: type[msgspec.Struct], past: frozenset[str]) -> Fields:
    holders: dict[str, bool] = {}
    for one in reversed(kind.__mro__):
        names = vars(sys.modules[one.__module__])
        holders |= {name: _may_hold(str(written), names, past) for name, written in _annotations(one)}
    match [name for name in reversed(kind.__struct_fields__) if holders[name]]:
        case []:
            return _nothing
        case [name]:
            return lambda item: (getattr(item, name),)
        case several:
            return attrgetter(*several)


def _annotations(kind: type) -> Iterable[tuple[str, object]]:
    own: dict[str, object] = vars(kind).get("__annotations__", {})
    return own.items()


def _may_hold(written: str, names: Mapping[str, object], past: frozenset[str]) -> bool:
    """Whether a field of the type `written`, in a module with these names, may hold a record that is looked for."""
    return not all(part in past or isinstance(names.get(part), EnumType) for part in written.split(" | "))


def _nothing(_: object) -> tuple[object, ...]:
    return ()


def mapped(node: V, change: Callable[[object], object], *, but: str = "") -> V:
    """`node` with `change` applied to what its fields hold, names and numbers and the field `but` aside."""
    updates = {
        name: new
        for name, old in zip(node.field_names(), astuple(node), strict=True)
        if type(old) not in _PLAIN_TYPES and name != but and (new := change(old)) is not old
    }
    return replace(node, **updates) if updates else node
