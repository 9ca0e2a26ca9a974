"""Text of one file to its syntax tree.

In: a file's path and bytes. Out: the tree, where its nodes are, and what is wrong.
Never: an exception for a mistake in the text, or a look at another file.
"""

from __future__ import annotations

import codecs
import re
from array import array
from functools import lru_cache
from typing import Literal

from loom.base import Diagnostic, node_path
from loom.parse import recovery
from loom.parse.ast import SYSTEM_CHUNK, File
from loom.parse.codec import DEEPEST, TooDeep, encode_file
from loom.parse.damage import WHOLE
from loom.parse.draft import Draft
from loom.parse.lexer import Tokens, tokenize
from loom.parse.losses import damage_of
from loom.parse.machine import Chains, Machine
from loom.parse.problems import NestingTooDeep, NotUtf8, UnsettledConflict, offset_path
from loom.parse.result import Origins, ParseResult
from loom.parse.rules import RULES
from loom.parse.rules.program import file
from loom.parse.tables import Tables, compiled, load

_Encoding = Literal["utf-16", "utf-32", "other"]
_MARKS: tuple[tuple[bytes, _Encoding], ...] = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


# The first lines of a file of Latin letters have as many of these in UTF-16 as they have letters.
_MOST_NULS = 8
_CONFLICT = re.compile("^<{7} ", re.M)


def parse(path: str, text: bytes, *, tables: bytes | None = None) -> ParseResult:
    """The tree of `text`, which `path` names in every place; `tables` is what `tables()` gave, to save time."""
    source = decode(path, text)
    if isinstance(source, Diagnostic):
        return _nothing(path, source)
    if conflict := _CONFLICT.search(source):
        return _nothing(path, UnsettledConflict(at=offset_path(path, conflict.start())))
    loaded, chains = _loaded(tables)
    result = _parse(loaded, chains, tokenize(path, source, loaded.words))
    if result.has_errors and _has_long_string(source):
        other = _parse(loaded, chains, tokenize(path, source, loaded.words, one_line_strings=True))
        return min(result, other, key=lambda result: len(result.diagnostics))
    return result


def _nothing(path: str, problem: Diagnostic) -> ParseResult:
    """Of a file that cannot be read at all."""
    nothing = File((), ())
    return ParseResult(path, nothing, encode_file(nothing), Origins({}), (problem,), WHOLE)


def decode(path: str, text: bytes) -> str | Diagnostic:
    """The text without a byte order mark, or what is wrong with its encoding."""
    for mark, name in _MARKS:
        if text.startswith(mark):
            return NotUtf8(at=offset_path(path, 0), case=name)
    if text[:64].count(0) > _MOST_NULS:
        return NotUtf8(at=offset_path(path, 0), case="utf-16")
    text = text.removeprefix(codecs.BOM_UTF8)  # the codec `utf-8-sig` counts its errors from behind the mark
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        offset = len(text[: error.start].decode())
        return NotUtf8(at=offset_path(path, offset), case="other")


def readable(path: str, text: bytes) -> str:
    """The text as places in it count, also where it is not valid."""
    source = decode(path, text)
    if isinstance(source, str):
        return source
    return text.decode("utf-16" if text.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig", "replace")


@lru_cache(maxsize=1)
def _loaded(data: bytes | None) -> tuple[Tables, Chains]:
    return compiled() if data is None else load(data), {}


def _has_long_string(source: str) -> bool:
    """Could a string or template that was never closed have swallowed lines up to the next one?"""
    return "`" in source or any(line.count('"') % 2 for line in source.splitlines())


def _parse(tables: Tables, chains: Chains, tokens: Tokens) -> ParseResult:
    draft = Draft(tokens, tokens.texts)
    machine = Machine(tables, draft, RULES, chains)
    recovery.run(machine)
    tree = _tree(draft, machine)
    problems = [*tokens.problems, *draft.problems]
    try:
        chunks = encode_file(tree)
    except TooDeep as signal:
        place = node_path(tokens.file, signal.chunk, signal.at)
        problems.append(NestingTooDeep(at=place, deepest=DEEPEST))
        draft.is_astray = True
        tree = File(tree.imports, ())
        chunks = encode_file(tree)
    origins, found = _origins(draft), tuple(dict.fromkeys(problems))
    return ParseResult(tokens.file, tree, chunks, origins, found, damage_of(draft, origins, found))


def _tree(draft: Draft, machine: Machine) -> File:
    """The whole file, or the members that were understood."""
    made = machine.values[0]
    if isinstance(made, File):
        return made
    return file(draft, made) if isinstance(made, list) else File((), ())


def _origins(draft: Draft) -> Origins:
    """The offsets of each chunk's tokens."""
    starts = array("I", draft.tokens.starts)
    chunks, outside, last = {}, array("I"), 0
    for chunk in draft.chunks:
        chunks[chunk.label] = starts[chunk.first : chunk.last].tobytes()
        outside += starts[last : chunk.first]
        last = chunk.last
    chunks[SYSTEM_CHUNK] = (outside + starts[last:]).tobytes()
    return Origins(chunks)


def imports(tree: File) -> tuple[tuple[str, int], ...]:
    """The paths that a file imports, each with its place in the chunk `system`."""
    return tuple((item.path, item.at) for item in tree.imports)
