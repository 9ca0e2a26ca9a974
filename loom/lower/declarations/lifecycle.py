"""Canonical creates and destroys of an aggregate, declared or expanded from `crudish`.

In: the aggregate's shape and the frame of its instance. Out: IR create and destroy.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loom.base import Feature, descendants
from loom.ir import program as ir
from loom.ir.expressions import Field, Local, This
from loom.ir.members import Gate
from loom.ir.statements import Assign, Requires, Statement
from loom.lower.bodies.conditions import gates
from loom.lower.bodies.definite import read_early, unset
from loom.lower.bodies.nested import every_statement
from loom.lower.bodies.statements import block
from loom.lower.declarations.appliers import always_emits, replayed
from loom.lower.declarations.commands import is_audited
from loom.lower.declarations.members import parameters, with_parameters
from loom.lower.declarations.stamps import Stamps, stamped
from loom.lower.expansion import is_update_only
from loom.lower.mentions import walk
from loom.lower.problems.capabilities import StampReadBeforeFlush
from loom.lower.problems.members import (
    CanonicalCreateConflict,
    CanonicalDestroyConflict,
    CreateFieldUnassigned,
    CreateNameConflict,
    DestroyNameConflict,
    LifecycleGuardUnreadable,
    NamedLifecycleDropped,
)
from loom.lower.problems.sourcing import (
    EventSourcedCommandMutation,
    EventSourcedCreateSilent,
    EventSourcedMultipleCreates,
)
from loom.lower.scope.aggregates import create_writable, crudish, is_event_sourced
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.members import parameters as parameter_shapes
from loom.lower.scope.shapes import AggregateShape, MemberShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast


def assign_each(fields: Iterable[MemberShape]) -> tuple[Statement, ...]:
    return tuple(
        Assign(path=(item.name,), type=item.type, value=Local(type=item.type, name=item.name))
        for item in fields
        if item.type is not None
    )


def _declared(
    frame: Frame, shape: AggregateShape, kind: type[ast.Create] | type[ast.Destroy]
) -> list[ast.Create | ast.Destroy]:
    """The unnamed ones; named ones are unreachable and reported."""
    found = [item for item in shape.declaration.members if isinstance(item, kind)]
    word, conflict = ("create", CreateNameConflict) if kind is ast.Create else ("destroy", DestroyNameConflict)
    seen: set[str] = set()
    for item in found:
        at = frame.at(item.at)
        if item.name in seen:
            frame.report(conflict(at=at, name=item.name))
        elif item.name:
            frame.report(NamedLifecycleDropped(at=at, kind=word, name=item.name))
            seen.add(item.name)
    return [item for item in found if not item.name]


def _macro(shape: AggregateShape) -> ast.MacroCall | None:
    """`crudish`, where it declares a create and a destroy."""
    macro = crudish(shape.declaration)
    return macro if macro is not None and not is_update_only(macro) else None


def create(frame: Frame, shape: AggregateShape, stamping: Stamps) -> ir.Create | None:
    declared = _declared(frame, shape, ast.Create)
    macro = _macro(shape)
    for item in declared[1:] if macro is None else declared:
        frame.report(CanonicalCreateConflict(at=frame.at(item.at), owner=shape.instance.name))
    if declared and isinstance(declared[0], ast.Create):
        return _create(frame, shape, declared[0], stamping)
    return _crudish_create(frame, shape, macro, stamping) if macro is not None else None


def sourced_create(frame: Frame, shape: AggregateShape, folds: tuple[ir.Applier, ...] | None) -> ir.Create | None:
    """The create of an event-sourced aggregate, whatever its name: what it emits begins the log.

    Folds of which some are wrong are None: they do not tell what an event leaves unset.
    """
    declared = [item for item in shape.declaration.members if isinstance(item, ast.Create)]
    for item in declared[1:]:
        frame.report(EventSourcedMultipleCreates(at=frame.at(item.at), owner=shape.instance.name))
    if (macro := crudish(shape.declaration)) is not None:
        at = frame.at(macro.at)
        frame.report(EventSourcedCommandMutation(at=at, case="macro", command="", name="crudish"))
    if not declared:
        return None
    first = declared[0]
    inner = replace(with_parameters(frame, shape.inputs), owner="create")
    before = len(frame.scope.source.problems)
    body = block(inner, first.body)
    if len(frame.scope.source.problems) == before and not shape.instance.is_partial:
        _check_begun(frame, shape, first.at, body, folds)
    return ir.Create(
        parameters=parameters(frame, shape.inputs), requires=(), body=body, audited=is_audited(frame, first)
    )


def _check_begun(
    frame: Frame, shape: AggregateShape, at: int, body: tuple[Statement, ...], folds: tuple[ir.Applier, ...] | None
) -> None:
    """The first events must say whatever an instance cannot be without."""
    if not always_emits(body):
        frame.report(EventSourcedCreateSilent(at=frame.at(at), owner=shape.instance.name))
    elif folds is not None:
        whole = replayed(body, {item.event.name: item for item in folds})
        _check_assigned(frame, shape, at, whole, Stamps())


def _create(frame: Frame, shape: AggregateShape, declared: ast.Create, stamping: Stamps) -> ir.Create:
    given = parameters(frame, shape.inputs)
    inner = replace(with_parameters(frame, shape.inputs), owner="create")
    before = len(frame.scope.source.problems)
    gated, rest = gates(inner, None, declared.body)
    written = block(inner, rest)
    body = stamped(written, stamping.created)
    _check_guards(frame, declared, "create", gated, body)
    # A broken body says nothing about what it leaves unset.
    if len(frame.scope.source.problems) == before and not shape.instance.is_partial:
        _check_assigned(frame, shape, declared.at, body, stamping)
    return ir.Create(parameters=given, requires=gated, body=body, audited=is_audited(frame, declared))


def _crudish_create(frame: Frame, shape: AggregateShape, macro: ast.MacroCall, stamping: Stamps) -> ir.Create:
    fields = create_writable(shape.instance)
    body = stamped(assign_each(fields), stamping.created)
    if all(item.type is not None for item in fields) and not shape.instance.is_partial:
        _check_assigned(frame, shape, macro.at, body, stamping)
    audited = shape.declaration.audited is not None
    return ir.Create(parameters=parameters(frame, shape.inputs), requires=(), body=body, audited=audited)


def _check_assigned(
    frame: Frame, shape: AggregateShape, at: int, body: tuple[Statement, ...], stamping: Stamps
) -> None:
    owner = shape.instance.name
    for name in dict.fromkeys(read_early(shape.instance, body)):
        if name in stamping.names:
            frame.report(StampReadBeforeFlush(at=frame.at(at), name=name, owner=owner))
        else:
            frame.report(CreateFieldUnassigned(at=frame.at(at), case="read", name=name, owner=owner))
    for name in unset(shape.instance, body, stamping.names):
        frame.report(CreateFieldUnassigned(at=frame.at(at), case="unset", name=name, owner=owner))


def _check_guards(
    frame: Frame, declared: ast.Create | ast.Destroy, kind: str, gated: tuple[Gate, ...], body: tuple[Statement, ...]
) -> None:
    """A gate runs before any instance or input is looked at; only a destroy has an instance by then."""
    conditions = [item.condition for item in gated]
    conditions += [item.condition for item in every_statement(body) if isinstance(item, Requires)]
    written = [item.at for item in walk(declared.body) if isinstance(item, ast.Requires)]
    places = written if len(written) == len(conditions) else [declared.at] * len(conditions)
    for at, condition in zip(places, conditions, strict=True):
        for node in descendants(condition):
            if isinstance(node, Local) or (
                kind == "create" and isinstance(node, Field) and isinstance(node.receiver, This)
            ):
                frame.report(LifecycleGuardUnreadable(at=frame.at(at), kind=kind, name=node.name))


def destroy(frame: Frame, shape: AggregateShape) -> ir.Destroy | None:
    declared = _declared(frame, shape, ast.Destroy)
    is_sourced = is_event_sourced(shape.declaration)
    if is_sourced:
        for item in declared:
            frame.scope.source.unsupported(item.at, "`destroy` of an event-sourced aggregate")
    macro = None if is_sourced else _macro(shape)
    for item in declared[1:] if macro is None else declared:
        frame.report(CanonicalDestroyConflict(at=frame.at(item.at), owner=shape.instance.name))
    if declared:
        return _destroy(frame.within(Body.SOURCED_DESTROY if is_sourced else Body.DESTROY), declared[0], shape)
    audited = shape.declaration.audited is not None
    return ir.Destroy(requires=(), body=(), audited=audited) if macro is not None else None


def _destroy(frame: Frame, declared: ast.Create | ast.Destroy, shape: AggregateShape) -> ir.Destroy:
    source = frame.scope.source
    if declared.parameters:
        source.use(declared.parameters[0].at, Feature.DESTROY_PARAMETERS)
    types = TypeScope(frame.scope.names, source, shape.instance.name)
    given = parameter_shapes(declared.parameters, types, Position.PARAMETER)
    inner = with_parameters(replace(frame, owner="destroy"), given)
    gated, rest = gates(inner, None, declared.body)
    body = block(inner, rest)
    _check_guards(frame, declared, "destroy", gated, body)
    audited = is_audited(frame, declared)
    return ir.Destroy(requires=gated, body=body, audited=audited, parameters=parameters(frame, given))
