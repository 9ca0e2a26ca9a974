"""The frozen value that every stage passes on, with one canonical byte form.

In: plain data (strings, integers, booleans, None, bytes, enums, tuples, frozensets, other Values).
Out: canonical bytes, a digest of them, and the same value read back.
Never: floats, dictionaries, anything mutable.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping
from enum import Enum
from json.encoder import encode_basestring
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast, dataclass_transform, get_type_hints

SCHEMA = b"loom.value/1 "

VALUE_TYPES: dict[str, type[Value]] = {}
ENUM_TYPES: dict[str, type[Enum]] = {}
_ENCODED_ENUMS: dict[type, dict[Enum, str]] = {}

# The first item of an encoded list says what the list is; a Value carries its type name there.
_TUPLE, _SET, _BYTES, _ENUM = 0, 1, 2, 3

_MUTABLE = frozenset({float, dict, list, set, bytearray})

E = TypeVar("E", bound=Enum)


class Digest(NamedTuple):
    """SHA-256 in lower-case hexadecimal, and the size in bytes, as in the Remote Execution API."""

    sha256: str
    size: int

    @classmethod
    def of(cls, data: bytes) -> Digest:
        return cls(hashlib.sha256(data).hexdigest(), len(data))


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Value:
    """A frozen record; two Values are equal exactly when their canonical bytes are.

    Fields are what a class and those above it annotate. Types are mypy's to check: a class that is made costs
    microseconds, and a run loads hundreds of them.
    """

    # False for values that no store ever keeps: their names need not be unique.
    stored: ClassVar[bool] = True
    # Fields that are written only where they differ from their default: what a construct adds to a kind leaves
    # the bytes of values without it as they were.
    sparse: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, object]] = {}

    def __init_subclass__(cls) -> None:
        own = [name for name, kind in inspect.get_annotations(cls).items() if _is_field(name, kind)]
        cls._names = tuple(dict.fromkeys([*cls._names, *own]))
        cls._defaults = {**cls._defaults, **{name: cls.__dict__[name] for name in own if name in cls.__dict__}}
        if bare := [name for name in cls.sparse if name not in cls._defaults]:
            raise TypeError(f"{cls.__name__}: sparse fields need a default: {', '.join(bare)}")
        if not cls.stored:
            return
        known = VALUE_TYPES.get(cls.__name__)
        if known is not None and known.__module__ != cls.__module__:
            raise TypeError(f"two Values are called {cls.__name__}: {known.__module__} and {cls.__module__}")
        VALUE_TYPES[cls.__name__] = cls

    def __init__(self, **fields: object) -> None:
        names = self._names
        given = fields if len(fields) == len(names) else {**self._defaults, **fields}
        if len(given) != len(names):
            raise self._misfit(given)
        own = self.__dict__
        try:
            for name in names:
                own[name] = given[name]
        except KeyError:
            raise self._misfit(given) from None
        if not _MUTABLE.isdisjoint(map(type, given.values())):
            raise self._misfit(given)
        self._check_fields()

    def _misfit(self, given: dict[str, object]) -> TypeError:
        """What to raise for fields that this class cannot have."""
        title = type(self).__name__
        for name in self._names:
            if type(given.get(name)) in _MUTABLE:
                return TypeError(f"{title}.{name} cannot be a {type(given[name]).__name__}")
        wrong = ", ".join(sorted(given.keys() ^ set(self._names)))
        return TypeError(f"{title} takes {', '.join(self._names)}; missing or unknown: {wrong}")

    def _check_fields(self) -> None:
        """Raises what a class has against its own fields."""

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={item!r}' for name, item in self.__dict__.items())})"

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        return cls._names

    @classmethod
    def field_types(cls) -> dict[str, object]:
        """The annotation of each field, resolved; for tools, it is slow."""
        hints = get_type_hints(cls)
        return {name: hints[name] for name in cls._names}

    @classmethod
    def field_defaults(cls) -> dict[str, object]:
        return dict(cls._defaults)

    @classmethod
    def _written(cls) -> tuple[str, ...]:
        """The fields that are always written, in their order."""
        return tuple(name for name in cls._names if name not in cls.sparse)

    def model_copy(self, *, update: Mapping[str, object]) -> Self:
        """A copy with other values in these fields."""
        return type(self)(**{**self.__dict__, **update})

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


def _is_field(name: str, kind: object) -> bool:
    return not name.startswith("_") and not str(kind).startswith(("ClassVar", "typing.ClassVar"))


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
        return lambda item: _listed(_TUPLE, [_WRITERS[type(part)](part) for part in item])
    if issubclass(kind, frozenset):
        return lambda item: _listed(_SET, sorted(map(encode, item)))
    if issubclass(kind, bytes):
        return lambda item: f'[{_BYTES},"{item.hex()}"]'
    raise TypeError(f"a Value cannot hold a {kind.__name__}")


def _value_writer(kind: type[Value]) -> Callable[[Any], str]:
    """One expression with every field in it: a loop takes twice as long, and every value of a run passes here."""
    fields = "".join(f",{{write[type(part := item.{name})](part)}}" for name in kind._written())
    rest = "{rest(item)}" if kind.sparse else ""
    known = {"write": _WRITERS, "rest": _sparse_fields}
    writer: Callable[[Any], str] = eval(f"lambda item: f'[\"{kind.__name__}\"{fields}{rest}]'", known)
    return writer


def _sparse_fields(item: Value) -> str:
    """The sparse fields that say something, by name, as the last member of the list."""
    said = [name for name in item.sparse if getattr(item, name) != item._defaults[name]]
    parts = [f"{json.dumps(name)}:{encode(getattr(item, name))}" for name in said]
    return f",{{{','.join(parts)}}}" if parts else ""


def _listed(tag: int, parts: list[str]) -> str:
    return f"[{tag},{','.join(parts)}]" if parts else f"[{tag}]"


_WRITERS = _Writers()
_WRITERS |= {str: encode_basestring, int: int.__repr__, bool: json.dumps, type(None): json.dumps}


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


_set_fields = object.__setattr__


def _construct(kind: type[Value], data: list[Any]) -> Value:
    value = kind.__new__(kind)
    if kind.sparse:
        names = kind._written()
        more = data[len(names) + 1] if len(data) > len(names) + 1 else {}
        said = {name: _item(part) for name, part in more.items()}
        read = {name: _item(data[index + 1]) for index, name in enumerate(names)}
        given = {**kind._defaults, **read, **said}
        _set_fields(value, "__dict__", {name: given[name] for name in kind._names})
        return value
    names = kind._names
    _set_fields(value, "__dict__", {name: _item(data[index + 1]) for index, name in enumerate(names)})
    return value


_DECODE: dict[int, Callable[[list[Any]], object]] = {
    _TUPLE: lambda data: tuple([_item(part) for part in data[1:]]),
    _SET: lambda data: frozenset(_item(part) for part in data[1:]),
    _BYTES: lambda data: bytes.fromhex(cast(str, data[1])),
    _ENUM: lambda data: ENUM_TYPES[data[1]](data[2]),
}
