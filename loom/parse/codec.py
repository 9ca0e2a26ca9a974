"""Trees to bytes and back, chunk by chunk, so that a tree kept in the store loads faster than it parses.

In: a tree, or a whole result. Out: bytes of `marshal`, and the same back.
Never: bytes from elsewhere: they come from a store that verified them, and name the Python they are for.
"""

from __future__ import annotations

import marshal
from enum import StrEnum
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from loom.base import Diagnostic
from loom.parse import ast
from loom.parse.ast import SYSTEM_CHUNK, Context, File, Node, Subdomain, System
from loom.parse.result import Origins, ParseResult

DEEPEST = 200
# Later versions write what depends on reference counts; this one gives equal bytes for equal values.
# kept by tests/unit/parse/test_grammar.py::test_tables_are_the_same_in_another_process
MARSHAL = 2

KINDS: tuple[type[Node], ...] = tuple(
    item for item in vars(ast).values() if isinstance(item, type) and issubclass(item, Node) and item is not Node
)
Encoded = tuple[object, ...]
N = TypeVar("N")


class TooDeep(Exception):
    """A tree nests deeper than later stages can walk; `chunk` and `at` say where."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at
        self.chunk = SYSTEM_CHUNK


_ENCODE: dict[type[object], int] = {kind: index for index, kind in enumerate(KINDS)}


def _encode(node: Node, depth: int) -> Encoded:
    """A node as a tuple of its kind and its fields; a tuple of nodes becomes a list."""
    if depth > DEEPEST:
        raise TooDeep(getattr(node, "at", 0))
    made: list[object] = [_ENCODE[type(node)]]
    for item in astuple(node):
        kind = type(item)
        if kind in _ENCODE:
            made.append(_encode(item, depth + 1))
        elif kind is tuple:
            made.append([_encode(part, depth + 1) if type(part) in _ENCODE else part for part in item])
        else:
            made.append(item.value if isinstance(item, StrEnum) else item)
    return tuple(made)


_ENUMS = {item.__name__: item for item in vars(ast).values() if isinstance(item, type) and issubclass(item, StrEnum)}


def _enum_fields(kind: type[Node]) -> tuple[tuple[int, type[StrEnum]], ...]:
    """The fields of an enum's type, which annotations name as text."""
    written = [(index, str(kind.__annotations__[name])) for index, name in enumerate(kind.__struct_fields__)]
    return tuple((index, _ENUMS[name]) for index, name in written if name in _ENUMS)


_DECODE = [(kind, _enum_fields(kind)) for kind in KINDS]


def _decode(data: Any) -> Any:  # noqa: ANN401 - the inverse of _encode, whatever the kind
    kind, enums = _DECODE[data[0]]
    made = list(data[1:])
    for index, item in enumerate(made):
        form = type(item)
        if form is tuple:
            made[index] = _decode(item)
        elif form is list:
            made[index] = tuple([_decode(part) if type(part) is tuple else part for part in item])
    for index, enum in enums:
        made[index] = enum(made[index])
    return kind(*made)


def encode_file(file: File) -> tuple[tuple[str, bytes], ...]:
    """The chunks of a file: everything outside contexts first, then each context."""
    contexts: list[Context] = []
    outside = replace(file, members=tuple(_without(member, contexts) for member in file.members))
    chunks = [(SYSTEM_CHUNK, _bytes(outside, SYSTEM_CHUNK))]
    for context in contexts:
        data = _bytes(context, context.chunk)
        _RECENT.keep(data, context)
        chunks.append((context.chunk, data))
    return tuple(chunks)


def _bytes(node: Node, chunk: str) -> bytes:
    try:
        return marshal.dumps(_encode(node, 0), MARSHAL)  # type: ignore[arg-type]  # a tuple of what marshal takes
    except TooDeep as signal:
        signal.chunk = chunk
        raise


def _without(member: Any, contexts: list[Context]) -> Any:  # noqa: ANN401 - whatever may hold a context
    """The member with each context in it reduced to its name."""
    if isinstance(member, Context):
        contexts.append(member)
        return Context(0, member.name, member.chunk, (), ())
    if isinstance(member, System):
        return replace(member, members=tuple(_without(inner, contexts) for inner in member.members))
    if isinstance(member, Subdomain):
        return replace(member, members=tuple(_without(inner, contexts) for inner in member.members))
    return member


def decode_file(chunks: tuple[tuple[str, bytes], ...]) -> File:
    """What `encode_file` was given."""
    made = {label: _decode(marshal.loads(data)) for label, data in chunks}
    outside: File = made[SYSTEM_CHUNK]
    return replace(outside, members=tuple(_with(member, made) for member in outside.members))


def decode_outside(data: bytes) -> File:
    """What a file holds outside contexts, each of which is there by its name alone."""
    file: File = _decode(marshal.loads(data))
    return file


def encode_node(node: Node) -> bytes:
    """One declaration by itself."""
    return _bytes(node, SYSTEM_CHUNK)


def decode_node(data: bytes, kind: type[N]) -> N:
    """What `encode_node` was given."""
    node = _decode(marshal.loads(data))
    assert isinstance(node, kind)
    return node


def decode_context(data: bytes) -> Context:
    """The context of one chunk; several stages read the same."""
    known = _RECENT.get(data)
    if known is None:
        known = _decode(marshal.loads(data))
        _RECENT.keep(data, known)
    return known


class _Recent:
    """The contexts last encoded or decoded: what a run has just parsed it need not decode."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[bytes, Context] = {}

    def get(self, data: bytes) -> Context | None:
        return self._known.get(data)

    def keep(self, data: bytes, context: Context) -> None:
        self._known[data] = context
        for oldest in list(self._known)[: -self._most]:
            self._known.pop(oldest, None)


_RECENT = _Recent(1 << 7)


def _with(member: Any, made: dict[str, Any]) -> Any:  # noqa: ANN401 - whatever may hold a context
    if isinstance(member, Context):
        return made[member.chunk]
    if isinstance(member, System):
        return replace(member, members=tuple(_with(inner, made) for inner in member.members))
    if isinstance(member, Subdomain):
        return replace(member, members=tuple(_with(inner, made) for inner in member.members))
    return member


def dump(result: ParseResult) -> bytes:
    """A result as bytes; equal results give equal bytes."""
    diagnostics = tuple(problem.canonical() for problem in result.diagnostics)
    return marshal.dumps((result.path, result.chunks, dict(result.origins.chunks), diagnostics), MARSHAL)


def load(data: bytes) -> ParseResult:
    """What `dump` was given."""
    path, chunks, origins, diagnostics = marshal.loads(data)
    problems = tuple(Diagnostic.from_canonical(item) for item in diagnostics)
    return ParseResult(path, decode_file(chunks), chunks, Origins(origins), problems)
