"""The frozen value that every stage passes on, with one canonical byte form.

In: plain data (strings, integers, booleans, None, bytes, enums, tuples, frozensets, other Values).
Out: canonical bytes, a digest of them, and the same value read back.
Never: floats, dictionaries, anything mutable.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict

SCHEMA = b"loom.value/1 "

VALUE_TYPES: dict[str, type[Value]] = {}
ENUM_TYPES: dict[str, type[Enum]] = {}

# The first item of an encoded list says what the list is; a Value carries its type name there.
_TUPLE, _SET, _BYTES, _ENUM = 0, 1, 2, 3

E = TypeVar("E", bound=Enum)


class Digest(NamedTuple):
    """SHA-256 in lower-case hexadecimal, and the size in bytes, as in the Remote Execution API."""

    sha256: str
    size: int

    @classmethod
    def of(cls, data: bytes) -> Digest:
        return cls(hashlib.sha256(data).hexdigest(), len(data))


class Value(BaseModel):
    """A frozen record; two Values are equal exactly when their canonical bytes are."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # False for values that no store ever keeps: their names need not be unique.
    stored: ClassVar[bool] = True
    _names: ClassVar[tuple[str, ...]]

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        cls._names = tuple(cls.model_fields)
        if not cls.stored:
            return
        known = VALUE_TYPES.get(cls.__name__)
        if known is not None and known.__module__ != cls.__module__:
            raise TypeError(f"two Values are called {cls.__name__}: {known.__module__} and {cls.__module__}")
        VALUE_TYPES[cls.__name__] = cls

    def canonical(self) -> bytes:
        """The bytes that stand for this value: schema version, then JSON with every type named."""
        return SCHEMA + json.dumps(encode(self), ensure_ascii=False, separators=(",", ":")).encode()

    def digest(self) -> Digest:
        return Digest.of(self.canonical())

    @classmethod
    def from_canonical(cls, data: bytes) -> Self:
        """The value whose `canonical()` gave `data`; ValueError when it is of another type or schema."""
        if not data.startswith(SCHEMA):
            raise ValueError("not a canonical value of this schema")
        value = decode(json.loads(data[len(SCHEMA) :]))
        if not isinstance(value, cls):
            raise ValueError(f"expected {cls.__name__}, found {type(value).__name__}")
        return value


def closed(enum: type[E]) -> type[E]:
    """Class decorator: lets an enum appear inside Values."""
    ENUM_TYPES[enum.__name__] = enum
    return enum


# Decoding trusts its input: the bytes come from a store that verified their digest.
# kept by tests/unit/base/test_value.py::test_every_value_reads_back_equal
def encode(item: Any) -> Any:  # noqa: ANN401 - the union of everything a Value may hold
    """`item` as JSON data whose lists say what they are."""
    kind = type(item)
    if kind is str or kind is int or kind is bool or item is None:
        return item
    if kind is tuple:
        return [_TUPLE, *map(encode, item)]
    if isinstance(item, Value):
        fields = item.__dict__
        return [kind.__name__, *[encode(fields[name]) for name in kind._names]]
    return _encode_rare(item)


def _encode_rare(item: object) -> list[object]:
    if isinstance(item, Enum):
        return [_ENUM, type(item).__name__, item.value]
    if isinstance(item, frozenset):
        return [_SET, *sorted(map(encode, item), key=lambda part: json.dumps(part, ensure_ascii=False))]
    if isinstance(item, bytes):
        return [_BYTES, item.hex()]
    if isinstance(item, tuple):
        return [_TUPLE, *map(encode, item)]
    raise TypeError(f"a Value cannot hold a {type(item).__name__}")


def decode(data: Any) -> Any:  # noqa: ANN401 - the inverse of encode
    """What `encode` was given."""
    if type(data) is not list:
        return data
    tag = data[0]
    if type(tag) is str:
        return _construct(VALUE_TYPES[tag], data)
    return _DECODE[tag](data)


_set_fields = object.__setattr__


def _construct(kind: type[Value], data: list[Any]) -> Value:
    value = kind.__new__(kind)
    names = kind._names
    _set_fields(value, "__dict__", {name: decode(data[index + 1]) for index, name in enumerate(names)})
    _set_fields(value, "__pydantic_fields_set__", set(names))
    _set_fields(value, "__pydantic_extra__", None)
    _set_fields(value, "__pydantic_private__", None)
    return value


_DECODE: dict[int, Callable[[list[Any]], object]] = {
    _TUPLE: lambda data: tuple([decode(part) for part in data[1:]]),
    _SET: lambda data: frozenset(decode(part) for part in data[1:]),
    _BYTES: lambda data: bytes.fromhex(cast(str, data[1])),
    _ENUM: lambda data: ENUM_TYPES[data[1]](data[2]),
}
