"""Requirements, solutions and test cases: whether all that they name is there.

In: their declarations, the signatures of all contexts and the names of the system. Out: IR traces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from loom.base import nearest
from loom.ir import traceability as ir
from loom.lower.problems.names import LinkingError
from loom.lower.problems.system import DuplicateDeclaration, MissingClause
from loom.lower.scope.source import Source
from loom.lower.signature import ContextSignature, OperationSignature
from loom.parse import ast

Declared = ast.Requirement | ast.Solution | ast.TestCase
Written = tuple[Source, Declared]
_KINDS = {ast.Requirement: "requirement", ast.Solution: "solution", ast.TestCase: "test case"}
_NEEDED = ("type", "title")


class Named(msgspec.Struct, frozen=True):
    """What a path may name: contexts by the subdomain that holds them, if one does, and deployables and apis."""

    subdomains: Mapping[str, tuple[str, ...]]
    contexts: Mapping[str, ContextSignature]
    others: frozenset[str]


def traces(declared: Iterable[Written], named: Named) -> tuple[ir.Trace, ...]:
    kept: dict[str, Written] = {}
    for source, item in declared:
        if item.name in kept:
            kind = _KINDS[type(item)]
            source.report(DuplicateDeclaration(at=source.place(item.at), kind=kind, name=item.name))
        else:
            kept[item.name] = (source, item)
            source.declare(item.at, item.name)
    required = [name for name, (_, item) in kept.items() if isinstance(item, ast.Requirement)]
    return tuple(_trace(source, item, required, named) for source, item in kept.values())


def _trace(source: Source, item: Declared, required: list[str], named: Named) -> ir.Trace:
    settings = {setting.name: _text(setting.value) for setting in item.settings}
    if isinstance(item, ast.Requirement):
        parent = _requirement(source, item.parent, required) if item.parent is not None else ""
        for clause in _NEEDED:
            if not settings.get(clause):
                at = source.place(item.at)
                source.report(MissingClause(at=at, kind="requirement", name=item.name, clause=clause))
        return ir.Requirement(name=item.name, parent=parent, settings=tuple(settings.items()))
    kind = ir.Solution if isinstance(item, ast.Solution) else ir.TestCase
    for part in item.parts:
        _check_path(source, part, named)
    return kind(
        name=item.name,
        requirement=_requirement(source, item.requirement, required),
        title=settings.get("title", ""),
        parts=tuple(part.name for part in item.parts),
    )


def _text(value: str | int | bool | ast.NameRef) -> str:
    return (
        value.name if isinstance(value, ast.NameRef) else str(value).lower() if isinstance(value, bool) else str(value)
    )


def _requirement(source: Source, ref: ast.NameRef, known: list[str]) -> str:
    if ref.name not in known:
        at = source.place(ref.at)
        source.report(LinkingError(at=at, kind="requirement", name=ref.name, nearest=nearest(ref.name, known)))
    return ref.name


def _check_path(source: Source, ref: ast.NameRef, named: Named) -> None:
    """Reports the first segment that names nothing within those before it."""
    segments = ref.name.split(".")
    if len(segments) == 1 and segments[0] in named.others:
        return
    known: Mapping[str, object] = {**named.subdomains, **named.contexts}
    for position, segment in enumerate(segments):
        if segment not in known:
            names = [*known, *(named.others if position == 0 else ())]
            near = nearest(segment, names)
            nearby = ".".join([*segments[:position], near]) if near else ""
            found = ".".join(segments[: position + 1])
            source.report(LinkingError(at=source.place(ref.at), kind="declaration", name=found, nearest=nearby))
            return
        known = dict(_inside(known[segment], named))


def _inside(item: object, named: Named) -> Iterator[tuple[str, object]]:
    """What may follow: contexts of a subdomain, members of a context; operations, finds and creates hold nothing."""
    match item:
        case ContextSignature():
            yield from ((aggregate.name, aggregate.operations) for aggregate in item.aggregates)
            yield from ((workflow.name, workflow.creates) for workflow in item.workflows)
            yield from ((name, _finds(item)) for name in item.repositories)
            yield from ((name, ()) for name in (*item.types, *(event.name for event in item.events), *item.later))
        case tuple():
            for inner in item:
                yield (inner, named.contexts.get(inner, ())) if isinstance(inner, str) else (inner.name, ())


def _finds(context: ContextSignature) -> tuple[OperationSignature, ...]:
    """Every find of the context: a signature does not say whose repository each is."""
    return tuple(find for item in context.aggregates for find in item.finds)
