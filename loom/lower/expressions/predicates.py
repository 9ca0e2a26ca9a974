"""Criteria and policies where they are used: the condition that they stand for.

In: a name or a call as written. Out: the condition, typed, with the values that it is given.
Never: a call that remains.
"""

from __future__ import annotations

from msgspec.structs import replace

from loom.ir.expressions import Expr
from loom.ir.types import BOOL
from loom.lower.expressions.arguments import may_be_left_out, passed
from loom.lower.expressions.principal import asking
from loom.lower.expressions.substitution import substituted
from loom.lower.problems.predicates import CriterionArity, CriterionTargetMismatch, PolicyFnArity
from loom.lower.problems.reading import FindallCriterionArity
from loom.lower.problems.types import ConditionNotBool
from loom.lower.scope.frames import QUERIES, Binding, Body, Frame, Origin
from loom.lower.scope.relations import show
from loom.lower.scope.shapes import PredicateShape
from loom.parse import ast

Arity = CriterionArity | PolicyFnArity | FindallCriterionArity


def predicate(frame: Frame, node: ast.Call, found: PredicateShape) -> Expr | None:
    arity = CriterionArity if isinstance(found.declaration, ast.Criterion) else PolicyFnArity
    if not _is_about_this(frame, node.at, found) or not is_right_count(frame, node, found, arity):
        for argument in node.arguments:
            frame.lower(argument.value)
        return None
    given = passed(frame, node, found.name, found.parameters)
    value = condition_of(frame, found)
    if given is None or value is None:
        return None
    names = [item.name for item in found.parameters]
    return asking(frame, node.at, substituted(value, dict(zip(names, given, strict=True))))


def condition_of(frame: Frame, found: PredicateShape) -> Expr | None:
    """The condition over its own parameters, and the instance of `frame` if it is about one."""
    if not found.is_sound:
        return None
    body = Body.CRITERION_OF_QUERY if frame.body in QUERIES else Body.CRITERION
    inner = Frame(
        scope=frame.scope,
        body=body if isinstance(found.declaration, ast.Criterion) else Body.POLICY,
        evaluate=frame.evaluate,
        this=frame.this if found.target else None,
        aggregate=frame.aggregate if found.target else None,
        owner=found.name,
        locals={item.name: Binding(item.type, Origin.PARAMETER) for item in found.parameters},
    )
    value = inner.lower(found.condition, BOOL)
    if value is None or value.type == BOOL:
        return value
    what = "a criterion" if found.target else "a policy"
    return frame.fail(ConditionNotBool(at=frame.at(found.condition.at), what=what, found=show(value.type)))


def _is_about_this(frame: Frame, at: int, found: PredicateShape) -> bool:
    if not found.target or not found.is_sound:
        return True
    here = frame.this.name if frame.this is not None else ""
    if here and found.target in kinds_of(frame, here):
        return True
    frame.report(
        CriterionTargetMismatch(
            at=frame.at(at), case="other" if here else "none", name=found.name, target=found.target, found=here
        )
    )
    return False


def kinds_of(frame: Frame, name: str) -> list[str]:
    """An aggregate and what it extends."""
    tables, found = frame.scope.tables, [name]
    declared = tables.aggregates.get(name) or tables.bases.get(name)
    while declared is not None and (base := declared.declaration.base) is not None and base.name not in found:
        found.append(base.name)
        declared = tables.bases.get(base.name)
    return found


def is_right_count(frame: Frame, node: ast.Call, found: PredicateShape, refusal: type[Arity]) -> bool:
    """Whether a call gives as many values as `found` takes; it is reported as `refusal` if not."""
    required = sum(1 for item in found.parameters if not may_be_left_out(item))
    if required <= len(node.arguments) <= len(found.parameters):
        return True
    most = len(found.parameters)
    expected = {0: "no value", 1: "one value"}.get(most, f"{most} values")
    frame.report(
        refusal(
            at=frame.at(node.at),
            name=found.name,
            expected=expected if required == most else f"{required} to {most} values",
            found=len(node.arguments),
            parameters=", ".join(f"{item.name}: {show(item.type)}" for item in found.parameters) or "none",
        )
    )
    return False


def with_default_target(frame: Frame, found: PredicateShape) -> Frame:
    """The frame in which a declaration is looked at by itself."""
    tables = frame.scope.tables
    shape = tables.aggregates.get(found.target) or tables.bases.get(found.target)
    return replace(frame, this=shape.instance if shape is not None else None, aggregate=shape)
