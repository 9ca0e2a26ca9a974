"""What a settings file may hold, as frozen types, and what is wrong with data that does not fit them.

In: plain data and a type. Out: a value, or every mistake with its place. Never: YAML, or a library's own sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from typing import NamedTuple, TypeAlias, TypeVar, dataclass_transform

import msgspec
from msgspec import inspect

from loom.base import nearest

Location: TypeAlias = "tuple[str | int, ...]"
KEY = "[key]"
"""At the end of the way to the key of a mapping, not to what it holds."""
_LIST = ("must be a list", "write it as in `[one, two]`")
_KEYS = ("must be keys with values", "write them as in `{key: value}`, or one a line, indented")
_WHOLE = ("must be a whole number", "write digits alone")
_TEXT = ("must be a text", "put it into double quotes")
_EMPTY = ("must not be empty", "name at least one")
_NUMBER = "write another number"
_END = r"\Z"
"""Of a pattern: `$`, which is what people know, would let the end of a line follow."""


class Missing(NamedTuple):
    """A key without a default is not there."""

    location: Location


class Unknown(NamedTuple):
    """A key means nothing there; `near` is the one that was meant, if that can be told."""

    location: Location
    near: str
    allowed: tuple[str, ...]


class Wrong(NamedTuple):
    """A key has a value that it cannot have: what it must be, and a hint, empty where the first says all."""

    location: Location
    what: str
    hint: str = ""


Mistake: TypeAlias = "Missing | Unknown | Wrong"


class SettingsMeta(msgspec.StructMeta):
    """Makes every part frozen, with fields that go by their names."""

    def __new__(
        mcls,
        name: str,
        bases: tuple[type, ...],
        body: dict[str, object],
        *,
        frozen: bool = True,
        kw_only: bool = True,
    ) -> SettingsMeta:
        return super().__new__(mcls, name, bases, body, frozen=frozen, kw_only=kw_only, forbid_unknown_fields=True)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(msgspec.field,))
class Settings(msgspec.Struct, metaclass=SettingsMeta, frozen=True, kw_only=True):
    """A frozen part of a settings file; unknown keys are mistakes."""

    def wrong(self) -> Iterator[Wrong]:
        """What types cannot say of its own fields, each with the way to it from here."""
        yield from ()


M = TypeVar("M", bound=Settings)


def fitted(data: object, model: type[M]) -> tuple[M | None, list[Mistake]]:
    """The value, or all mistakes. The types are looked into only where data does not fit them."""
    try:
        value = msgspec.convert(data, model)
    except msgspec.ValidationError:
        if found := list(_misfits(data, inspect.type_info(model), ())):
            return None, found
        raise
    wrong: list[Mistake] = list(_wrong(value, ()))
    return (None if wrong else value), wrong


def _wrong(value: object, at: Location) -> Iterator[Wrong]:
    match value:
        case Settings():
            yield from (found._replace(location=(*at, *found.location)) for found in value.wrong())
            for name, key in zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True):
                yield from _wrong(getattr(value, name), (*at, key))
        case dict():
            for key, item in value.items():
                yield from _wrong(item, (*at, key))
        case tuple():
            for number, item in enumerate(value):
                yield from _wrong(item, (*at, number))


def _misfits(data: object, kind: inspect.Type, at: Location) -> Iterator[Mistake]:
    match kind:
        case inspect.StructType():
            yield from _part(data, kind, at)
        case inspect.DictType():
            yield from _mapping(data, kind, at)
        case inspect.VarTupleType():
            yield from _list(data, kind, at)
        case inspect.UnionType(types=types) if data is not None:  # one type, or nothing
            yield from chain.from_iterable(_misfits(data, one, at) for one in types)
        case inspect.LiteralType(values=values) if data not in values:
            yield _choice(str(data), [str(value) for value in values], at)
        case inspect.StrType():
            yield from _text(data, kind, at)
        case inspect.IntType():
            yield from _number(data, kind, at)


def _part(data: object, kind: inspect.StructType, at: Location) -> Iterator[Mistake]:
    """Of one model. What is wrong with it as a whole shows only where each of its fields is right."""
    if not isinstance(data, dict):
        yield Wrong(at, *_KEYS)
        return
    found = list(_fields(data, {field.encode_name: field for field in kind.fields}, at))
    yield from found
    told = {mistake.location[len(at)] for mistake in found}
    with suppress(msgspec.ValidationError):  # a field that has to be there is among the wrong ones
        rest = msgspec.convert({key: item for key, item in data.items() if key not in told}, kind.cls)
        yield from (wrong for wrong in _wrong(rest, at) if not found or wrong.location != at)


def _fields(data: Mapping[str, object], fields: Mapping[str, inspect.Field], at: Location) -> Iterator[Mistake]:
    allowed = tuple(sorted(fields))
    near = {key: nearest(key, allowed) for key in data if key not in fields}
    yield from (Unknown((*at, key), meant, allowed) for key, meant in near.items())
    for name, field in fields.items():
        if name in data:
            yield from _misfits(data[name], field.type, (*at, name))
        elif field.required and name not in near.values():  # else it is there, misspelt
            yield Missing((*at, name))


def _mapping(data: object, kind: inspect.DictType, at: Location) -> Iterator[Mistake]:
    if not isinstance(data, dict):
        yield Wrong(at, *_KEYS)
        return
    if len(data) < (kind.min_length or 0):
        yield Wrong(at, *_EMPTY)
    for key, item in data.items():
        yield from _misfits(key, kind.key_type, (*at, key, KEY))
        yield from _misfits(item, kind.value_type, (*at, key))


def _list(data: object, kind: inspect.VarTupleType, at: Location) -> Iterator[Mistake]:
    if not isinstance(data, list):
        yield Wrong(at, *_LIST)
        return
    if len(data) < (kind.min_length or 0):
        yield Wrong(at, *_EMPTY)
    for number, item in enumerate(data):
        yield from _misfits(item, kind.item_type, (*at, number))


def _text(data: object, kind: inspect.StrType, at: Location) -> Iterator[Mistake]:
    if not isinstance(data, str):
        yield Wrong(at, *_TEXT)
    elif kind.pattern and not re.search(kind.pattern, data):
        yield Wrong(at, f"must be of the form `{kind.pattern.replace(_END, '$')}`")


def _number(data: object, kind: inspect.IntType, at: Location) -> Iterator[Mistake]:
    if not isinstance(data, int) or isinstance(data, bool):
        yield Wrong(at, *_WHOLE)
    elif kind.ge is not None and data < kind.ge:
        yield Wrong(at, f"must be at least {kind.ge}", _NUMBER)
    elif kind.le is not None and data > kind.le:
        yield Wrong(at, f"must be at most {kind.le}", _NUMBER)


def _choice(found: str, allowed: list[str], at: Location) -> Wrong:
    near = nearest(found, allowed)
    words = ", ".join(allowed)
    return Wrong(at, f"`{found}` is not one of {words}", f"did you mean `{near}`?" if near else f"write one of {words}")
