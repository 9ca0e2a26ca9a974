"""Aggregates: members, parts, operations and what `crudish` adds.

In: an aggregate's declaration, its shape and the frame of its context. Out: the IR aggregate.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from loom.base import Feature, nearest, pascal, plural, words
from loom.ir import program as ir
from loom.ir.access import Stance
from loom.ir.expressions import FieldKind
from loom.ir.members import Gate, Parameter
from loom.ir.persistence import Shape
from loom.ir.types import NOTHING, STRING, ArrayType, ValueObjectType
from loom.lower.bodies.conditions import gates
from loom.lower.bodies.flow import always_ends
from loom.lower.bodies.statements import block
from loom.lower.bodies.tests import unit_tests
from loom.lower.declarations.appliers import OF_AGGREGATES, appliers, check_misplaced, folded
from loom.lower.declarations.commands import check_extern, check_provenance, is_audited
from loom.lower.declarations.filters import filters
from loom.lower.declarations.lifecycle import assign_each, create, destroy, sourced_create
from loom.lower.declarations.macros import check_macros
from loom.lower.declarations.members import (
    containments,
    derived,
    functions,
    instance_frame,
    invariants,
    parameters,
    properties,
    with_parameters,
)
from loom.lower.declarations.repositories import finds
from loom.lower.declarations.stamps import Stamps, stamped, stamps
from loom.lower.declarations.tenancy import OWN_ROWS, Rows, check_key, seen, stance, written
from loom.lower.declarations.values import declare_members, report_unsupported
from loom.lower.expressions.names import is_value_name
from loom.lower.mentions import mentioned
from loom.lower.problems.bodies import ReturnMissing
from loom.lower.problems.members import (
    DerivedDisplayNotString,
    DerivedInspectNotString,
    DuplicateUnique,
    UniqueCollectionField,
    UniqueDuplicateColumn,
    UniqueUnknownField,
    UniqueValueobjectField,
    WhenReferencesOpParam,
)
from loom.lower.problems.sourcing import UniqueOnEventSourced
from loom.lower.scope.aggregates import crudish, is_event_sourced, update_writable
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.relations import without_optional
from loom.lower.scope.shapes import AggregateShape, InstanceShape, MemberShape, OperationShape
from loom.lower.scope.source import Source
from loom.parse import ast


class Around(msgspec.Struct, frozen=True):
    """What the context says about an aggregate outside of it."""

    repository: ast.Repository | None = None
    tests: tuple[ast.Test, ...] = ()
    rows: Rows = OWN_ROWS


def aggregate(frame: Frame, shape: AggregateShape, around: Around) -> ir.Aggregate:
    declared, root = shape.declaration, shape.instance
    frame = replace(frame, aggregate=shape, folded=_folded(declared))
    inner = instance_frame(frame, root)
    _declare(frame, declared)
    _check(frame, declared, root)
    stamping, owned = stamps(inner, declared), stance(frame, declared)
    made_appliers, sound = _appliers(inner, declared)
    made = ir.Aggregate(
        name=declared.name,
        properties=properties(inner, declared.members, root),
        containments=containments(root),
        parts=tuple(_part(frame, item, shape) for item in _first_parts(declared.members)),
        derived=derived(inner, declared.members, root),
        invariants=invariants(inner, declared.members),
        uniques=_uniques(frame, declared.members, root, owned),
        functions=functions(inner.within(Body.FUNCTION), declared.members, dict(root.functions)),
        operations=_operations(inner, shape, stamping),
        create=_create(inner, shape, stamping, made_appliers if sound else None),
        destroy=destroy(inner.within(Body.DESTROY), shape),
        repository=around.repository.name if around.repository else pascal(plural(words(declared.name))),
        finds=finds(inner, around.repository, shape) if around.repository else (),
        tests=unit_tests(frame, declared.name, declared.members, around.tests),
        filters=(*filters(inner, declared), *seen(inner, owned, around.rows)),
        writable=written(inner, owned, around.rows),
        stance=owned,
        stamps=stamping.kept,
        shares=_shared(frame, declared.base),
        shape=Shape(declared.shape.name) if declared.shape is not None else Shape.RELATIONAL,
        event_sourced=is_event_sourced(declared),
        appliers=made_appliers,
    )
    check_provenance(frame, declared, made)
    return made


def _check(frame: Frame, declared: ast.Aggregate, root: InstanceShape) -> None:
    check_macros(frame, declared)
    _check_labels(frame, declared, root)


def _folded(declared: ast.Aggregate) -> frozenset[str] | None:
    """The events that count, where nothing else does."""
    return folded(declared.members) if is_event_sourced(declared) else None


def _shared(frame: Frame, base: ast.NameRef | None) -> str:
    """The abstract aggregate in whose table it is kept, or nothing."""
    return frame.scope.names.shared_bases.get(base.name, "") if base is not None else ""


def _appliers(frame: Frame, declared: ast.Aggregate) -> tuple[tuple[ir.Applier, ...], bool]:
    """The folds, and whether none of them is wrong."""
    if not is_event_sourced(declared):
        check_misplaced(frame, declared.name, declared.members, OF_AGGREGATES)
        return (), True
    problems = frame.scope.source.problems
    before = len(problems)
    made = appliers(frame, declared.name, declared.members, OF_AGGREGATES)
    return made, len(problems) == before


def _create(
    frame: Frame, shape: AggregateShape, stamping: Stamps, folds: tuple[ir.Applier, ...] | None
) -> ir.Create | None:
    """`folds` are None where some of them are wrong."""
    if is_event_sourced(shape.declaration):
        return sourced_create(frame.within(Body.SOURCED_CREATE), shape, folds)
    return create(frame.within(Body.CREATE), shape, stamping)


def _declare(frame: Frame, declared: ast.Aggregate) -> None:
    source = frame.scope.source
    declare_members(source, declared.name, declared.at, declared.members)
    for item in declared.members:
        match item:
            case ast.Operation() | ast.Function():
                source.declare(item.at, declared.name, item.name)
                for parameter in item.parameters:
                    source.declare(parameter.at, declared.name, item.name, parameter.name)
            case ast.Create(name="") | ast.Destroy(name=""):
                source.declare(item.at, declared.name, "create" if isinstance(item, ast.Create) else "destroy")
            case ast.EntityPart():
                declare_members(source, item.name, item.at, item.members, declared.name)
            case ast.Unique():
                columns = "_".join(column.name for column in item.columns)
                source.declare(item.at, declared.name, f"unique {columns}")
            case ast.Unsupported():
                source.unsupported(item.at, item.feature)
    _use_headers(source, declared)


def _use_headers(source: Source, declared: ast.Aggregate) -> None:
    if declared.audited is not None:
        source.use(declared.audited.at, Feature.AUDIT)
    if declared.persistence is not None and is_event_sourced(declared):
        source.use(declared.persistence.at, Feature.EVENT_SOURCED_AGGREGATES)
    if declared.shape is not None and declared.shape.name != "relational":
        source.use(declared.shape.at, _SHAPES[declared.shape.name])


_SHAPES = {"embedded": Feature.EMBEDDED_SHAPE, "document": Feature.DOCUMENT_SHAPE}


def _check_labels(frame: Frame, declared: ast.Aggregate, root: InstanceShape) -> None:
    """`display` and `inspect` are labels; their values are checked against the declared type like any other."""
    for item in declared.members:
        if not isinstance(item, ast.Derived):
            continue
        type_ = root.members[item.name].type
        at = frame.at(item.at)
        if item.name == "display" and type_ not in (None, STRING):
            frame.report(DerivedDisplayNotString(at=at))
        if item.name == "inspect" and type_ not in (None, STRING):
            frame.report(DerivedInspectNotString(at=at))


def _first_parts(members: Iterable[object]) -> list[ast.EntityPart]:
    return list({item.name: item for item in reversed(list(members)) if isinstance(item, ast.EntityPart)}.values())[
        ::-1
    ]


def _part(frame: Frame, declared: ast.EntityPart, owner: AggregateShape) -> ir.Part:
    shape = owner.parts[declared.name]
    inner = instance_frame(frame, shape)
    report_unsupported(frame.scope.source, declared.members)
    return ir.Part(
        name=declared.name,
        properties=properties(inner, declared.members, shape),
        containments=containments(shape),
        derived=derived(inner, declared.members, shape),
        invariants=invariants(inner, declared.members),
        functions=functions(inner.within(Body.FUNCTION), declared.members, dict(shape.functions)),
    )


def _uniques(
    frame: Frame, members: Iterable[object], root: InstanceShape, owned: Stance
) -> tuple[tuple[str, ...], ...]:
    keys: dict[frozenset[str], tuple[str, ...]] = {}
    declared = [item for item in members if isinstance(item, ast.Unique)]
    if declared and (kept := _keeps_no_columns(frame)):
        frame.report(UniqueOnEventSourced(at=frame.at(declared[0].at), owner=root.name, kept=kept))
        return ()
    for item in declared:
        names = [column.name for column in item.columns]
        whole = [_is_key_column(frame, column, index, names, root) for index, column in enumerate(item.columns)]
        if frozenset(names) in keys:
            frame.report(DuplicateUnique(at=frame.at(item.at), columns=", ".join(names)))
        elif all(whole):
            keys[frozenset(names)] = tuple(names)
            check_key(frame, item, root.name, owned)
    return tuple(keys.values())


def _keeps_no_columns(frame: Frame) -> str:
    """How an aggregate is kept that has no columns for a key."""
    declared = frame.aggregate.declaration if frame.aggregate is not None else None
    if declared is None:
        return ""
    if is_event_sourced(declared):
        return "event-sourced"
    return "a document" if declared.shape is not None and declared.shape.name == "document" else ""


def _is_key_column(frame: Frame, column: ast.NameRef, index: int, names: list[str], root: InstanceShape) -> bool:
    at = frame.at(column.at)
    member = root.members.get(column.name)
    if member is None and root.is_partial:
        return False
    if member is None or member.kind not in (FieldKind.PROPERTY, FieldKind.CONTAINMENT):
        near = nearest(column.name, [item.name for item in root.stored()])
        frame.report(UniqueUnknownField(at=at, owner=root.name, name=column.name, nearest=near))
    elif column.name in names[:index]:
        frame.report(UniqueDuplicateColumn(at=at, name=column.name))
    elif isinstance(member.type, ArrayType) or member.kind is FieldKind.CONTAINMENT:
        frame.report(UniqueCollectionField(at=at, name=column.name))
    elif _holds_value_object(member):
        frame.report(UniqueValueobjectField(at=at, name=column.name))
    else:
        return member.type is not None
    return False


def _holds_value_object(member: MemberShape) -> bool:
    return member.type is not None and isinstance(without_optional(member.type), ValueObjectType)


def _operations(frame: Frame, shape: AggregateShape, stamping: Stamps) -> tuple[ir.Operation, ...]:
    seen: set[str] = set()
    made = []
    frame = frame.within(Body.SOURCED_OPERATION if is_event_sourced(shape.declaration) else Body.OPERATION)
    for item in shape.declaration.members:
        if isinstance(item, ast.Operation) and item.name not in seen:
            seen.add(item.name)
            made.append(_operation(frame, item, shape.operations[item.name], stamping))
    if crudish(shape.declaration) is not None and "update" not in seen and not is_event_sourced(shape.declaration):
        made.append(_update(shape, stamping))
    return tuple(made)


def _when(frame: Frame, declared: ast.Operation) -> tuple[Gate, ...]:
    """The state gate, before which no parameter is looked at."""
    names = mentioned(declared.when) or set()
    for parameter in declared.parameters:
        if parameter.name in names and not is_value_name(frame, parameter.name):
            at = frame.at(declared.when.at if declared.when is not None else declared.at)
            frame.report(WhenReferencesOpParam(at=at, operation=declared.name, name=parameter.name))
            return ()
    return gates(frame, declared.when, ())[0]


def _operation(frame: Frame, declared: ast.Operation, shape: OperationShape, stamping: Stamps) -> ir.Operation:
    check_extern(frame, declared)
    given = parameters(frame, shape.parameters)
    inner = replace(with_parameters(frame, shape.parameters), owner=declared.name, returns=shape.returns)
    gated, rest = gates(inner, declared.requires, declared.body)
    when = _when(frame.within(Body.GATE), declared) if declared.when is not None else ()
    body = block(inner, rest)
    is_ended = always_ends(declared.body, frame.scope.total) or declared.extern is not None
    if shape.returns not in (NOTHING, None) and not is_ended:
        frame.report(ReturnMissing(at=frame.at(declared.at), name=declared.name))
    return ir.Operation(
        name=declared.name,
        parameters=given,
        returns=shape.returns or NOTHING,
        private=shape.private,
        requires=gated,
        when=when[0] if when else None,
        body=stamped(body, stamping.updated if shape.mutates and not shape.private else ()),
        mutates=shape.mutates,
        extern=declared.extern is not None,
        audited=is_audited(frame, declared, shape.private),
    )


def _update(shape: AggregateShape, stamping: Stamps) -> ir.Operation:
    """What `crudish` declares: every updatable field is replaced."""
    fields = update_writable(shape.instance)
    return ir.Operation(
        name="update",
        parameters=tuple(Parameter(name=item.name, type=item.type) for item in fields if item.type is not None),
        returns=NOTHING,
        private=False,
        requires=(),
        when=None,
        body=stamped(assign_each(fields), stamping.updated),
        mutates=True,
        audited=shape.declaration.audited is not None,
    )
