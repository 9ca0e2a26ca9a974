"""The frozen value that every stage passes on, with one canonical byte form.

In: plain data (strings, integers, booleans, None, bytes, enums, tuples, frozensets, other Values).
Out: canonical bytes, a digest of them, and the same value read back.
Never: floats, dictionaries, anything mutable.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast, dataclass_transform, get_type_hints

import msgspec
from msgspec.structs import replace

V = TypeVar("V", bound="Value")

SCHEMA = b"loom.value/2 "

VALUE_TYPES: dict[str, type[Value]] = {}

_HEAD = SCHEMA + b'["'


class Digest(NamedTuple):
    """SHA-256 in lower-case hexadecimal, and the size in bytes, as in the Remote Execution API."""

    sha256: str
    size: int

    @classmethod
    def of(cls, data: bytes) -> Digest:
        return cls(hashlib.sha256(data).hexdigest(), len(data))


class ValueMeta(msgspec.StructMeta):
    """Makes every Value frozen, with fields that go by their names, and known by its own.

    It is written as a list: the name of its type, then its fields in their order. (No field has the empty name that
    the tag would have in an object.)
    """

    def __new__(
        mcls, name: str, bases: tuple[type, ...], body: dict[str, Any], *, frozen: bool = True, kw_only: bool = True
    ) -> ValueMeta:
        cls = super().__new__(
            mcls, name, bases, body, frozen=frozen, kw_only=kw_only, array_like=True, tag=name, tag_field=""
        )
        cast("type[Value]", cls)._register()
        return cls


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value(msgspec.Struct, metaclass=ValueMeta, frozen=True, kw_only=True):
    """A frozen record; two Values are equal exactly when their canonical bytes are.

    Fields are what a class and those above it annotate. What is in them follows from these types when it is read
    back, so a type says which Values it may be, one by one, and never names one that has others below it.
    Types are mypy's to check: a class that is made costs microseconds, and a run loads hundreds of them.
    kept by tests/unit/base/test_value.py::test_types_of_fields_tell_what_is_in_them
    """

    # False for values that no store ever keeps: their names need not be unique.
    stored: ClassVar[bool] = True
    # Fields that a construct added to a kind: where none of it is used they have their default.
    sparse: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _register(cls) -> None:
        if bare := [name for name in cls.sparse if name not in cls.field_defaults()]:
            raise TypeError(f"{cls.__name__}: sparse fields need a default: {', '.join(bare)}")
        if not cls.stored:
            return
        known = VALUE_TYPES.get(cls.__name__)
        if known is not None and known.__module__ != cls.__module__:
            raise TypeError(f"two Values are called {cls.__name__}: {known.__module__} and {cls.__module__}")
        VALUE_TYPES[cls.__name__] = cls

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        return cls.__struct_fields__

    @classmethod
    def field_types(cls) -> dict[str, object]:
        """The annotation of each field, resolved; for tools, it is slow."""
        hints = get_type_hints(cls)
        return {name: hints[name] for name in cls.field_names()}

    @classmethod
    def field_defaults(cls) -> dict[str, object]:
        """Of the fields that have one."""
        last = cls.field_names()[len(cls.field_names()) - len(cls.__struct_defaults__) :]
        given = zip(last, cls.__struct_defaults__, strict=True)
        return {name: default for name, default in given if default is not msgspec.NODEFAULT}

    def model_copy(self, *, update: Mapping[str, object]) -> Self:
        """A copy with other values in these fields."""
        return replace(self, **update)

    def canonical(self) -> bytes:
        """The bytes that stand for this value: schema version, then JSON with the type of every Value named."""
        return SCHEMA + _JSON.encode(self)

    def digest(self) -> Digest:
        return Digest.of(self.canonical())

    @classmethod
    def from_canonical(cls, data: bytes) -> Self:
        """The value whose `canonical()` gave `data`; ValueError when it is of another type or schema, or damaged."""
        if not data.startswith(_HEAD):
            raise ValueError("not a canonical value of this schema")
        name = data[len(_HEAD) : data.find(b'"', len(_HEAD))].decode()
        kind = VALUE_TYPES.get(name)
        if kind is None or not issubclass(kind, cls):
            raise ValueError(f"expected {cls.__name__}, found {name}")
        try:
            value: Self = _reader(kind).decode(memoryview(data)[len(SCHEMA) :])
        except msgspec.DecodeError as error:
            raise ValueError(f"a damaged {name}: {error}") from error
        return value


# Sets are written in one order, whatever their own; nothing else in a Value has any but one.
_JSON = msgspec.json.Encoder(order="deterministic")


@cache
def _reader(kind: type[V]) -> msgspec.json.Decoder[V]:
    return msgspec.json.Decoder(kind)
