"""Any tree of frozen records as indented text, for the expected trees of corpus cases."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import msgspec
from msgspec.structs import fields

from loom.base import Value

# Places say where, not what; they would change a case with every edit above.
_SKIPPED = frozenset(("at", "chunk"))


def tree_text(node: object) -> str:
    """One line for each record, its plain fields behind its kind, the others indented below."""
    return "\n".join(_lines(node, ""))


def _lines(node: object, label: str) -> Iterator[str]:
    plain, nested = [type(node).__name__], []
    for name, value in _fields(node):
        if _is_plain(value):
            plain.append(f"{name}={_shown(value)}")
        else:
            nested.append((name, value))
    yield label + " ".join(plain)
    for name, value in nested:
        for item in value if isinstance(value, tuple) else (value,):
            yield from (f"  {line}" for line in _item(item, f"{name}: "))


def _item(item: object, label: str) -> Iterator[str]:
    if _is_plain(item):
        yield f"{label}{_shown(item)}"
    else:
        yield from _lines(item, label)


def _fields(node: object) -> Iterator[tuple[str, object]]:
    if isinstance(node, Value):
        defaults: dict[str, object] = type(node).field_defaults()
    elif isinstance(node, msgspec.Struct):
        defaults = {field.name: field.default for field in fields(type(node))}
    else:
        raise TypeError(f"{type(node).__name__} is no record")
    for name, default in defaults.items():
        value = getattr(node, name)
        if name not in _SKIPPED and value is not default and not _is_empty(value):
            yield name, value


def _is_empty(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str | tuple | frozenset) and not value)


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple | frozenset):
        return all(isinstance(item, str | int) for item in value)
    return not (isinstance(value, msgspec.Struct))


def _shown(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset):
        return repr(tuple(sorted(value, key=str)))
    return repr(value) if isinstance(value, str) else str(value)
