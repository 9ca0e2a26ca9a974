"""Which other contexts a context names: exactly those whose signatures its lowering depends on.

In: a context, and the names that all contexts show. Out: names of contexts, sorted.
Never: a name that the context declares itself, nor a look at every context.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from loom.base import Value
from loom.lower.mentions import walk
from loom.lower.signature import ContextSignature
from loom.parse import ast


class Shown(Value):
    """What contexts show to each other: names in order, and beside each the contexts that declare it."""

    names: tuple[str, ...]
    contexts: tuple[tuple[str, ...], ...]

    def declaring(self, name: str) -> tuple[str, ...]:
        """The contexts that declare `name`."""
        index = bisect_left(self.names, name)
        return self.contexts[index] if index < len(self.names) and self.names[index] == name else ()


def shown(signatures: Sequence[ContextSignature]) -> Shown:
    """Who names an event depends on those too whose ids it holds."""
    found: dict[str, dict[str, None]] = {}
    for item in signatures:
        for name in _shown(item):
            found.setdefault(name, {})[item.name] = None
    held = [(event, owner) for event, aggregate in _carried(signatures) for owner in found.get(aggregate, ())]
    for event, owner in held:
        found.setdefault(event, {})[owner] = None
    names = tuple(sorted(found))
    return Shown(names=names, contexts=tuple(tuple(found[name]) for name in names))


def named_contexts(context: ast.Context, known: Shown) -> tuple[str, ...]:
    """The contexts that declare something which `context` names and does not declare."""
    wanted = set(_names(context)) - {item.name for item in context.members if not isinstance(item, ast.Unnamed)}
    found = {owner for name in wanted for owner in known.declaring(name)}
    return tuple(sorted(found - {context.name}))


def _shown(signature: ContextSignature) -> Iterator[str]:
    yield from (item.name for item in signature.aggregates)
    yield from signature.types
    yield from (item.name for item in signature.events)
    yield from signature.repositories


def _carried(signatures: Iterable[ContextSignature]) -> Iterator[tuple[str, str]]:
    """Events, each with whose ids it holds that its own context does not declare."""
    for item in signatures:
        for event in item.events:
            yield from ((event.name, field.type) for field in event.fields if field.is_id and not field.kind)


def _names(context: ast.Context) -> Iterator[str]:
    for member in context.members:
        yield from _type_names(member)
        if isinstance(member, ast.Seed):
            yield from (item.aggregate for item in member.rows)
        if isinstance(member, ast.Channel):
            yield from (item.name for item in member.carries)
        if isinstance(member, ast.Handler):
            yield from _receivers(member.body or ())
        for part in member.members if isinstance(member, ast.Workflow | ast.DomainService) else ():
            if isinstance(part, ast.WorkflowCreate | ast.Reactor | ast.ServiceOperation):
                yield from _receivers(part.body)


def _type_names(member: object) -> Iterator[str]:
    """Of all that `member` holds, whatever the depth."""
    waiting = [member]
    while waiting:
        item = waiting.pop()
        inner = _inside(item)
        waiting += inner
        if not inner:
            yield from _own_types(item)


def _inside(member: object) -> tuple[object, ...]:
    match member:
        case ast.Property() | ast.Derived() | ast.Parameter():
            return ()
        case ast.Aggregate() | ast.ValueObject() | ast.EntityPart() | ast.Workflow() | ast.System():
            return member.members
        case ast.DomainService():
            return member.members
        case ast.Projection():
            return (*member.fields, *member.folds, *member.parameters)
        case ast.Event() | ast.Payload():
            return member.fields
        case ast.Repository():
            return member.finds
        case _:
            return ()


def _own_types(member: object) -> Iterator[str]:  # noqa: C901 - one case a kind
    match member:
        case ast.Property(type=type_) | ast.Containment(type=type_) | ast.Derived(type=type_):
            yield from _written(type_)
        case ast.Parameter(type=type_):
            yield from _written(type_)
        case ast.Reactor(event=event):
            yield event.name
        case ast.PayloadUnion(variants=variants):
            for variant in variants:
                yield from _written(variant)
        case ast.Operation() | ast.Find() | ast.Function() | ast.WorkflowCreate() | ast.Handler():
            yield from (item.type.name for item in member.parameters)
            yield from _written(member.returns)
        case ast.ServiceOperation() | ast.PolicyFunction():
            yield from (item.type.name for item in member.parameters)
            yield from _written(member.returns)
        case (
            ast.Create(parameters=given)
            | ast.Destroy(parameters=given)
            | ast.Criterion(parameters=given)
            | ast.Retrieval(parameters=given)
        ):
            yield from (item.type.name for item in given)


def _written(ref: ast.TypeRef | None) -> Iterator[str]:
    if ref is not None:
        yield ref.name
        yield from (item.name for item in ref.others)


def _receivers(body: Iterable[ast.Statement]) -> Iterator[str]:
    """The bare names before a call: repositories of other contexts are refused by name."""
    for statement in walk(body):
        match statement:
            case ast.Let(value=value) | ast.Evaluate(value=value) | ast.For(source=value) | ast.IfLet(source=value):
                match value.target if isinstance(value, ast.Ignoring) else value:
                    case ast.Call(callee=ast.Member(target=ast.Name(name=name))):
                        yield name
