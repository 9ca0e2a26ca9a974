"""What a workflow's own bodies change: the state of its instance, and nothing in an `eventSourced` one.

In: assignments as written, calls as lowered. Out: resolved assignments; reports.
"""

from __future__ import annotations

from loom.ir import statements as ir
from loom.ir.types import ArrayType
from loom.lower.bodies.assignments import assignment
from loom.lower.mentions import first_name
from loom.lower.problems.correlation import WorkflowKeyAssigned
from loom.lower.problems.sourcing import WorkflowEventsourcedAssign, WorkflowEventSourcedMutation
from loom.lower.problems.workflows import WorkflowUncorrelatedStateWrite, WorkflowUnrecognisedStatement
from loom.lower.scope.frames import Frame
from loom.parse import ast
from loom.parse.printer import show as print_expression


def assign_state(frame: Frame, node: ast.Assign) -> ir.Statement | None:
    name = _field(frame, node.target)
    if not name:
        _report_foreign(frame, node)
        return None
    at = frame.at(node.target.at)
    is_set = node.operator is ast.AssignOperator.SET
    if frame.keyless:
        frame.report(WorkflowUncorrelatedStateWrite(at=at, name=name))
    elif frame.folded is not None and is_set:
        frame.report(WorkflowEventsourcedAssign(at=at, name=name))
    elif frame.folded is not None:
        operator = node.operator.value
        frame.report(WorkflowEventSourcedMutation(at=at, case="state", name=name, operator=operator))
    elif _is_key(frame, name):
        frame.report(WorkflowKeyAssigned(at=at, name=name))
    elif not is_set:
        hint = "" if _is_list(frame, name) else f"write `{name} := {name} {node.operator.value[0]} …`"
        statement = f"`{node.operator.value}`"
        frame.report(WorkflowUnrecognisedStatement(at=frame.at(node.at), statement=statement, hint=hint))
    else:
        return assignment(frame, node)
    frame.lower(node.value, None)
    return None


def _field(frame: Frame, target: ast.Expression) -> str:
    """The field of the state that an assignment to `target` changes, or nothing."""
    match target:
        case ast.Name(name=name) | ast.Member(target=ast.This(), name=name):
            return name if frame.this is not None and name in frame.this.members else ""
        case ast.Member(target=inner):
            return "" if first_name(inner) in frame.locals else _field(frame, inner)
        case _:
            return ""


def _is_key(frame: Frame, name: str) -> bool:
    return frame.this is not None and frame.this.members[name] in frame.this.key_fields()


def _is_list(frame: Frame, name: str) -> bool:
    return frame.this is not None and isinstance(frame.this.members[name].type, ArrayType)


def _report_foreign(frame: Frame, node: ast.Assign) -> None:
    """Reports an assignment to something else, unless what it is was reported already."""
    if frame.this is not None and isinstance(node.target, ast.Name) and node.target.name not in frame.locals:
        assignment(frame, node)  # which names the fields that there are
        return
    frame.lower(node.value, None)
    binding = frame.locals.get(node.target.name) if isinstance(node.target, ast.Name) else None
    if binding is None or binding.type is not None:
        hint = "call an operation of the aggregate"
        statement = f"`{node.operator.value}`"
        frame.report(WorkflowUnrecognisedStatement(at=frame.at(node.at), statement=statement, hint=hint))


def check_emits_only(frame: Frame, node: ast.Expression, made: ir.Statement | None) -> None:
    """Reports what a call in an `eventSourced` workflow changes besides what follows from its events."""
    if frame.folded is None or not isinstance(node, ast.Call):
        return
    if isinstance(made, ir.CreateInstance | ir.Delete) or (isinstance(made, ir.Invoke) and made.mutates):
        frame.report(
            WorkflowEventSourcedMutation(at=frame.at(node.at), case="call", name=print_expression(node.callee))
        )
