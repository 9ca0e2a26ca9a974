"""Names that differ as written and are one once a target spells them.

In: a context or the root, and where its declarations stand. Out: NameCollision.
Never: names that are equal as written; lowering reports those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Diagnostic, descendants, pascal, words
from loom.ir import program as ir
from loom.ir.expressions import VariantCase
from loom.ir.members import Parameter
from loom.ir.statements import (
    CreateInstance,
    ForEach,
    IfLet,
    Invoke,
    InvokeService,
    Let,
    Load,
    MatchVariants,
    Statement,
    UseResource,
)
from loom.lower.bodies.nested import every_statement
from loom.validate.problems import NameCollision
from loom.validate.where import Where

Path = tuple[str, ...]


def bindings(context: ir.Context, where: Where) -> Iterator[Diagnostic]:
    """What a body binds, with its parameters."""
    for aggregate in context.aggregates:
        yield from _commands(aggregate, where)
    for workflow in context.workflows:
        yield from _entries(workflow, where)
    for service in context.services:
        for called in service.operations:
            yield from _bound(called.parameters, called.body, (service.name, called.name), where)
    for handler in context.handlers:
        yield from _bound(handler.parameters, handler.body or (), (handler.name,), where)


def _commands(aggregate: ir.Aggregate, where: Where) -> Iterator[Diagnostic]:
    fields = frozenset(item.name for item in aggregate.properties)
    for operation in aggregate.operations:
        yield from _bound(operation.parameters, operation.body, (aggregate.name, operation.name), where, fields)
    for function in aggregate.functions:
        yield from _bound(function.parameters, function.body, (aggregate.name, function.name), where)
    for made, name in ((aggregate.create, "create"), (aggregate.destroy, "destroy")):
        if made is not None:
            yield from _bound(made.parameters, made.body, (aggregate.name, name), where, fields)


def _entries(workflow: ir.Workflow, where: Where) -> Iterator[Diagnostic]:
    for entry in workflow.creates:
        yield from _bound(entry.parameters, entry.body, (workflow.name, entry.name or "create"), where)
    for reaction in (*workflow.starters, *workflow.reactors):
        yield from _bound((), reaction.body, (workflow.name, reaction.name or "create"), where)


def types(context: ir.Context, root: Iterable[str], where: Where) -> Iterator[Diagnostic]:
    """The types and repositories of a context together with the types of the root, and the workflows."""
    names = [
        *(item.name for item in context.enums),
        *(item.name for item in context.value_objects),
        *(item.name for item in context.events),
        *(item.name for item in context.records),
        *(item.name for item in context.aggregates),
        *(item.repository for item in context.aggregates),
    ]
    names += [item.name for item in context.services]
    workflows = [item.name for item in context.workflows]
    yield from _collisions(workflows, f"context `{context.name}`", (), where)
    yield from _collisions(names, f"context `{context.name}`", (), where, list(root))


def members(context: ir.Context, where: Where) -> Iterator[Diagnostic]:
    """Fields, derived values, functions, operations and parameters of everything that has some."""
    for enum in context.enums:
        yield from enum_values(enum, where)
    for value in context.value_objects:
        yield from value_object(value, where)
    for event in context.events:
        yield from _fields(event.name, event.fields, where)
    for record in context.records:
        yield from _fields(record.name, record.fields, where)
    for aggregate in context.aggregates:
        yield from _aggregate(aggregate, where)
    for workflow in context.workflows:
        creates = [item.name for item in workflow.creates if item.name]
        started = [item.name for item in workflow.starters if item.name]
        names = [*creates, *started, *[item.name for item in workflow.functions]]
        yield from _collisions(names, f"workflow `{workflow.name}`", (workflow.name,), where)
        fields = [item.name for item in workflow.state]
        yield from _collisions(fields, f"the state of `{workflow.name}`", (workflow.name,), where)


def _fields(owner: str, fields: Iterable[ir.Property], where: Where) -> Iterator[Diagnostic]:
    yield from _collisions([item.name for item in fields], f"`{owner}`", (owner,), where)


def _members(owner: ir.Aggregate | ir.Part) -> list[str]:
    return [
        "id",
        *(item.name for item in owner.properties),
        *(item.name for item in owner.containments),
        *(item.name for item in owner.derived),
        *(item.name for item in owner.functions),
    ]


def enum_values(enum: ir.Enum, where: Where) -> Iterator[Diagnostic]:
    seen: dict[tuple[str, ...], str] = {}
    for name in enum.values:
        other = seen.setdefault(words(name), name)
        if other != name:
            yield NameCollision(at=where(enum.name, name), name=name, other=other, owner=f"enum `{enum.name}`")


def value_object(value: ir.ValueObject, where: Where) -> Iterator[Diagnostic]:
    own = [
        *(item.name for item in value.properties),
        *(item.name for item in value.derived),
        *(item.name for item in value.functions),
    ]
    yield from _collisions(own, f"`{value.name}`", (value.name,), where)


def _aggregate(aggregate: ir.Aggregate, where: Where) -> Iterator[Diagnostic]:
    probes = [f"can_{item.name}" for item in aggregate.operations if item.when is not None]
    names = ["version", *_members(aggregate), *(item.name for item in aggregate.operations)]
    for probe in sorted(set(probes) & set(names)):
        yield NameCollision(at=where(aggregate.name, probe), name=probe, other=probe, owner=f"`{aggregate.name}`")
    names += probes
    yield from _collisions(names, f"`{aggregate.name}`", (aggregate.name,), where)
    parts = [item.name for item in aggregate.parts]
    yield from _collisions(parts, f"`{aggregate.name}`", (aggregate.name,), where)
    for part in aggregate.parts:
        path = (aggregate.name, part.name)
        yield from _collisions(_members(part), f"`{part.name}`", path, where)
    finds = [item.name for item in aggregate.finds]
    yield from _collisions(finds, f"`{aggregate.repository}`", (aggregate.repository,), where)
    for find in aggregate.finds:
        yield from _parameters(find.parameters, (aggregate.repository, find.name), where)


def _parameters(parameters: Iterable[Parameter], path: Path, where: Where) -> Iterator[Diagnostic]:
    names = [item.name for item in parameters]
    yield from _collisions(names, f"`{'.'.join(path)}`", path, where)


def _bound(
    parameters: Iterable[Parameter],
    body: Iterable[Statement],
    path: Path,
    where: Where,
    fields: frozenset[str] = frozenset(),
) -> Iterator[Diagnostic]:
    """`fields` of one spelling are reported where they are declared, not again where parameters are made of them."""
    names = [item.name for item in parameters]
    for node in every_statement(body):
        match node:
            case Let(name=name) | ForEach(name=name) | IfLet(name=name) | Load(name=name) | CreateInstance(name=name):
                names.append(name)
            case Invoke(bind=name) | InvokeService(bind=name) | UseResource(bind=name):
                names.append(name)
            case MatchVariants(cases=cases):
                names += [item.name for item in cases]
    names += [item.name for item in descendants(tuple(body)) if isinstance(item, VariantCase)]
    found = _collisions(filter(None, names), f"`{'.'.join(path)}`", path, where)
    yield from (item for item in found if not {item.name, item.other} <= fields)


def _collisions(
    names: Iterable[str], owner: str, path: Path, where: Where, known: Iterable[str] = ()
) -> Iterator[NameCollision]:
    seen = {pascal(words(name)): name for name in known}
    for name in names:
        other = seen.setdefault(pascal(words(name)), name)
        if other != name:
            yield NameCollision(at=where(*path, name), name=name, other=other, owner=owner)
