"""Type names of one context: what kind of declaration each stands for, and who else declares it.

In: the syntax tree of the context and the signatures around it. Out: dictionaries.
Never: a type or a member.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

import msgspec

from loom.base import Diagnostic
from loom.ir.types import UnionType
from loom.lower.events import EventSignature
from loom.lower.expansion.inheritance import aggregates_of, shared_bases
from loom.lower.problems.names import (
    DuplicateContextType,
    EnumShadowsRoot,
    PayloadNameConflict,
    ValueobjectShadowsRoot,
)
from loom.lower.problems.workflows import WorkflowNameCollision
from loom.lower.scope.source import Source
from loom.lower.signature import ContextSignature, ResourceSignature, SharedSignature
from loom.parse import ast


class Kind(StrEnum):
    """What a type name stands for; the text is for messages."""

    ENUM = "enum"
    VALUE_OBJECT = "value object"
    AGGREGATE = "aggregate"
    ABSTRACT = "abstract aggregate"
    EVENT = "event"
    RECORD = "record"
    UNION = "union"
    CRITERION = "criterion"
    RETRIEVAL = "retrieval"
    POLICY = "policy"
    SERVICE = "domain service"
    PROJECTION = "projection"
    UNSUPPORTED = "unsupported declaration"


class ForeignEvent(NamedTuple):
    context: str
    event: EventSignature


class Names(msgspec.Struct, frozen=True):
    """`parts` maps a part to the aggregates that own one of that name; `foreign` an aggregate to contexts."""

    context: str
    local: Mapping[str, Kind]
    root: Mapping[str, Kind]
    parts: Mapping[str, tuple[str, ...]]
    foreign: Mapping[str, tuple[str, ...]]
    foreign_types: Mapping[str, str]
    foreign_repositories: Mapping[str, str]
    foreign_events: Mapping[str, ForeignEvent] = msgspec.field(default_factory=dict)
    resources: Mapping[str, ResourceSignature] = msgspec.field(default_factory=dict)
    channels: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    capabilities: frozenset[str] = frozenset()
    test_cases: frozenset[str] = frozenset()
    shared_bases: Mapping[str, str] = msgspec.field(default_factory=dict)
    unions: Mapping[str, tuple[ast.TypeRef, ...]] = msgspec.field(default_factory=dict)
    root_unions: Mapping[str, UnionType] = msgspec.field(default_factory=dict)

    def is_unsupported(self, name: str) -> bool:
        """Whether `name` is declared, but by something that Loom cannot compile yet."""
        return Kind.UNSUPPORTED in (self.local.get(name), self.root.get(name))

    def owners_of(self, part: str) -> tuple[str, ...]:
        """The aggregates with rows of `part`: those that extend an abstract owner have it as their own."""
        owners = self.parts.get(part, ())
        return tuple(item for item in owners if self.local.get(item) is not Kind.ABSTRACT) or owners

    def known(self) -> Iterable[str]:
        """Everything that a type may be called here, for suggestions."""
        return [*self.local, *self.root, *self.parts, *self.foreign]


def names_of(
    context: ast.Context, source: Source, shared: SharedSignature, signatures: Iterable[ContextSignature]
) -> Names:
    root = root_names(shared)
    others = [item for item in signatures if item.name != context.name]
    local = _local(context, source, root)
    return Names(
        context=context.name,
        local=local,
        root=root,
        parts=_parts(context, source, local),
        foreign=foreign_aggregates(others),
        foreign_types=foreign_types(others),
        foreign_repositories={name: item.name for item in others for name in item.repositories},
        foreign_events={event.name: ForeignEvent(item.name, event) for item in others for event in item.events},
        shared_bases=shared_bases(aggregates_of(context)),
        channels=carriers(context, others),
        resources={item.name: item for item in shared.resources if item.context == context.name},
        capabilities=frozenset(item.name for item in shared.capabilities),
        test_cases=frozenset(shared.test_cases),
        unions=unions_of(context.members),
        root_unions={item.name: item.type for item in shared.unions if item.type is not None},
    )


def unions_of(members: Iterable[object]) -> dict[str, tuple[ast.TypeRef, ...]]:
    """What each declared union is written as, the first of each name."""
    found: dict[str, tuple[ast.TypeRef, ...]] = {}
    for item in members:
        if isinstance(item, ast.PayloadUnion):
            found.setdefault(item.name, item.variants)
    return found


def root_names(shared: SharedSignature) -> dict[str, Kind]:
    unsupported = {name: Kind.UNSUPPORTED for name in shared.unsupported}
    value_objects = {item.name: Kind.VALUE_OBJECT for item in shared.value_objects}
    records = {item.name: Kind.RECORD for item in shared.records} | {item.name: Kind.UNION for item in shared.unions}
    return unsupported | value_objects | records | {item.name: Kind.ENUM for item in shared.enums}


def foreign_aggregates(others: Iterable[ContextSignature]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for item in others:
        for aggregate in item.aggregates:
            found[aggregate.name] = (*found.get(aggregate.name, ()), item.name)
    return found


def carriers(context: ast.Context, others: Iterable[ContextSignature]) -> dict[str, tuple[str, ...]]:
    """The channels that carry each event."""
    own = [(item.name, [ref.name for ref in item.carries]) for item in context.members if isinstance(item, ast.Channel)]
    foreign = [(channel.name, list(channel.carries)) for item in others for channel in item.channels]
    found: dict[str, dict[str, None]] = {}
    for channel, events in (*own, *foreign):
        for event in events:
            found.setdefault(event, {})[channel] = None
    return {event: tuple(names) for event, names in found.items()}


def foreign_types(others: Iterable[ContextSignature]) -> dict[str, str]:
    """The contexts of types that other contexts may not use."""
    return {
        name: item.name
        for item in others
        for name in (*item.types, *item.errors, *(event.name for event in item.events))
    }


def kind_of(member: ast.ContextMember) -> Kind | None:  # noqa: C901 - one case a kind
    """The kind of type that `member` declares, if it declares one."""
    match member:
        case ast.Enum():
            return Kind.ENUM
        case ast.ValueObject():
            return Kind.VALUE_OBJECT
        case ast.Aggregate():
            return Kind.ABSTRACT if member.is_abstract else Kind.AGGREGATE
        case ast.Event():
            return Kind.EVENT
        case ast.Payload():
            return Kind.RECORD
        case ast.PayloadUnion():
            return Kind.UNION
        case ast.Criterion():
            return Kind.CRITERION
        case ast.Retrieval():
            return Kind.RETRIEVAL
        case ast.PolicyFunction():
            return Kind.POLICY
        case ast.DomainService():
            return Kind.SERVICE
        case ast.Projection():
            return Kind.PROJECTION
        case ast.Unsupported(name=name):
            return Kind.UNSUPPORTED if name else None
        case _:
            return None


def _local(context: ast.Context, source: Source, root: Mapping[str, Kind]) -> dict[str, Kind]:
    local: dict[str, Kind] = {}
    for member in context.members:
        kind = kind_of(member)
        if kind is None or isinstance(member, ast.Repository | ast.Workflow | ast.Unnamed):
            continue
        if member.name in local:
            source.report(_doubled(member, context.name, source))
        elif member.name in root and (problem := _shadows(member, source)):
            source.report(problem)
        local.setdefault(member.name, kind)
    _collisions(context, source, local)
    return local


def _doubled(member: ast.ContextMember, context: str, source: Source) -> Diagnostic:
    name = "" if isinstance(member, ast.Unnamed) else member.name
    if isinstance(member, ast.Payload | ast.PayloadUnion):
        return PayloadNameConflict(at=source.place(member.at), name=name, where=f"context `{context}`")
    return DuplicateContextType(at=source.place(member.at), name=name, context=context)


def _shadows(member: ast.ContextMember, source: Source) -> Diagnostic | None:
    match member:
        case ast.Enum():
            return EnumShadowsRoot(at=source.place(member.at), name=member.name)
        case ast.ValueObject():
            return ValueobjectShadowsRoot(at=source.place(member.at), name=member.name)
        case _:
            return None


def _collisions(context: ast.Context, source: Source, local: Mapping[str, Kind]) -> None:
    """A workflow shares the namespace of its context; only its own command record may be called like it."""
    taken = {name for name, kind in local.items() if kind is not Kind.RECORD}
    taken |= {item.name for item in context.members if isinstance(item, ast.Repository)}
    for member in context.members:
        if isinstance(member, ast.Workflow) and member.name in taken:
            at = source.place(member.at)
            source.report(WorkflowNameCollision(at=at, name=member.name, context=context.name))


def _parts(context: ast.Context, source: Source, local: Mapping[str, Kind]) -> dict[str, tuple[str, ...]]:
    """The owners of each part; two aggregates may own one of a name, but no type may share it."""
    found: dict[str, tuple[str, ...]] = {}
    for aggregate in context.members:
        for part in aggregate.members if isinstance(aggregate, ast.Aggregate) else ():
            if not isinstance(part, ast.EntityPart) or not isinstance(aggregate, ast.Aggregate):
                continue
            if part.name in local:
                at = source.place(part.at)
                source.report(DuplicateContextType(at=at, name=part.name, context=context.name))
            found[part.name] = (*found.get(part.name, ()), aggregate.name)
    return found
