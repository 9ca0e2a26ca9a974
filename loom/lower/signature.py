"""What a context shows to the rest of the model: the only part of it that others are lowered against.

In: the syntax tree of one context. Out: its signature.
Never: a resolved type, anything private, or more of a body than which events it tells; so most edits leave it equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loom.base import Value
from loom.ir.expressions import FunctionScope
from loom.ir.program import Property
from loom.ir.types import STRING, Ref, Type, UnionType
from loom.lower.events import EventSignature, declared_types, emitted, events_of, heard, started_by
from loom.lower.expansion import SUPPLIED, TENANT_CAPABILITIES, expand, is_update_only, tenant_owned
from loom.parse import ast
from loom.parse.codec import decode_node

# The macros that Loom expands, with the boolean arguments of each. `versioned` holds for every aggregate anyway.
EXPANDED: Mapping[str, tuple[str, ...]] = {
    "crudish": ("updateOnly",),
    "versioned": (),
    "softDelete": (),
    **{name: () for name in SUPPLIED},
}


class OperationSignature(Value):
    name: str
    parameters: tuple[str, ...]


class PartSignature(Value):
    name: str
    fields: tuple[str, ...]


class AggregateSignature(Value):
    """What end-to-end tests and ids may name. A `partial` one would have more routes if Loom understood it all."""

    name: str
    parts: tuple[PartSignature, ...]
    fields: tuple[str, ...]
    created: bool
    destroyed: bool
    sourced: bool
    operations: tuple[OperationSignature, ...]
    finds: tuple[OperationSignature, ...]
    partial: bool
    stances: tuple[str, ...] = ()


class WorkflowSignature(Value):
    """`creates` names the command entries; the canonical one is the empty name.

    A `stateful` one keeps instances, as rows unless they are `sourced`.
    """

    name: str
    creates: tuple[str, ...]
    stateful: bool
    sourced: bool


class HandlerSignature(Value):
    name: str
    query: bool
    parameters: tuple[str, ...]


class ChannelSignature(Value):
    name: str
    delivery: str
    retention: str
    carries: tuple[str, ...]


class ContextSignature(Value):
    """`later` names what Loom does not understand yet; `errors` are the records of that kind.

    `failures` are the names that results may be besides a value; `files` says whether a field keeps a file.
    `emitted` names its own events that its bodies tell, `heard` those, of any context, that its workflows react to or
    its projections fold; where some do, `folding` is true.
    """

    name: str
    types: tuple[str, ...]
    aggregates: tuple[AggregateSignature, ...]
    repositories: tuple[str, ...]
    events: tuple[EventSignature, ...]
    workflows: tuple[WorkflowSignature, ...]
    later: tuple[str, ...]
    handlers: tuple[HandlerSignature, ...] = ()
    errors: tuple[str, ...] = ()
    channels: tuple[ChannelSignature, ...] = ()
    failures: tuple[str, ...] = ()
    files: bool = False
    emitted: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()
    folding: bool = False


class EnumSignature(Value):
    name: str
    values: tuple[str, ...]


class FunctionSignature(Value):
    """A function of the root, or of one of its value objects; parameters carry their defaults."""

    name: str
    scope: FunctionScope
    parameters: tuple[Property, ...]
    returns: Type | None
    sensitive: tuple[str, ...] = ()


class DerivedSignature(Value):
    name: str
    type: Type | None
    sensitive: tuple[str, ...] = ()


class ValueObjectSignature(Value):
    """`fields` are without their checks: those are evaluated where the value object is declared."""

    name: str
    fields: tuple[Property, ...]
    derived: tuple[DerivedSignature, ...]
    functions: tuple[FunctionSignature, ...]


class RecordSignature(Value):
    name: str
    fields: tuple[Property, ...]
    error: bool


class UnionSignature(Value):
    """`type` is None for one with a mistake in it."""

    name: str
    type: UnionType | None


class CapabilitySignature(Value):
    """`tree` is the declaration as the parser encodes it: what is in it means what it means where it is taken on."""

    name: str
    tree: bytes


class ClaimSignature(Value):
    name: str
    type: Type | None


class PermissionSignature(Value):
    """`givers` are the permissions that include this one, itself first."""

    name: str
    givers: tuple[str, ...]


class SubdomainSignature(Value):
    name: str
    contexts: tuple[str, ...]
    permissions: tuple[PermissionSignature, ...]


class TenancySignature(Value):
    """`hierarchical` where tenants form trees."""

    claim: str
    type: Type | None
    registry: Ref
    hierarchical: bool


class MigrationSignature(Value):
    """The steps of one `migration` that are about `context`, as the parser encodes them; `file` is where they stand."""

    context: str
    file: str
    tree: bytes


class ResourceSignature(Value):
    """A resource that bodies of `context` may call; `storage` is its type, or empty for an api of the system."""

    name: str
    context: str
    kind: str
    storage: str


class SharedSignature(Value):
    """What the root of the model shows to every context; `unsupported` names broken capabilities.

    `claims` is None without a `user` block; subdomains without permissions are left out.
    """

    enums: tuple[EnumSignature, ...] = ()
    value_objects: tuple[ValueObjectSignature, ...] = ()
    records: tuple[RecordSignature, ...] = ()
    unions: tuple[UnionSignature, ...] = ()
    functions: tuple[FunctionSignature, ...] = ()
    capabilities: tuple[CapabilitySignature, ...] = ()
    test_cases: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    claims: tuple[ClaimSignature, ...] | None = None
    subdomains: tuple[SubdomainSignature, ...] = ()
    tenancy: TenancySignature | None = None
    default_deny: bool = False
    migrations: tuple[MigrationSignature, ...] = ()
    resources: tuple[ResourceSignature, ...] = ()


def capabilities_of(shared: SharedSignature) -> Mapping[str, ast.Capability]:
    """Those that the model declares, and the ones of the language that depend on its tenants."""
    found = {item.name: decode_node(item.tree, ast.Capability) for item in shared.capabilities}
    if shared.tenancy is not None and shared.tenancy.type == STRING:
        found["tenantOwned"] = tenant_owned(shared.tenancy.claim, hierarchical=shared.tenancy.hierarchical)
    return found


# What an end-to-end test may name, though no service has a route for it yet.
_UNSEEN = ast.Unsupported | ast.Projection


def signature(context: ast.Context) -> ContextSignature:
    """The signature of `context`; broken declarations in it are shown as far as they can be read.

    What the language supplies is written out; what the model's own capabilities add is not known here.
    """
    context = expand(context, {})
    finds = {item.aggregate.name: item for item in context.members if isinstance(item, ast.Repository)}
    declared = [item for item in context.members if isinstance(item, ast.Aggregate)]
    aggregates = [item for item in declared if not item.is_abstract]
    types = declared_types(context)
    return ContextSignature(
        name=context.name,
        types=tuple(
            item.name
            for item in context.members
            if isinstance(item, ast.Enum | ast.ValueObject) or (isinstance(item, ast.Aggregate) and item.is_abstract)
        ),
        aggregates=tuple(_aggregate(item, finds.get(item.name)) for item in aggregates),
        repositories=tuple(item.name for item in context.members if isinstance(item, ast.Repository)),
        events=events_of(context),
        workflows=tuple(_workflow(types, item) for item in context.members if isinstance(item, ast.Workflow)),
        later=tuple(item.name for item in context.members if isinstance(item, _UNSEEN) and item.name),
        handlers=tuple(_handlers(context)),
        channels=tuple(_channel(item) for item in context.members if isinstance(item, ast.Channel)),
        emitted=emitted(context),
        heard=heard(context),
        folding=any(isinstance(item, ast.Projection) and item.folds for item in context.members),
        errors=tuple(
            item.name
            for item in context.members
            if isinstance(item, ast.Payload) and item.kind is ast.PayloadKind.ERROR
        ),
        failures=tuple(dict.fromkeys(_failures(context))),
        files=any(map(_keeps_file, context.members)),
    )


def _failures(context: ast.Context) -> Iterator[str]:
    """The variants of all results, names of unions written out."""
    unions = {item.name: item.variants for item in context.members if isinstance(item, ast.PayloadUnion)}
    for returns in _results(context):
        for variant in (returns, *returns.others):
            yield from (inner.name for inner in unions.get(variant.name, (variant,)))


def _results(context: ast.Context) -> Iterator[ast.TypeRef]:
    for item in context.members:
        match item:
            case ast.Aggregate(members=members):
                found: tuple[object, ...] = members
            case ast.Repository(finds=finds):
                found = finds
            case _:
                found = (item,)
        for one in found:
            if isinstance(one, ast.Operation | ast.Find | ast.Handler) and one.returns is not None:
                yield one.returns


def _keeps_file(item: object) -> bool:
    match item:
        case ast.Property(type=type_):
            return type_.name == "File"
        case ast.Aggregate(members=members) | ast.ValueObject(members=members) | ast.EntityPart(members=members):
            return any(map(_keeps_file, members))
        case _:
            return False


def _channel(declared: ast.Channel) -> ChannelSignature:
    return ChannelSignature(
        name=declared.name,
        delivery=declared.delivery.name if declared.delivery is not None else "broadcast",
        retention=declared.retention.name if declared.retention is not None else "ephemeral",
        carries=tuple(item.name for item in declared.carries),
    )


def _handlers(context: ast.Context) -> Iterator[HandlerSignature]:
    """A record that is the only parameter is what a request consists of: its fields count as parameters."""
    records = {item.name: item for item in context.members if isinstance(item, ast.Payload | ast.Event)}
    for item in context.members:
        if not isinstance(item, ast.Handler):
            continue
        given = tuple(parameter.name for parameter in item.parameters)
        whole = [parameter.type for parameter in item.parameters if not parameter.type.is_id]
        if len(given) == len(whole) == 1 and whole[0].name in records:
            given = tuple(field.name for field in records[whole[0].name].fields)
        yield HandlerSignature(name=item.name, query=item.is_query, parameters=given)


def _aggregate(aggregate: ast.Aggregate, repository: ast.Repository | None) -> AggregateSignature:
    crudish = next((item for item in aggregate.macros if item.name == "crudish"), None)
    full = crudish is not None and not is_update_only(crudish)
    members = aggregate.members
    is_sourced = aggregate.persistence is not None and aggregate.persistence.name == "eventLog"
    operations = [item for item in members if isinstance(item, ast.Operation) and not item.is_private]
    return AggregateSignature(
        name=aggregate.name,
        parts=tuple(
            PartSignature(name=item.name, fields=_fields(item.members))
            for item in members
            if isinstance(item, ast.EntityPart)
        ),
        fields=_fields(members),
        created=full or any(isinstance(item, ast.Create) and (is_sourced or not item.name) for item in members),
        destroyed=full or any(isinstance(item, ast.Destroy) and not item.name for item in members),
        operations=(*map(_operation, operations), *([_update(aggregate)] if crudish else [])),
        finds=tuple(map(_operation, repository.finds)) if repository else (),
        partial=_is_partial(aggregate),
        stances=tuple(name for name in TENANT_CAPABILITIES if name in capabilities_taken(aggregate)),
        sourced=is_sourced,
    )


def _fields(members: Iterable[object]) -> tuple[str, ...]:
    return tuple(item.name for item in members if isinstance(item, ast.Property))


def capabilities_taken(aggregate: ast.Aggregate) -> Mapping[str, int]:
    """What an expanded aggregate takes on, by name, and where it says so."""
    taken = [item for item in (*aggregate.macros, *aggregate.members) if isinstance(item, _TAKING)]
    return {item.name: item.at for item in reversed(taken)}


_TAKING = ast.MacroCall | ast.Implements


def _is_partial(aggregate: ast.Aggregate) -> bool:
    """Whether it has macros or members that are not understood, which may have routes."""
    unknown = any(item.name not in EXPANDED for item in aggregate.macros)
    later = any(isinstance(item, ast.Unsupported) for item in aggregate.members)
    return unknown or later


def _update(aggregate: ast.Aggregate) -> OperationSignature:
    writable = (ast.Access.EDITABLE, ast.Access.SECRET)
    fields = [item for item in aggregate.members if isinstance(item, ast.Property) and item.access in writable]
    return OperationSignature(name="update", parameters=tuple(item.name for item in fields))


def _operation(declared: ast.Operation | ast.Find) -> OperationSignature:
    return OperationSignature(name=declared.name, parameters=tuple(item.name for item in declared.parameters))


def _workflow(types: Mapping[str, ast.ContextMember], workflow: ast.Workflow) -> WorkflowSignature:
    creates = [item for item in workflow.members if isinstance(item, ast.WorkflowCreate)]
    fields = [item.type for item in workflow.members if isinstance(item, ast.Property)]
    return WorkflowSignature(
        name=workflow.name,
        creates=tuple(item.name for item in creates if not tuple(started_by(types, item))),
        stateful=any(item.is_id and not item.is_list and not item.is_optional for item in fields),
        sourced=workflow.event_sourced is not None,
    )
