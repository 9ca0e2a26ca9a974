"""The parse stage: one file into parts that later stages read one by one.

In: a file's path and bytes. Out: an index of the file, its chunks, where their tokens stand.
Never: another file.
"""

from __future__ import annotations

import marshal
import posixpath
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from loom.base import Diagnostic, NodePath, Value, nearest, node_path, split_path
from loom.parse import ast
from loom.parse.codec import MARSHAL
from loom.parse.damage import Damage
from loom.parse.parser import parse, readable
from loom.parse.problems import ImportNotFound, ImportNotModel, ImportOutsideProject
from loom.parse.result import Origins, ParseResult
from loom.parse.tables import ready

Problems = tuple[Diagnostic, ...]


class ImportEntry(Value):
    """`path` is relative to the project; it starts with `..` when the import leads out of it."""

    written: str
    path: str
    at: NodePath


class ContextEntry(Value):
    name: str
    chunk: str


class DeployableEntry(Value):
    name: str
    platform: str


class FileIndex(Value):
    """What is known of a file without looking into its contexts."""

    imports: tuple[ImportEntry, ...]
    contexts: tuple[ContextEntry, ...]
    deployables: tuple[DeployableEntry, ...]
    damage: Damage | None = None


class Parsed(NamedTuple):
    """`outside` is the chunk around the contexts, `contexts` are the others, `origins` says where tokens start."""

    entries: FileIndex
    outside: bytes
    contexts: bytes
    origins: bytes


class NoValue(Value):
    """The output of a stage that only looks for mistakes."""


def parse_file(path: str, data: bytes, grammar: bytes) -> tuple[Parsed, Problems]:
    """The file at `path`; `grammar` is what `grammar_tables` gave."""
    result = parse(path, data, tables=grammar)
    outside, *contexts = result.chunks
    return (
        Parsed(
            entries=_index(path, result),
            outside=outside[1],
            contexts=marshal.dumps(tuple(contexts), MARSHAL),
            origins=marshal.dumps(tuple(sorted(result.origins.chunks.items())), MARSHAL),
        ),
        result.diagnostics,
    )


def split_context(contexts: bytes, chunk: str) -> tuple[bytes, Problems]:
    """One context out of its file, so that another one's change does not reach it."""
    found: bytes = dict(marshal.loads(contexts))[chunk]
    return found, ()


def check_imports(index: FileIndex, existing: tuple[str, ...], offered: tuple[str, ...]) -> tuple[NoValue, Problems]:
    """Whether each import leads to a file; `existing` are those that do, `offered` what could have been meant."""
    return NoValue(), tuple(_import_problems(index, existing, offered))


def origins(data: bytes) -> Origins:
    """What `parse_file` said about where tokens stand."""
    return Origins(dict(marshal.loads(data)))


def source_text(path: str, data: bytes) -> str:
    """The file's text as its places count it, also where it is not valid."""
    return readable(path, data)


def _import_problems(index: FileIndex, existing: tuple[str, ...], offered: tuple[str, ...]) -> Iterator[Diagnostic]:
    for entry in index.imports:
        if "\0" in entry.path:
            continue  # the lexer has told it
        near = "" if entry.path in existing else _nearest(entry, offered)
        case: Literal["near", "none"] = "near" if near else "none"
        if _is_outside(entry.path):
            yield ImportOutsideProject(at=entry.at, path=entry.written)
        elif not entry.path.endswith(".ddd"):
            yield ImportNotModel(at=entry.at, case=case, path=entry.written, nearest=near)
        elif entry.path not in existing:
            yield ImportNotFound(at=entry.at, case=case, path=entry.written, nearest=near)


def may_be_read(path: str) -> bool:
    """Whether an import of `path` can lead to a file of the model; no other is looked at."""
    return path.endswith(".ddd") and not _is_outside(path) and "\0" not in path


def _is_outside(path: str) -> bool:
    return path.startswith(("../", "/")) or path == ".."


def _nearest(entry: ImportEntry, offered: Iterable[str]) -> str:
    """As the importing file, which is none of those that it can mean, would write it."""
    file, _, _ = split_path(entry.at)
    meant = _meant(entry.path, [path for path in offered if path != file])
    written = posixpath.relpath(meant, posixpath.dirname(file) or ".") if meant else ""
    return f"./{written}" if written and not written.startswith("../") else written


def _meant(path: str, offered: Iterable[str]) -> str:
    """The file of that name in another folder, else the one whose name is nearest."""
    by_name: dict[str, str] = {}
    for each in sorted(offered, reverse=True):
        by_name[posixpath.basename(each)] = each
    name = posixpath.basename(path)
    return by_name.get(name) or nearest(path, by_name.values()) or by_name.get(nearest(name, by_name), "")


def _index(path: str, result: ParseResult) -> FileIndex:
    folder = posixpath.dirname(path)
    file = result.ast
    members = list(_flat(file.members))
    return FileIndex(
        imports=tuple(
            ImportEntry(
                written=item.path,
                path=posixpath.normpath(posixpath.join(folder, item.path)),
                at=node_path(path, ast.SYSTEM_CHUNK, item.at),
            )
            for item in file.imports
        ),
        contexts=tuple(
            ContextEntry(name=item.name, chunk=item.chunk) for item in members if isinstance(item, ast.Context)
        ),
        deployables=tuple(
            DeployableEntry(name=item.name, platform=item.platform.name)
            for item in members
            if isinstance(item, ast.Deployable) and item.platform
        ),
        damage=result.damage,
    )


def _flat(members: Iterable[object]) -> Iterator[object]:
    """The members, and those of the systems and subdomains among them."""
    for member in members:
        yield member
        if isinstance(member, ast.System | ast.Subdomain):
            yield from _flat(member.members)


def grammar_tables() -> tuple[bytes, Problems]:
    """The parser's tables, made from the grammar once and handed to every parse."""
    return ready(), ()
