"""Shapes of aggregates: members, parts, operations, what a factory takes.

In: the declaration of one aggregate. Out: its shape.
Never: a body, but for the question whether an operation changes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from loom.ir.expressions import FieldKind, FunctionScope, Literal
from loom.ir.program import Access
from loom.ir.types import (
    BOOL,
    INT,
    NOTHING,
    AggregateType,
    ArrayType,
    IdType,
    OptionalType,
    PartType,
    Ref,
)
from loom.lower.expansion import is_update_only
from loom.lower.mentions import walk
from loom.lower.problems.members import VersionFieldCollision
from loom.lower.problems.names import DuplicateMember
from loom.lower.scope.members import (
    check_function_names,
    functions,
    instance,
    member_shapes,
    parameters,
)
from loom.lower.scope.names import Kind, Names
from loom.lower.scope.shapes import AggregateShape, InstanceShape, MemberShape, OperationShape, ParameterShape
from loom.lower.scope.source import Source
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast

CREATE_WRITABLE = (Access.EDITABLE, Access.IMMUTABLE, Access.SECRET)
UPDATE_WRITABLE = (Access.EDITABLE, Access.SECRET)


def aggregate_shape(declared: ast.Aggregate, names: Names, source: Source) -> AggregateShape:
    ref = Ref(context=names.context, name=declared.name)
    types = TypeScope(names, source, declared.name)
    root = _root(declared, ref, types)
    return AggregateShape(
        ref=ref,
        instance=root,
        parts=_parts(declared, ref, types),
        operations=_operations(declared, root, types),
        inputs=_inputs(declared, root, types),
        uniques=tuple(
            tuple(column.name for column in item.columns) for item in declared.members if isinstance(item, ast.Unique)
        ),
        declaration=declared,
    )


def _root(declared: ast.Aggregate, ref: Ref, types: TypeScope) -> InstanceShape:
    own = [pair for pair in member_shapes(declared.members, types) if pair[1].name != "id"]
    kept = [pair for pair in own if not _is_version(pair[0], pair[1], declared.name, types.source)]
    identity = [
        (declared.at, MemberShape("id", IdType(aggregate=ref), FieldKind.ID)),
        (declared.at, MemberShape("version", INT, FieldKind.VERSION, Access.TOKEN)),
    ]
    found = functions(declared.members, types, FunctionScope.AGGREGATE, ref)
    made = instance(AggregateType(ref=ref), declared.name, [*identity, *kept], found, types.source)
    shape = replace(made, is_partial=_is_partial(declared, types.names))
    check_function_names(declared.members, shape, types.source)
    return shape


def _is_partial(declared: ast.Aggregate, names: Names) -> bool:
    """Whether a header, capability or member that is not understood yet may add members or change the rules."""
    taken = [item.name for item in (*declared.macros, *declared.members) if isinstance(item, _TAKING)]
    is_later = any(map(names.is_unsupported, taken))
    unknown_base = declared.base is not None and names.local.get(declared.base.name) is not Kind.ABSTRACT
    return is_later or unknown_base


_TAKING = ast.MacroCall | ast.Implements


def _is_version(at: int, shape: MemberShape, owner: str, source: Source) -> bool:
    """`version: int token` only says what holds anyway; another `version` collides with it."""
    if shape.name != "version":
        return False
    if shape.type != INT or shape.access is not Access.TOKEN:
        source.report(VersionFieldCollision(at=source.place(at), owner=owner))
    return True


def _parts(declared: ast.Aggregate, ref: Ref, types: TypeScope) -> dict[str, InstanceShape]:
    parts: dict[str, InstanceShape] = {}
    for item in declared.members:
        if not isinstance(item, ast.EntityPart):
            continue
        if item.name in parts:
            at = types.source.place(item.at)
            problem = DuplicateMember(at=at, name=item.name, owner=ref.name, kind="part", other="a part")
            types.source.report(problem)
            continue
        parts[item.name] = _part(item, ref, types)
    return parts


def _part(declared: ast.EntityPart, ref: Ref, types: TypeScope) -> InstanceShape:
    own = [pair for pair in member_shapes(declared.members, types) if pair[1].name != "id"]
    identity = MemberShape("id", IdType(aggregate=ref, part=declared.name), FieldKind.ID)
    found = functions(declared.members, types, FunctionScope.PART, ref)
    type_ = PartType(aggregate=ref, name=declared.name)
    shape = instance(type_, declared.name, [(declared.at, identity), *own], found, types.source)
    check_function_names(declared.members, shape, types.source)
    return shape


def crudish(declared: ast.Aggregate) -> ast.MacroCall | None:
    return next((item for item in declared.macros if item.name == "crudish"), None)


def _operations(declared: ast.Aggregate, root: InstanceShape, types: TypeScope) -> dict[str, OperationShape]:
    mutating = mutating_operations(declared)
    found: dict[str, OperationShape] = {}
    for item in declared.members:
        if not isinstance(item, ast.Operation):
            continue
        _check_name(item, root, found, types.source)
        given = parameters(item.parameters, types, Position.PARAMETER)
        returns = types.resolve(item.returns, Position.OPERATION_RESULT) if item.returns else NOTHING
        shape = OperationShape(item.name, given, returns, item.is_private, item.name in mutating)
        found.setdefault(item.name, shape)
    if (macro := crudish(declared)) is not None:
        _add_update(macro, root, found, types.source)
    return found


def _check_name(item: ast.Operation, root: InstanceShape, found: Mapping[str, OperationShape], source: Source) -> None:
    if other := _named(item.name, root, found):
        at = source.place(item.at)
        source.report(DuplicateMember(at=at, name=item.name, owner=root.name, kind="operation", other=other))


def _named(name: str, root: InstanceShape, found: Mapping[str, OperationShape]) -> str:
    """What has the name already, or nothing."""
    return (
        "an operation" if name in found
        else "a field" if name in root.members
        else "a function" if name in root.functions
        else ""
    )  # fmt: skip


def _add_update(macro: ast.MacroCall, root: InstanceShape, found: dict[str, OperationShape], source: Source) -> None:
    if other := _named("update", root, found):
        at = source.place(macro.at)
        kind = f"{other.partition(' ')[2]}, or write out what `crudish` adds"
        source.report(DuplicateMember(at=at, name="update", owner=root.name, kind=kind, other=other))
        return
    given = tuple(ParameterShape(item.name, item.type) for item in update_writable(root))
    found["update"] = OperationShape("update", given, NOTHING, private=False, mutates=True)


def update_writable(root: InstanceShape) -> list[MemberShape]:
    """What an update replaces; a default never relaxes it."""
    return [
        item for item in root.members.values() if item.kind is FieldKind.PROPERTY and item.access in UPDATE_WRITABLE
    ]


def _inputs(declared: ast.Aggregate, root: InstanceShape, types: TypeScope) -> tuple[ParameterShape, ...]:
    create = canonical_create(declared)
    if create is not None:
        return parameters(create.parameters, types, Position.PARAMETER)
    return tuple(map(_input, create_writable(root)))


def is_event_sourced(declared: ast.Aggregate) -> bool:
    return declared.persistence is not None and declared.persistence.name == "eventLog"


def canonical_create(declared: ast.Aggregate) -> ast.Create | None:
    """The unnamed create; the only one of an event-sourced aggregate may have a name."""
    found = (item for item in declared.members if isinstance(item, ast.Create))
    return next((item for item in found if not item.name or is_event_sourced(declared)), None)


def create_writable(root: InstanceShape) -> list[MemberShape]:
    """What a client gives when it creates: its writable fields, and single parts that must be there."""
    return [
        item
        for item in root.members.values()
        if (item.kind is FieldKind.PROPERTY and item.access in CREATE_WRITABLE)
        or (item.kind is FieldKind.CONTAINMENT and not isinstance(item.type, ArrayType | OptionalType))
    ]


def _input(member: MemberShape) -> ParameterShape:
    if member.type == BOOL and not member.has_default:
        return ParameterShape(member.name, BOOL, lowered_default=Literal(type=BOOL, text="false"))
    return ParameterShape(member.name, member.type, member.default, member.lowered_default)


def has_create(declared: ast.Aggregate) -> bool:
    macro = crudish(declared)
    return canonical_create(declared) is not None or (macro is not None and not is_update_only(macro))


def mutating_operations(declared: ast.Aggregate) -> set[str]:
    """The operations that change the instance or emit, themselves or through a sibling."""
    bodies = {item.name: item.body for item in declared.members if isinstance(item, ast.Operation)}
    changing = {name for name, body in bodies.items() if any(map(_changes, walk(body)))}
    changing |= {item.name for item in declared.members if isinstance(item, ast.Operation) and item.extern is not None}
    if crudish(declared) is not None:
        changing.add("update")
    callers = {name: set(called(body)) for name, body in bodies.items()}
    while more := {name for name, calls in callers.items() if name not in changing and calls & changing}:
        changing |= more
    return changing


def _changes(statement: ast.Statement) -> bool:
    return isinstance(statement, ast.Assign | ast.Emit)


def called(body: Iterable[ast.Statement]) -> Iterator[str]:
    """The bare or `this.` names that statements call, each alone or as the value of a `let`."""
    for statement in walk(body):
        if not isinstance(statement, ast.Evaluate | ast.Let) or not isinstance(statement.value, ast.Call):
            continue
        match statement.value.callee:
            case ast.Name(name=name) | ast.Member(target=ast.This(), name=name):
                yield name
