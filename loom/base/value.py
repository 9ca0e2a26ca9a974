"""The frozen value that every stage passes on, with one canonical byte form.

In: plain data (strings, integers, booleans, None, bytes, enums, tuples, frozensets, other Values).
Out: canonical bytes, a digest of them, and the same value read back.
Never: floats, dictionaries, anything mutable.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from enum import Enum
from json.encoder import encode_basestring
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast, dataclass_transform, get_type_hints

import msgspec
from msgspec.structs import replace

SCHEMA = b"loom.value/1 "

VALUE_TYPES: dict[str, type[Value]] = {}
ENUM_TYPES: dict[str, type[Enum]] = {}
_ENCODED_ENUMS: dict[type, dict[Enum, str]] = {}

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


class ValueMeta(msgspec.StructMeta):
    """Makes every Value frozen, with fields that go by their names, and known by its own."""

    def __new__(
        mcls, name: str, bases: tuple[type, ...], body: dict[str, Any], *, frozen: bool = True, kw_only: bool = True
    ) -> ValueMeta:
        cls = super().__new__(mcls, name, bases, body, frozen=frozen, kw_only=kw_only)
        cast("type[Value]", cls)._register()
        return cls


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value(msgspec.Struct, metaclass=ValueMeta, frozen=True, kw_only=True):
    """A frozen record; two Values are equal exactly when their canonical bytes are.

    Fields are what a class and those above it annotate. Types are mypy's to check: a class that is made costs
    microseconds, and a run loads hundreds of them.
    """

    # False for values that no store ever keeps: their names need not be unique.
    stored: ClassVar[bool] = True
    # Fields that are written only where they differ from their default: what a construct adds to a kind leaves
    # the bytes of values without it as they were.
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

    @classmethod
    def _written(cls) -> tuple[str, ...]:
        """The fields that are always written, in their order."""
        return tuple(name for name in cls.field_names() if name not in cls.sparse)

    def model_copy(self, *, update: Mapping[str, object]) -> Self:
        """A copy with other values in these fields."""
        return replace(self, **update)

    def canonical(self) -> bytes:
        """The bytes that stand for this value: schema version, then JSON with every type named."""
        return SCHEMA + encode(self).encode()

    def digest(self) -> Digest:
        return Digest.of(self.canonical())

    @classmethod
    def from_canonical(cls, data: bytes) -> Self:
        """The value whose `canonical()` gave `data`; ValueError when it is of another type or schema."""
        if not data.startswith(SCHEMA):
            raise ValueError("not a canonical value of this schema")
        value = decode(data[len(SCHEMA) :])
        if not isinstance(value, cls):
            raise ValueError(f"expected {cls.__name__}, found {type(value).__name__}")
        return value


def closed(enum: type[E]) -> type[E]:
    """Class decorator: lets an enum appear inside Values."""
    ENUM_TYPES[enum.__name__] = enum
    _ENCODED_ENUMS[enum] = {member: _encoded_member(member) for member in enum}
    return enum


def _encoded_member(member: Enum) -> str:
    return json.dumps([_ENUM, type(member).__name__, member.value], ensure_ascii=False, separators=(",", ":"))


def encode(item: object) -> str:
    """`item`, which is anything that a Value may hold, as JSON whose lists say what they are."""
    return _WRITERS[type(item)](item)


class _Writers(dict[type, Callable[[Any], str]]):
    """How to write an item of each type, found out when the first of it is met."""

    def __missing__(self, kind: type) -> Callable[[Any], str]:
        self[kind] = _writer(kind)
        return self[kind]


def _writer(kind: type) -> Callable[[Any], str]:
    if issubclass(kind, Value):
        return _value_writer(kind)
    if kind in _ENCODED_ENUMS:
        return _ENCODED_ENUMS[kind].__getitem__
    if issubclass(kind, tuple):
        return _tuple
    if issubclass(kind, frozenset):
        return lambda item: f"[{','.join([str(_SET), *sorted(map(encode, item))])}]"
    if issubclass(kind, bytes):
        return lambda item: f'[{_BYTES},"{item.hex()}"]'
    raise TypeError(f"a Value cannot hold a {kind.__name__}")


def _value_writer(kind: type[Value]) -> Callable[[Any], str]:
    """One expression with every field in it: a loop takes twice as long, and every value of a run passes here."""
    fields = "".join(f",{{write[type(part := item.{name})](part)}}" for name in kind._written())
    rest = "{rest(sparse, item)}" if kind.sparse else ""
    sparse = {name: default for name, default in kind.field_defaults().items() if name in kind.sparse}
    known = {"write": _WRITERS, "rest": _sparse_fields, "sparse": sparse}
    writer: Callable[[Any], str] = eval(f"lambda item: f'[\"{kind.__name__}\"{fields}{rest}]'", known)
    return writer


def _sparse_fields(defaults: Mapping[str, object], item: Value) -> str:
    """The sparse fields that say something, by name, as the last member of the list."""
    said = {name: found for name, default in defaults.items() if (found := getattr(item, name)) != default}
    parts = [f"{json.dumps(name)}:{encode(found)}" for name, found in said.items()]
    return f",{{{','.join(parts)}}}" if parts else ""


def _tuple(item: tuple[Any, ...]) -> str:
    return f"[{_TUPLE},{','.join([_WRITERS[type(part)](part) for part in item])}]" if item else f"[{_TUPLE}]"


_WRITERS = _Writers()
_WRITERS |= {
    str: encode_basestring,
    int: int.__repr__,
    bool: {False: "false", True: "true"}.__getitem__,
    type(None): {None: "null"}.__getitem__,
}


# Decoding trusts its input: the bytes come from a store that verified their digest.
# kept by tests/unit/base/test_value.py::test_every_value_reads_back_equal
def decode(text: str | bytes) -> object:
    """What `encode` was given."""
    return _item(json.loads(text))


def _item(data: Any) -> Any:  # noqa: ANN401 - the union of everything a Value may hold
    if type(data) is not list:
        return data
    tag = data[0]
    if type(tag) is str:
        return _construct(VALUE_TYPES[tag], data)
    return _DECODE[tag](data)


def _construct(kind: type[Value], data: list[Any]) -> Value:
    names = kind._written() if kind.sparse else kind.field_names()
    fields = dict(zip(names, map(_item, data[1:]), strict=False))
    more = data[len(names) + 1 :]
    return kind(**fields, **{name: _item(part) for sparse in more for name, part in sparse.items()})


_DECODE: dict[int, Callable[[list[Any]], object]] = {
    _TUPLE: lambda data: tuple([_item(part) for part in data[1:]]),
    _SET: lambda data: frozenset(_item(part) for part in data[1:]),
    _BYTES: lambda data: bytes.fromhex(cast(str, data[1])),
    _ENUM: lambda data: ENUM_TYPES[data[1]](data[2]),
}
