"""Which declarations of a file were written otherwise at another time.

In: what `parse_file` gave of the file before and after, the text after. Out: lines of text.
Never: a comment, or a blank line: they are in no tree.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from loom.parse.ast import SYSTEM_CHUNK, Context, File
from loom.parse.ast.shared import Node
from loom.parse.codec import decode_file
from loom.parse.parser import readable
from loom.parse.result import Origins

Parts = Mapping[str, object]
"""By the names that `stage.Parsed` has for them."""
Bare = tuple["Bare", ...] | str
Label = tuple[str, str, int]
"""Kind, name, and how many of both stand before it."""


class Change(NamedTuple):
    """`names` lead to the declaration; `tokens` are the first and the last of it, empty when it is gone."""

    names: tuple[str, ...]
    chunk: str
    tokens: tuple[int, ...]


def changed(file: str, before: Parts, after: Parts, data: bytes | None) -> tuple[str, ...]:
    """The declarations that were added, changed or taken away, each as near as can be said.

    `data` is what `after` was made of, whose lines are told; None when nobody has it any more.
    """
    text = None if data is None else readable(file, data)
    origins = Origins(_pairs(after, "origins"))
    found = changes(_tree(before), _tree(after))
    return tuple(f"{_lines(change, origins, text)}: `{'.'.join(change.names)}`" for change in found)


def _tree(parts: Parts) -> File:
    outside = parts["outside"]
    assert isinstance(outside, bytes)
    return decode_file(((SYSTEM_CHUNK, outside), *_pairs(parts, "contexts").items()))


def _pairs(parts: Parts, name: str) -> dict[str, bytes]:
    found = parts[name]
    assert isinstance(found, bytes)
    return dict(marshal.loads(found))


def _lines(change: Change, origins: Origins, text: str | None) -> str:
    if not change.tokens:
        return "no more"
    if text is None:
        return "changed"
    first, last = (text.count("\n", 0, origins.offset(change.chunk, token)) + 1 for token in change.tokens)
    return f"line {first}" if first == last else f"lines {first}-{last}"


def changes(before: File, after: File) -> Iterator[Change]:
    """In the order of the file as it is; what is gone comes last."""
    if _bare(before.imports) != _bare(after.imports):
        yield Change(("imports",), SYSTEM_CHUNK, _tokens(after.imports))
    yield from _among(before, after, (), SYSTEM_CHUNK)


def _among(before: Node, after: Node, names: tuple[str, ...], chunk: str) -> Iterator[Change]:
    old, new = _members(before), _members(after)
    for label, node in new.items():
        inside = node.chunk if isinstance(node, Context) else chunk
        yield from _of(old.get(label), node, (*names, label[1]), inside)
    yield from (Change((*names, label[1]), chunk, ()) for label in old if label not in new)


def _of(before: Node | None, after: Node, names: tuple[str, ...], chunk: str) -> Iterator[Change]:
    if before is None:
        yield Change(names, chunk, _tokens(after))
        return
    if _bare(before) == _bare(after):
        return
    inside = list(_among(before, after, names, chunk))
    if not inside or _bare(before, without="members") != _bare(after, without="members"):
        yield Change(names, chunk, _tokens(after))
    else:
        yield from inside


def _members(node: Node) -> dict[Label, Node]:
    found: dict[Label, Node] = {}
    for member in getattr(node, "members", ()):
        kind, name = type(member).__name__, str(getattr(member, "name", "") or type(member).__name__.lower())
        found[kind, name, sum(known[:2] == (kind, name) for known in found)] = member
    return found


def _bare(item: object, without: str = "") -> Bare:
    """Without the places of tokens, which move when anything stands before them."""
    match item:
        case msgspec.Struct():
            names = [name for name in item.__struct_fields__ if name not in ("at", without)]
            return (type(item).__name__, *(_bare(getattr(item, name)) for name in names))
        case tuple():
            return tuple(map(_bare, item))
        case _:
            return repr(item)


def _tokens(item: object) -> tuple[int, ...]:
    """The first and the last that a node tells of; those of a context in it are of another chunk."""
    found = sorted(_told(item))
    return (found[0], found[-1]) if found else ()


def _told(item: object) -> Iterator[int]:
    match item:
        case msgspec.Struct():
            yield from (getattr(item, name) for name in item.__struct_fields__ if name == "at")
            values = (getattr(item, name) for name in item.__struct_fields__)
            yield from (token for value in values if not isinstance(value, Context) for token in _told(value))
        case tuple():
            yield from (token for value in item if not isinstance(value, Context) for token in _told(value))
        case _:
            pass
