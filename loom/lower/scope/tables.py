"""Every name of a context, by what it stands for.

In: the context, its type names, the signature of the root. Out: the tables that lookups use.
Never: a scan per lookup: each table is built once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from loom.base import nearest
from loom.ir.expressions import FieldKind, FunctionScope
from loom.ir.program import Property
from loom.ir.types import EventType, RecordType, Ref, ValueObjectType
from loom.lower.problems.finds import DuplicateFind, DuplicateRepository
from loom.lower.problems.inheritance import AbstractRepository
from loom.lower.problems.members import ReservedDerivedOnVo
from loom.lower.problems.names import LinkingError
from loom.lower.scope.aggregates import aggregate_shape
from loom.lower.scope.commands import commands
from loom.lower.scope.foreign import event_shape
from loom.lower.scope.members import (
    check_function_names,
    functions,
    instance,
    member_shapes,
    parameters,
    property_shape,
)
from loom.lower.scope.names import Kind, Names, kind_of
from loom.lower.scope.predicates import predicates, retrievals
from loom.lower.scope.services import services
from loom.lower.scope.shapes import (
    AggregateShape,
    FindShape,
    FunctionShape,
    InstanceShape,
    MemberShape,
    ParameterShape,
    RepositoryShape,
    Tables,
)
from loom.lower.scope.source import Source
from loom.lower.scope.typerefs import Position, TypeScope
from loom.lower.signature import FunctionSignature, RecordSignature, SharedSignature, ValueObjectSignature
from loom.parse import ast

EnumTable = dict[str, tuple[Ref, tuple[str, ...]]]


def tables_of(context: ast.Context, names: Names, shared: SharedSignature, source: Source) -> Tables:
    types = TypeScope(names, source)
    first = _first_of_each(context)
    enums = root_enums(shared) | {
        item.name: (Ref(context=context.name, name=item.name), tuple(value.name for value in item.values))
        for item in first
        if isinstance(item, ast.Enum)
    }
    made = Tables(
        context=context.name,
        enums=enums,
        enum_values=values_by_name(enums),
        value_objects=root_value_objects(shared)
        | {item.name: value_object_shape(item, types) for item in first if isinstance(item, ast.ValueObject)},
        aggregates=_aggregates(first, Kind.AGGREGATE, names, source),
        bases=_aggregates(first, Kind.ABSTRACT, names, source),
        part_owners=names.parts,
        events={item.name: _event(item, types) for item in first if isinstance(item, ast.Event)},
        foreign_events={name: event_shape(names, found) for name, found in names.foreign_events.items()},
        records=root_records(shared)
        | {item.name: record_shape(item, types) for item in first if isinstance(item, ast.Payload)},
        errors=errors_of(context.name, first) | _root_errors(shared),
        repositories=_repositories(context, names, source),
        functions=root_functions(shared),
        predicates=predicates(first, types),
        retrievals=retrievals(first, types),
        commands=commands(context.members, types),
        has_sensitive=_has_sensitive(context, shared),
    )
    return replace(made, services=services(first, made, types))


def _aggregates(
    first: Iterable[ast.ContextMember], kind: Kind, names: Names, source: Source
) -> dict[str, AggregateShape]:
    return {
        item.name: aggregate_shape(item, names, source)
        for item in first
        if isinstance(item, ast.Aggregate) and kind_of(item) is kind
    }


def _has_sensitive(context: ast.Context, shared: SharedSignature) -> bool:
    """Whether anything is sensitive; in most models nothing is, and nobody looks for flows then."""
    own = any(item.sensitive for item in _properties(context.members))
    return own or any(field.sensitive for item in shared.value_objects for field in item.fields)


def _properties(members: Iterable[object]) -> Iterator[ast.Property]:
    """Those of every declaration, whatever holds it; no body is looked into."""
    for item in members:
        if isinstance(item, ast.Property):
            yield item
        else:
            yield from _properties((*getattr(item, "members", ()), *getattr(item, "fields", ())))


def _first_of_each(context: ast.Context) -> list[ast.ContextMember]:
    """Declarations without those that repeat a type name, which have been reported."""
    seen: set[str] = set()
    kept = []
    for item in context.members:
        if kind_of(item) is not None and not isinstance(item, ast.Unnamed):
            if item.name in seen:
                continue
            seen.add(item.name)
        kept.append(item)
    return kept


def root_enums(shared: SharedSignature) -> EnumTable:
    return {item.name: (Ref(context="", name=item.name), item.values) for item in shared.enums}


def values_by_name(enums: EnumTable) -> dict[str, tuple[Ref, ...]]:
    found: dict[str, tuple[Ref, ...]] = {}
    for ref, values in enums.values():
        for value in values:
            found[value] = (*found.get(value, ()), ref)
    return found


def value_object_shape(declared: ast.ValueObject, types: TypeScope) -> InstanceShape:
    ref = Ref(context=types.names.context, name=declared.name)
    shapes = member_shapes(declared.members, types)
    for at, shape in shapes:
        if shape.kind is FieldKind.DERIVED and shape.name in ("display", "inspect"):
            types.source.report(ReservedDerivedOnVo(at=types.source.place(at), name=shape.name))
    found = functions(declared.members, types, FunctionScope.VALUE_OBJECT, ref)
    made = instance(ValueObjectType(ref=ref), declared.name, shapes, found, types.source)
    check_function_names(declared.members, made, types.source)
    return made


def _event(declared: ast.Event, types: TypeScope) -> InstanceShape:
    ref = Ref(context=types.names.context, name=declared.name)
    shapes = [(item.at, property_shape(item, types, Position.EVENT_FIELD)) for item in declared.fields]
    return instance(EventType(ref=ref), declared.name, shapes, {}, types.source)


def record_shape(declared: ast.Payload, types: TypeScope) -> InstanceShape:
    ref = Ref(context=types.names.context, name=declared.name)
    shapes = [(item.at, property_shape(item, types, Position.RECORD_FIELD)) for item in declared.fields]
    return instance(RecordType(ref=ref), declared.name, shapes, {}, types.source)


def errors_of(context: str, declared: Iterable[object]) -> frozenset[Ref]:
    """The records that are answered as problems."""
    found = [item for item in declared if isinstance(item, ast.Payload) and item.kind is ast.PayloadKind.ERROR]
    return frozenset(Ref(context=context, name=item.name) for item in found)


def _root_errors(shared: SharedSignature) -> frozenset[Ref]:
    return frozenset(Ref(context="", name=item.name) for item in shared.records if item.error)


def root_records(shared: SharedSignature) -> dict[str, InstanceShape]:
    return {item.name: _root_record(item) for item in shared.records}


def _root_record(item: RecordSignature) -> InstanceShape:
    fields = {
        field.name: MemberShape(field.name, field.type, FieldKind.PROPERTY, field.access, None, field.default)
        for field in item.fields
    }
    return InstanceShape(RecordType(ref=Ref(context="", name=item.name)), item.name, fields, {})


def root_value_objects(shared: SharedSignature) -> dict[str, InstanceShape]:
    return {item.name: _root_value_object(item) for item in shared.value_objects}


def _root_value_object(item: ValueObjectSignature) -> InstanceShape:
    ref = Ref(context="", name=item.name)
    stored = {
        field.name: MemberShape(
            field.name, field.type, FieldKind.PROPERTY, field.access, None, field.default, frozenset(field.sensitive)
        )
        for field in item.fields
    }
    derived = {
        field.name: MemberShape(field.name, field.type, FieldKind.DERIVED, tags=frozenset(field.sensitive))
        for field in item.derived
    }
    found = {one.name: _root_function(one, ref) for one in item.functions}
    return InstanceShape(ValueObjectType(ref=ref), item.name, {**stored, **derived}, found)


def root_functions(shared: SharedSignature) -> dict[str, FunctionShape]:
    return {item.name: _root_function(item, Ref(context="", name=item.name)) for item in shared.functions}


def _root_function(item: FunctionSignature, owner: Ref) -> FunctionShape:
    given = tuple(map(_root_parameter, item.parameters))
    return FunctionShape(item.name, item.scope, owner, given, item.returns, frozenset(item.sensitive))


def _root_parameter(item: Property) -> ParameterShape:
    return ParameterShape(item.name, item.type, None, item.default)


def _repositories(context: ast.Context, names: Names, source: Source) -> dict[str, RepositoryShape]:
    found: dict[str, RepositoryShape] = {}
    by_aggregate: dict[str, str] = {}
    for item in context.members:
        if not isinstance(item, ast.Repository):
            continue
        # What is wrong with a repository is told once; reads through it are then as good as any.
        broken = RepositoryShape(item.name, "", {})
        if not _is_known(item, names, source):
            found.setdefault(item.name, broken)
            continue
        aggregate = item.aggregate.name
        if aggregate in by_aggregate or item.name in found:
            at = source.place(item.at)
            other = by_aggregate.get(aggregate, item.name)
            source.report(DuplicateRepository(at=at, aggregate=aggregate, other=other))
            found.setdefault(item.name, broken)
            continue
        by_aggregate[aggregate] = item.name
        finds = _finds(item.finds, TypeScope(names, source, aggregate))
        found[item.name] = RepositoryShape(item.name, aggregate, finds)
    return found


def _is_known(item: ast.Repository, names: Names, source: Source) -> bool:
    kind = names.local.get(item.aggregate.name)
    if kind is Kind.ABSTRACT:
        source.report(AbstractRepository(at=source.place(item.aggregate.at), name=item.aggregate.name))
    elif kind not in (Kind.AGGREGATE, Kind.UNSUPPORTED):
        known = [name for name, kind in names.local.items() if kind is Kind.AGGREGATE]
        near = nearest(item.aggregate.name, known)
        at = source.place(item.aggregate.at)
        source.report(LinkingError(at=at, kind="aggregate", name=item.aggregate.name, nearest=near))
    return kind is Kind.AGGREGATE


def _finds(declared: Iterable[ast.Find], types: TypeScope) -> Mapping[str, FindShape]:
    found: dict[str, FindShape] = {}
    for item in declared:
        given = parameters(item.parameters, types, Position.PARAMETER)
        returns = types.resolve(item.returns, Position.FIND_RESULT)
        if item.name in found:
            types.source.report(DuplicateFind(at=types.source.place(item.at), name=item.name))
        found.setdefault(item.name, FindShape(item.name, given, returns, item.where))
    return found
