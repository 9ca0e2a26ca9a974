"""Trees to bytes and back, chunk by chunk, so that a tree kept in the store loads faster than it parses.

In: a tree, or a whole result. Out: bytes, equal for equal trees, and the same back.
Never: bytes from elsewhere: they come from a store that verified them.
"""

from __future__ import annotations

import marshal
import re
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec.structs import astuple, replace

from loom.base import Diagnostic
from loom.parse.ast import SYSTEM_CHUNK, Context, File, Node, Subdomain, System
from loom.parse.damage import Damage
from loom.parse.result import Origins, ParseResult

DEEPEST = 200
# Later versions write what depends on reference counts; this one gives equal bytes for equal values.
# kept by tests/unit/parse/test_grammar.py::test_tables_are_the_same_in_another_process
MARSHAL = 2

N = TypeVar("N", bound=Node)


class TooDeep(Exception):
    """A tree nests deeper than later stages can walk; `chunk` and `at` say where."""

    def __init__(self, chunk: str, at: int) -> None:
        super().__init__(chunk, at)
        self.chunk = chunk
        self.at = at


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
        data = msgspec.json.encode(node)
    except RecursionError:
        _refuse_deep(node, chunk)
        raise
    if _nests_deep(data):
        _refuse_deep(node, chunk)
    return data


_ESCAPE, _TEXT = re.compile(rb"\\."), re.compile(rb'"[^"]*"')
_BRACES = bytes.maketrans(b"{}", b"[]")
_REST = bytes(set(range(256)) - set(b'"[]{}'))


def _nests_deep(data: bytes) -> bool:
    """Whether nodes and lists may nest too deep: in JSON, brackets tell, and each round takes the innermost away."""
    if b"\\" in data:
        data = _ESCAPE.sub(b"", data)
    brackets = data.translate(_BRACES, _REST).replace(b'""', b"")
    if b'"' in brackets:  # some text has brackets in it
        brackets = _TEXT.sub(b"", brackets)
    for _ in range(DEEPEST):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"")
    return True


def _refuse_deep(node: Node, chunk: str, depth: int = 0) -> None:
    """TooDeep for the first node that has too many others around it."""
    if depth > DEEPEST:
        raise TooDeep(chunk, getattr(node, "at", 0))
    for item in astuple(node):
        for part in item if isinstance(item, tuple) else (item,):
            if isinstance(part, Node):
                _refuse_deep(part, chunk, depth + 1)


@cache
def _reader(kind: type[N]) -> msgspec.json.Decoder[N]:
    return msgspec.json.Decoder(kind)


def _read(data: bytes, kind: type[N]) -> N:
    found: N = _reader(kind).decode(data)
    return found


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
    made = {label: _read(data, Context) for label, data in chunks if label != SYSTEM_CHUNK}
    outside = _read(dict(chunks)[SYSTEM_CHUNK], File)
    return replace(outside, members=tuple(_with(member, made) for member in outside.members))


def decode_outside(data: bytes) -> File:
    """What a file holds outside contexts, each of which is there by its name alone."""
    return _read(data, File)


def encode_node(node: Node) -> bytes:
    """One declaration by itself."""
    return _bytes(node, SYSTEM_CHUNK)


def decode_node(data: bytes, kind: type[N]) -> N:
    """What `encode_node` was given."""
    return _read(data, kind)


def decode_context(data: bytes) -> Context:
    """The context of one chunk; several stages read the same."""
    known = _RECENT.get(data)
    if known is None:
        known = _read(data, Context)
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
    damage = None if result.damage is None else result.damage.canonical()
    return marshal.dumps((result.path, result.chunks, dict(result.origins.chunks), diagnostics, damage), MARSHAL)


def load(data: bytes) -> ParseResult:
    """What `dump` was given."""
    path, chunks, origins, diagnostics, damage = marshal.loads(data)
    problems = tuple(Diagnostic.from_canonical(item) for item in diagnostics)
    lost = None if damage is None else Damage.from_canonical(damage)
    return ParseResult(path, decode_file(chunks), chunks, Origins(origins), problems, lost)
