"""Shapes: what may be said about a declaration before any of its bodies is lowered.

In: built by `tables`. Out: dictionaries that every lookup uses.
Never: an expression; defaults are kept as written until somebody needs them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from loom.ir.expressions import Expr, FieldKind, FunctionScope
from loom.ir.program import Access
from loom.ir.services import Tier
from loom.ir.types import IdType, Ref, Type
from loom.parse import ast

Tags = frozenset[str]


class MemberShape(msgspec.Struct, frozen=True):
    """A field of an instance; `type` is None when its declaration names something unknown.

    `tags` say how sensitive it is; a derived value is what it is computed from.
    """

    name: str
    type: Type | None
    kind: FieldKind
    access: Access = Access.EDITABLE
    default: ast.Expression | None = None
    lowered_default: Expr | None = None
    tags: Tags = frozenset()

    @property
    def has_default(self) -> bool:
        return self.default is not None or self.lowered_default is not None


class ParameterShape(msgspec.Struct, frozen=True):
    name: str
    type: Type | None
    default: ast.Expression | None = None
    lowered_default: Expr | None = None

    @property
    def has_default(self) -> bool:
        return self.default is not None or self.lowered_default is not None


class FunctionShape(msgspec.Struct, frozen=True):
    """`tags` say how sensitive what it reads of its instance is."""

    name: str
    scope: FunctionScope
    owner: Ref
    parameters: tuple[ParameterShape, ...]
    returns: Type | None
    tags: Tags = frozenset()


class OperationShape(msgspec.Struct, frozen=True):
    """`mutates` is decided from the bodies, before they are lowered."""

    name: str
    parameters: tuple[ParameterShape, ...]
    returns: Type | None
    private: bool
    mutates: bool


class FindShape(msgspec.Struct, frozen=True):
    """`returns` is the result as declared: the aggregate, its optional, an array or a page of it."""

    name: str
    parameters: tuple[ParameterShape, ...]
    returns: Type | None
    where: ast.Expression | None = None


class InstanceShape(msgspec.Struct, frozen=True):
    """Anything with members: an aggregate, a part, a value object, an event, a record.

    `is_partial` when something that Loom does not understand yet adds members or rules: then nobody says what
    is missing.
    """

    type: Type
    name: str
    members: Mapping[str, MemberShape]
    functions: Mapping[str, FunctionShape]
    is_partial: bool = False

    def stored(self) -> list[MemberShape]:
        """What a builder fills, in declaration order."""
        return [item for item in self.members.values() if item.kind in _STORED]

    def key_fields(self) -> list[MemberShape]:
        """Of the state of a workflow: the fields that tell instances apart, of which a sound one has at most one."""
        return [item for item in self.members.values() if isinstance(item.type, IdType)]


_STORED = (FieldKind.PROPERTY, FieldKind.CONTAINMENT)


class AggregateShape(msgspec.Struct, frozen=True):
    """`inputs` are what its factory takes; None when a declaration among them is broken."""

    ref: Ref
    instance: InstanceShape
    parts: Mapping[str, InstanceShape]
    operations: Mapping[str, OperationShape]
    inputs: tuple[ParameterShape, ...]
    uniques: tuple[tuple[str, ...], ...]
    declaration: ast.Aggregate


class PredicateShape(msgspec.Struct, frozen=True):
    """A criterion or a policy. `target` is the aggregate that it is about, or empty.

    `condition` says `this` for its instance. An unsound one has been reported: who uses it says nothing more.
    """

    name: str
    parameters: tuple[ParameterShape, ...]
    target: str
    condition: ast.Expression
    declaration: ast.Criterion | ast.PolicyFunction
    is_sound: bool


class RetrievalShape(msgspec.Struct, frozen=True):
    """`target` is the aggregate that it reads; empty where that is wrong, which has been reported then."""

    name: str
    parameters: tuple[ParameterShape, ...]
    target: str
    declaration: ast.Retrieval


class RepositoryShape(msgspec.Struct, frozen=True):
    name: str
    aggregate: str
    finds: Mapping[str, FindShape]


class CommandShape(msgspec.Struct, frozen=True):
    """A handler, or a create of a workflow; `is_started` says that an event starts it."""

    name: str
    parameters: tuple[ParameterShape, ...]
    is_query: bool
    is_started: bool


class Commands(msgspec.Struct, frozen=True):
    """`workflows` holds the creates of each that a command starts; `by_place` all there is, by its token."""

    handlers: Mapping[str, CommandShape] = msgspec.field(default_factory=dict)
    workflows: Mapping[str, Mapping[str, CommandShape]] = msgspec.field(default_factory=dict)
    by_place: Mapping[int, CommandShape] = msgspec.field(default_factory=dict)


class ServiceOperationShape(msgspec.Struct, frozen=True):
    """`tier` and `changes`, the parameters whose aggregates change, are found in the bodies as written."""

    name: str
    parameters: tuple[ParameterShape, ...]
    returns: Type | None
    tier: Tier
    changes: frozenset[str]
    declaration: ast.ServiceOperation


class ServiceShape(msgspec.Struct, frozen=True):
    ref: Ref
    operations: Mapping[str, ServiceOperationShape]
    declaration: ast.DomainService


class Tables(msgspec.Struct, frozen=True):
    """Every name of one context, and of the root, by what it stands for."""

    context: str
    enums: Mapping[str, tuple[Ref, tuple[str, ...]]]
    enum_values: Mapping[str, tuple[Ref, ...]]
    value_objects: Mapping[str, InstanceShape] = msgspec.field(default_factory=dict)
    aggregates: Mapping[str, AggregateShape] = msgspec.field(default_factory=dict)
    bases: Mapping[str, AggregateShape] = msgspec.field(default_factory=dict)
    part_owners: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    events: Mapping[str, InstanceShape] = msgspec.field(default_factory=dict)
    foreign_events: Mapping[str, InstanceShape] = msgspec.field(default_factory=dict)
    records: Mapping[str, InstanceShape] = msgspec.field(default_factory=dict)
    errors: frozenset[Ref] = frozenset()
    repositories: Mapping[str, RepositoryShape] = msgspec.field(default_factory=dict)
    functions: Mapping[str, FunctionShape] = msgspec.field(default_factory=dict)
    predicates: Mapping[str, PredicateShape] = msgspec.field(default_factory=dict)
    retrievals: Mapping[str, RetrievalShape] = msgspec.field(default_factory=dict)
    commands: Commands = msgspec.field(default_factory=Commands)
    services: Mapping[str, ServiceShape] = msgspec.field(default_factory=dict)
    has_sensitive: bool = False
