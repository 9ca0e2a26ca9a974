"""Names and members: what each stands for, in the order of the language.

Parameters and locals first, then members of the instance, then functions and criteria, then enum values.
In: a name or a member as written. Out: the typed read, or None when it is wrong.
"""

from __future__ import annotations

from typing import Literal

from loom.base import Diagnostic, nearest
from loom.ir.expressions import EnumLiteral, Expr, Field, Local, This
from loom.ir.types import ArrayType, EnumType, OptionalType, ScalarKind, Type, WorkflowType
from loom.lower.expressions.builtin.forms import FORMS
from loom.lower.expressions.builtin.members import member_builtin
from loom.lower.expressions.guards import advice, path_of, printed_path
from loom.lower.expressions.predicates import predicate
from loom.lower.expressions.principal import PRINCIPAL, claim, permission
from loom.lower.problems.expressions import IntrinsicBare, SelfReferenceBeforeCreate
from loom.lower.problems.finds import FindWhereUnknownField
from loom.lower.problems.members import FieldDefaultNotConstant, ThisIdInCreate
from loom.lower.problems.names import AmbiguousEnumValue, UnknownMember, UnknownName
from loom.lower.problems.projections import ProjectionSelectUnresolved
from loom.lower.problems.reading import RetrievalWhereUnknownField
from loom.lower.problems.types import OptionalAccess
from loom.lower.problems.workflows import WorkflowFunctionUsesState, WorkflowUncorrelatedStateRead, WorkflowUnknownName
from loom.lower.scope.frames import ENTRIES, UNTOLD, Body, Frame
from loom.lower.scope.members_of import instance_of
from loom.lower.scope.relations import scalar_kind, show
from loom.lower.scope.shapes import MemberShape
from loom.parse import ast


def name(frame: Frame, node: ast.Name, expected: Type | None) -> Expr | None:  # noqa: C901 - the order is the rule
    if node.name in frame.locals:
        return _local(frame, node)
    if frame.this is not None and (found := frame.this.members.get(node.name)) is not None:
        return _own_field(frame, node, found)
    if is_function(frame, node.name):
        form = f"{node.name}(…)"
        return frame.fail(IntrinsicBare(at=frame.at(node.at), case="bare", name=node.name, form=form))
    if (named := frame.scope.tables.predicates.get(node.name)) is not None:
        return predicate(frame, ast.Call(node.at, node, ()), named)
    if node.name in frame.scope.tables.enum_values:
        return _enum_value(frame, node, expected)
    if node.name in FORMS:
        return frame.fail(IntrinsicBare(at=frame.at(node.at), case="bare", name=node.name, form=FORMS[node.name]))
    if node.name in PRINCIPAL:
        form = f"{node.name}.{'claim' if node.name == 'currentUser' else 'name'}"
        return frame.fail(IntrinsicBare(at=frame.at(node.at), case="bare", name=node.name, form=form))
    if frame.scope.names.is_unsupported(node.name) or (frame.this is not None and frame.this.is_partial):
        return None
    return frame.fail(unknown_name(frame, node.at, node.name))


def is_function(frame: Frame, called: str) -> bool:
    own = frame.this is not None and called in frame.this.functions
    return own or called in frame.functions or called in frame.scope.tables.functions


def _local(frame: Frame, node: ast.Name) -> Expr | None:
    binding = frame.locals[node.name]
    frame.read.add(node.name)
    if binding.type is None:
        return None
    return Local(type=frame.narrowed.get(node.name, binding.type), name=node.name)


def _own_field(frame: Frame, node: ast.Name | ast.Member, found: MemberShape) -> Expr | None:
    if frame.body is Body.DEFAULT:
        what = f"the field `{found.name}`"
        return frame.fail(FieldDefaultNotConstant(at=frame.at(node.at), name=frame.owner, what=what))
    if frame.body is Body.WORKFLOW_FUNCTION:
        problem = WorkflowFunctionUsesState(at=frame.at(node.at), name=frame.owner, field=node.name)
        return frame.fail(problem)
    if frame.keyless:
        return frame.fail(WorkflowUncorrelatedStateRead(at=frame.at(node.at), name=node.name))
    if found.type is None or frame.this is None:
        return None
    type_ = frame.narrowed.get(f"this.{found.name}", found.type)
    return Field(type=type_, receiver=This(type=frame.this.type), name=found.name, kind=found.kind)


def _enum_value(frame: Frame, node: ast.Name, expected: Type | None) -> Expr | None:
    """The expected enum first, so that two enums may share a value."""
    owners = frame.scope.tables.enum_values[node.name]
    wanted = expected.of if isinstance(expected, OptionalType) else expected
    if isinstance(wanted, EnumType) and wanted.ref in owners:
        return EnumLiteral(type=wanted, value=node.name)
    if len(owners) == 1:
        return EnumLiteral(type=EnumType(ref=owners[0]), value=node.name)
    if expected == UNTOLD:
        return None
    enums = ", ".join(owner.name for owner in owners)
    example = f"{owners[0].name}.{node.name}"
    return frame.fail(AmbiguousEnumValue(at=frame.at(node.at), name=node.name, enums=enums, example=example))


# What other languages call the values that every language has.
_ELSEWHERE = {
    **dict.fromkeys(("True", "TRUE"), "true"),
    **dict.fromkeys(("False", "FALSE"), "false"),
    **dict.fromkeys(("None", "NULL", "Null", "nil", "undefined"), "null"),
    **dict.fromkeys(("self", "me"), "this"),
}


def unknown_name(frame: Frame, at: int, missing: str) -> Diagnostic:
    """The report for a name that means nothing, in the words of the body around it."""
    members = list(frame.this.members) if frame.this is not None else []
    known = [*frame.locals, *members, *frame.scope.tables.predicates, *frame.scope.tables.enum_values]
    near = _ELSEWHERE.get(missing) or nearest(missing, known)
    place = frame.at(at)
    if frame.body is Body.FIND and frame.this is not None:
        return FindWhereUnknownField(at=place, aggregate=frame.this.name, name=missing, nearest=near)
    if frame.body is Body.RETRIEVAL and frame.this is not None:
        return RetrievalWhereUnknownField(at=place, aggregate=frame.this.name, name=missing, nearest=near)
    if frame.body is Body.PROJECTION:
        return ProjectionSelectUnresolved(at=place, name=missing, source=frame.owner, nearest=near)
    if frame.body in (*ENTRIES, Body.AFTER_COMMIT):
        return WorkflowUnknownName(at=place, name=missing, nearest=near)
    return UnknownName(at=place, name=missing, nearest=near)


def this(frame: Frame, node: ast.This) -> Expr | None:
    if frame.this is None or isinstance(frame.this.type, WorkflowType):
        return frame.fail(SelfReferenceBeforeCreate(at=frame.at(node.at)))
    if frame.body is Body.DEFAULT:
        return frame.fail(FieldDefaultNotConstant(at=frame.at(node.at), name=frame.owner, what="`this`"))
    return This(type=frame.this.type)


def is_value_name(frame: Frame, called: str) -> bool:
    """Whether a bare name reads something, as opposed to naming a declaration."""
    return called in frame.locals or (frame.this is not None and called in frame.this.members)


def _is_known(frame: Frame, called: str) -> bool:
    """Whether a bare name means something that the model declares."""
    tables = frame.scope.tables
    return (
        is_value_name(frame, called)
        or is_function(frame, called)
        or called in tables.predicates
        or called in tables.enum_values
    )


def member(frame: Frame, node: ast.Member) -> Expr | None:
    match node.target:
        case ast.Name(name=head) if not is_value_name(frame, head) and head in frame.scope.tables.enums:
            return _qualified(frame, node, head)
        case ast.Name(name=head) if head in PRINCIPAL and not _is_known(frame, head):
            return claim(frame, node) if head == "currentUser" else permission(frame, node)
        case ast.This() if frame.this is not None and (found := frame.this.members.get(node.name)):
            if node.name == "id" and frame.body is Body.CREATE:
                return frame.fail(ThisIdInCreate(at=frame.at(node.at)))
            return _own_field(frame, node, found)
    target = frame.lower(node.target)
    return None if target is None else _member_of(frame, node, target)


def _qualified(frame: Frame, node: ast.Member, enum: str) -> Expr | None:
    ref, values = frame.scope.tables.enums[enum]
    if node.name in values:
        return EnumLiteral(type=EnumType(ref=ref), value=node.name)
    near = nearest(node.name, values)
    return frame.fail(UnknownMember(at=frame.at(node.at), owner=enum, name=node.name, nearest=near))


def _member_of(frame: Frame, node: ast.Member, target: Expr) -> Expr | None:
    if isinstance(target.type, OptionalType):
        return frame.fail(optional_access(frame, node.target, node.at))
    shape = instance_of(frame.scope.tables, target.type)
    if shape is None:
        if isinstance(target.type, ArrayType) or scalar_kind(target.type) in _WITH_BUILTINS:
            return member_builtin(frame, node, target)
        return frame.fail(_unknown_member(frame, node, show(target.type), []))
    found = shape.members.get(node.name)
    if found is None:
        if node.name in shape.functions:
            form = f"{node.name}(…)"
            return frame.fail(IntrinsicBare(at=frame.at(node.at), case="bare", name=node.name, form=form))
        return None if shape.is_partial else frame.fail(_unknown_member(frame, node, shape.name, list(shape.members)))
    if found.type is None:
        return None
    type_ = frame.narrowed.get(path_of(frame, node), found.type) if frame.narrowed else found.type
    return Field(type=type_, receiver=target, name=found.name, kind=found.kind)


_WITH_BUILTINS = (
    ScalarKind.STRING,
    ScalarKind.INT,
    ScalarKind.LONG,
    ScalarKind.DECIMAL,
    ScalarKind.MONEY,
    ScalarKind.DATETIME,
)


def optional_access(frame: Frame, target: ast.Expression, at: int) -> OptionalAccess:
    path = printed_path(frame, target)
    case: Literal["name", "value"] = "name" if path else "value"
    return OptionalAccess(at=frame.at(at), case=case, name=path, hint=advice(frame, target))


def _unknown_member(frame: Frame, node: ast.Member, owner: str, known: list[str]) -> Diagnostic:
    near = nearest(node.name, known)
    if frame.body is Body.FIND and isinstance(node.target, ast.This):
        return FindWhereUnknownField(at=frame.at(node.at), aggregate=owner, name=node.name, nearest=near)
    if frame.body is Body.PROJECTION:
        return ProjectionSelectUnresolved(at=frame.at(node.at), name=node.name, source=owner, nearest=near)
    if frame.body is Body.RETRIEVAL and isinstance(node.target, ast.This):
        return RetrievalWhereUnknownField(at=frame.at(node.at), aggregate=owner, name=node.name, nearest=near)
    return UnknownMember(at=frame.at(node.at), owner=owner, name=node.name, nearest=near)
