"""Named unions and error records by themselves, so that each mistake in one is told, used or not.

In: their declarations. Out: reports; the types of the unions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.ir.types import UnionType
from loom.lower.problems.handlers import ReservedStructuralErrorName
from loom.lower.problems.types import TypeNotAllowed
from loom.lower.scope.names import Names
from loom.lower.scope.source import Source
from loom.lower.scope.typerefs import Position, TypeScope
from loom.lower.signature import UnionSignature
from loom.parse import ast

# What a service answers itself when a save is refused; `httpStatus` of one moves all of these answers.
STRUCTURAL_ERRORS = ("ConcurrencyConflict", "Disallowed", "ReferencedInUse", "UniquenessConflict")


def unions(names: Names, declared: Iterable[tuple[object, Source]]) -> Iterator[UnionSignature]:
    for item, source in declared:
        if isinstance(item, ast.PayloadUnion):
            yield UnionSignature(name=item.name, type=_united(names, item, source))
        elif isinstance(item, ast.Payload):
            _check_error_name(item, source)


def check_unions(names: Names, members: Iterable[object], source: Source) -> None:
    """The same for the unions of a context, whose names are written out where they stand."""
    for item in members:
        if isinstance(item, ast.PayloadUnion):
            _united(names, item, source)
        elif isinstance(item, ast.Payload):
            _check_error_name(item, source)


def _united(names: Names, declared: ast.PayloadUnion, source: Source) -> UnionType | None:
    source.declare(declared.at, declared.name)
    return TypeScope(names, source).united(_plain(names, source, declared), Position.OPERATION_RESULT)


def _check_error_name(declared: ast.Payload, source: Source) -> None:
    if declared.kind is ast.PayloadKind.ERROR and declared.name in STRUCTURAL_ERRORS:
        source.report(ReservedStructuralErrorName(at=source.place(declared.at), name=declared.name))


def _plain(names: Names, source: Source, declared: ast.PayloadUnion) -> tuple[ast.TypeRef, ...]:
    """The variants that are no unions themselves."""
    kept = []
    for item in declared.variants:
        if TypeScope(names, source).is_union(item.name):
            at = source.place(item.at)
            source.report(TypeNotAllowed(at=at, found="a union", where=Position.VARIANT.value))
        else:
            kept.append(item)
    return tuple(kept)
