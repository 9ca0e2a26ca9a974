"""Values as the JSON that people read and commit, checked field by field on the way back.

In: a Value of plain fields, or JSON data. Out: the other one; ValueError names the field that is wrong.
Never: unions of Values, sets or bytes: what nobody writes by hand has a canonical form instead.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeVar, get_args, get_origin

from loom.base import Value
from loom.build.store.atomic import Json

V = TypeVar("V", bound=Value)


def to_plain(item: object) -> Json:
    match item:
        case Value():
            return {name: to_plain(getattr(item, name)) for name in item.field_names()}
        case tuple():
            return [to_plain(part) for part in item]
        case str() | int() | None:
            return item
        case _:
            raise TypeError(f"a {type(item).__name__} is no plain value")


def from_plain(kind: type[V], data: object, where: str = "") -> V:
    if not isinstance(data, dict):
        raise ValueError(f"{where or 'the file'} must be an object")
    if unknown := sorted(data.keys() - set(kind.field_names())):
        raise ValueError(f"{where}{unknown[0]}: is unknown")
    types, defaults = kind.field_types(), kind.field_defaults()
    found: dict[str, object] = {}
    for name in kind.field_names():
        if name in data:
            found[name] = _field(types[name], data[name], f"{where}{name}")
        elif name not in defaults:
            raise ValueError(f"{where}{name}: is missing")
    return kind(**found)


def _field(kind: object, item: object, where: str) -> object:
    if get_origin(kind) is tuple and isinstance(item, list):
        inner = get_args(kind)[0]
        return tuple(_field(inner, part, f"{where}[{index}]") for index, part in enumerate(item))
    if get_origin(kind) is Literal and item in get_args(kind):
        return item
    if isinstance(kind, type) and issubclass(kind, Value):
        return from_plain(kind, item, f"{where}.")
    if isinstance(kind, type) and issubclass(kind, Enum) and item in {member.value for member in kind}:
        return kind(item)
    if isinstance(kind, type) and type(item) is kind:
        return item
    raise ValueError(f"{where}: is not what it must be")
