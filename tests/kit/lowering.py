"""A whole model lowered at once, as the steps of the compiler do it one by one.

In: the syntax trees of files by path. Out: everything that lowering and validation say about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loom.base import LAYOUTS, Diagnostic, Facts, Feature, Severity, Style
from loom.lower import (
    ContextSignature,
    LoweredContext,
    LoweredShared,
    LoweredSystem,
    lower_context,
    lower_shared,
    lower_system,
    named_contexts,
    shown,
    signature,
)
from loom.lower.expansion import expand
from loom.lower.signature import capabilities_of
from loom.parse import ast
from loom.plan import features
from loom.validate import validate_context, validate_shared, validate_system, validate_wiring

_ROWS = Style(persistence="sqlalchemy", layouts=LAYOUTS)
_MAPPED = Style(persistence="mapped", layouts=("byLayer",))
_QUERIES = Style(persistence="drizzle", layouts=LAYOUTS)
_OBJECTS = Style(persistence="mikroorm", layouts=LAYOUTS)
PLATFORMS = {
    "python": Facts(
        name="python", default_port=8000, internal_port=8000, supports=frozenset(Feature), styles=(_ROWS, _MAPPED)
    ),
    "node": Facts(
        name="node", default_port=3000, internal_port=3000, supports=frozenset(Feature), styles=(_QUERIES, _OBJECTS)
    ),
}


@dataclass(frozen=True)
class Lowered:
    """`system` is None for a model that says nothing about one."""

    shared: LoweredShared
    contexts: tuple[LoweredContext, ...]
    system: LoweredSystem | None
    signatures: tuple[ContextSignature, ...]

    def diagnostics(self) -> list[Diagnostic]:
        parts = [self.shared.diagnostics, *(item.diagnostics for item in self.contexts)]
        parts += [self.system.diagnostics] if self.system is not None else []
        return [problem for part in parts for problem in part]

    def validated(self) -> list[Diagnostic]:
        found = list(validate_shared(self.shared))
        for item in self.contexts:
            found += validate_context(item, self.shared.signature)
        if self.system is not None:
            uses = {item.context.name: item.uses for item in self.contexts}
            found += validate_system(self.system, PLATFORMS)
            if not any(item.severity is Severity.ERROR for item in self.system.diagnostics):
                found += validate_wiring(self.system, self.signatures, uses)
        return found

    def unplanned(self) -> list[Diagnostic]:
        """Every use of what no Plan can say yet."""
        uses = [self.shared.uses, *(item.uses for item in self.contexts)] + (
            [self.system.uses] if self.system is not None else []
        )
        return [problem for item in uses for problem in features.check(item)[1]]

    def context(self, name: str) -> LoweredContext:
        return next(item for item in self.contexts if item.context.name == name)


def lower_files(files: Mapping[str, ast.File]) -> Lowered:
    declared = [(path, context) for path, file in files.items() for context in contexts_of(file)]
    signatures = tuple(signature(context) for _, context in declared)
    outside = tuple(files.items())
    shared = lower_shared(outside, signatures)
    contexts = []
    known = shown(signatures)
    for path, context in declared:
        named = named_contexts(expand(context, capabilities_of(shared.signature)), known)
        seen = tuple(item for item in signatures if item.name in named)
        contexts.append(lower_context(context, path, shared.signature, seen))
    system = lower_system(outside, signatures, shared.signature) if _has_system(files) else None
    return Lowered(shared, tuple(contexts), system, signatures)


def contexts_of(file: ast.File) -> Iterator[ast.Context]:
    """Every context of a file, wherever it stands."""
    waiting: list[object] = list(reversed(file.members))
    while waiting:
        member = waiting.pop()
        if isinstance(member, ast.Context):
            yield member
        elif isinstance(member, ast.System | ast.Subdomain):
            waiting += reversed(member.members)


def _has_system(files: Mapping[str, ast.File]) -> bool:
    """Whether anything stands outside contexts but types, functions and tests."""
    plain = (ast.Context, ast.Enum, ast.ValueObject, ast.Function, ast.Payload, ast.Migration, ast.Test)
    return any(not isinstance(member, plain) for file in files.values() for member in file.members)
