"""Stage values as bytes: a Value by its own canonical form, a tree of frozen nodes by one made here, bytes as is.

In: a value. Out: bytes that are equal exactly when the values are, and the value read back.
Never: pickled data, or a class outside this package.
"""

from __future__ import annotations

import json
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

import msgspec
from msgspec.structs import astuple

from loom.base import Value

_SCHEMA = b"loom.node/1 "
_BYTES = b"loom.bytes/1 "
_TUPLE, _ENUM = -1, -2
_PLAIN = frozenset({str, int, bool, type(None)})


def to_bytes(value: object) -> bytes:
    if isinstance(value, Value):
        return value.canonical()
    if isinstance(value, bytes):
        return _BYTES + value
    if not isinstance(value, msgspec.Struct):
        raise TypeError(f"a stage gave a {type(value).__name__}, which is neither a Value nor a frozen node")
    types: dict[type, int] = {}
    data = _encode(value, types)
    names = [f"{kind.__module__}:{kind.__qualname__}" for kind in types]
    return _SCHEMA + json.dumps([names, data], ensure_ascii=False, separators=(",", ":")).encode()


def from_bytes(data: bytes) -> object:
    """Trusts its input: the bytes come from a store that verified their digest."""
    if data.startswith(_BYTES):
        return data[len(_BYTES) :]
    if not data.startswith(_SCHEMA):
        return Value.from_canonical(data)
    names, encoded = json.loads(data[len(_SCHEMA) :])
    return _decode(encoded, [_class(name) for name in names])


def _encode(item: Any, types: dict[type, int]) -> Any:  # noqa: ANN401 - whatever a node may hold
    kind: type = type(item)
    if kind in _PLAIN:
        return item
    if kind is tuple:
        return [_TUPLE, *[_encode(part, types) for part in item]]
    number = types.setdefault(kind, len(types))
    if isinstance(item, Enum):
        return [_ENUM, number, item.value]
    if not issubclass(kind, msgspec.Struct):
        raise TypeError(f"a node cannot hold a {kind.__name__}")
    return [number, *[_encode(part, types) for part in astuple(item)]]


def _decode(data: Any, types: list[Any]) -> Any:  # noqa: ANN401 - the inverse of _encode
    if type(data) is not list:
        return data
    tag = data[0]
    if tag == _TUPLE:
        return tuple([_decode(part, types) for part in data[1:]])
    if tag == _ENUM:
        return types[data[1]](data[2])
    return types[tag](*[_decode(part, types) for part in data[1:]])


@cache
def _class(name: str) -> type:
    module, _, title = name.partition(":")
    found: type = getattr(import_module(module), title)
    # Bytes of a shared cache may be anything: what they name is made only if it can do nothing.
    # kept by tests/engine/remote/test_hostile_results.py::test_values_from_elsewhere_make_nodes_and_nothing_else
    if not isinstance(found, type) or not issubclass(found, msgspec.Struct | Enum) or issubclass(found, Value):
        raise ValueError(f"{name} is no node")
    return found
