"""Which events a context declares, which of them it tells, and which it hears.

In: the syntax tree of one context. Out: signatures and names of events.
Never: a look at other contexts: what is declared elsewhere is known by its name alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from loom.base import Value
from loom.ir.types import ScalarKind
from loom.lower.mentions import walk
from loom.parse import ast

_TYPES = (ast.Event, ast.Payload, ast.Enum, ast.ValueObject)
_SCALARS = frozenset(kind.value for kind in ScalarKind)
Kind = Literal["", "enum", "value", "aggregate", "part"]
_ELSEWHERE: tuple[Kind, str] = ("", "")


class FieldSignature(Value):
    """A field as written: `kind` says what `type` is in that context, and is empty where it is declared elsewhere.

    `owner` is the aggregate of a part.
    """

    name: str
    type: str
    kind: Kind
    owner: str
    is_id: bool
    is_list: bool
    is_optional: bool


class EventSignature(Value):
    """What a context tells others with an event; fields of a type that no event has are left out."""

    name: str
    fields: tuple[FieldSignature, ...]


def events_of(context: ast.Context) -> tuple[EventSignature, ...]:
    """The events that the context declares, as others see them."""
    kinds = dict(_kinds(context))
    return tuple(
        EventSignature(name=item.name, fields=tuple(_field(field, kinds) for field in item.fields if _is_plain(field)))
        for item in context.members
        if isinstance(item, ast.Event)
    )


def _kinds(context: ast.Context) -> Iterator[tuple[str, tuple[Kind, str]]]:
    """What each type name of the context stands for; the owner of a part besides."""
    for item in reversed(context.members):
        match item:
            case ast.Enum(name=name):
                yield name, ("enum", "")
            case ast.ValueObject(name=name):
                yield name, ("value", "")
            case ast.Aggregate(name=name, members=members):
                yield from ((part.name, ("part", name)) for part in members if isinstance(part, ast.EntityPart))
                yield name, ("aggregate", "")


def _is_plain(declared: ast.Property) -> bool:
    return not declared.type.carriers and not declared.type.others


def _field(declared: ast.Property, kinds: Mapping[str, tuple[Kind, str]]) -> FieldSignature:
    written = declared.type
    kind, owner = kinds.get(written.name, _ELSEWHERE)
    return FieldSignature(
        name=declared.name,
        type=written.name,
        kind=kind,
        owner=owner,
        is_id=written.is_id,
        is_list=written.is_list,
        is_optional=written.is_optional,
    )


def emitted(context: ast.Context) -> tuple[str, ...]:
    """The events that bodies of the context emit, sorted; what tests emit is told to nobody."""
    told = (node.event for body in _bodies(context) for node in walk(body) if isinstance(node, ast.Emit))
    return tuple(sorted(set(told)))


def _bodies(context: ast.Context) -> Iterator[tuple[ast.Statement, ...]]:
    for item in context.members:
        match item:
            case ast.Handler(body=body):
                yield body or ()
            case ast.Aggregate(members=members):
                yield from (one.body for one in members if isinstance(one, ast.Operation | ast.Create | ast.Destroy))
            case ast.Workflow(members=members):
                yield from (one.body for one in members if isinstance(one, ast.WorkflowCreate | ast.Reactor))


def heard(context: ast.Context) -> tuple[str, ...]:
    """The events that start or continue workflows of the context, or that its projections fold, sorted."""
    found: set[str] = set()
    types = declared_types(context)
    for item in context.members:
        if isinstance(item, ast.Projection):
            found.update(fold.event.name for fold in item.folds)
        for member in item.members if isinstance(item, ast.Workflow) else ():
            if isinstance(member, ast.Reactor):
                found.add(member.event.name)
            if isinstance(member, ast.WorkflowCreate):
                found.update(started_by(types, member))
    return tuple(sorted(found))


def declared_types(context: ast.Context) -> Mapping[str, ast.ContextMember]:
    """The types of the context by name."""
    return {item.name: item for item in context.members if isinstance(item, _TYPES)}


def started_by(declared: Mapping[str, ast.ContextMember], create: ast.WorkflowCreate) -> Iterator[str]:
    """The event that starts it, if one does; `declared` are the types of its context.

    Of another context's, `by` tells that it is one.
    """
    for item in create.parameters:
        written = item.type
        if written.is_id or written.name in _SCALARS:
            continue
        known = declared.get(written.name)
        if isinstance(known, ast.Event) or (known is None and create.by is not None):
            yield written.name
