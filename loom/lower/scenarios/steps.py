"""End-to-end tests: calls of `api` and expectations, as requests and JSON.

In: a `test e2e` as written, and what its deployables serve. Out: a scenario.
Never: a type: what routes take and answer is known when they are planned (`loom.plan.scenarios`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from loom.base import nearest
from loom.ir import scenarios as ir
from loom.ir.deployment import Deployable
from loom.ir.places import DeclarationPath
from loom.ir.statements import Matcher
from loom.lower.bodies.blocks import statement_name
from loom.lower.problems.names import DuplicateLocal, LinkingError
from loom.lower.problems.tests import (
    E2eUnresolvedCall,
    E2eUnsupportedStatement,
    ExpectMatcher,
    ExpectThrowSubject,
    ExpectWithoutMatcher,
)
from loom.lower.scenarios.json import json
from loom.lower.scenarios.order import in_order
from loom.lower.scenarios.requests import is_request, request
from loom.lower.scope.source import Source
from loom.lower.signature import ContextSignature
from loom.parse import ast


class Served:
    """What each deployable serves, by its name; `partial` ones name a context that is unknown."""

    def __init__(
        self,
        deployables: Iterable[Deployable],
        signatures: Iterable[ContextSignature],
        partial: Iterable[str],
        test_cases: Iterable[str],
    ) -> None:
        self.partial = frozenset(partial)
        self.test_cases = frozenset(test_cases)
        by_name = {item.name: item for item in signatures}
        self.contexts: Mapping[str, tuple[ContextSignature, ...]] = {
            item.name: tuple(by_name[name] for name in item.contexts if name in by_name) for item in deployables
        }


class Stage(msgspec.Struct):
    """One scenario while it is read: `bound` grows statement by statement."""

    source: Source
    contexts: Mapping[str, tuple[ContextSignature, ...]]
    partial: frozenset[str]
    bound: set[str] = msgspec.field(default_factory=set)


def scenario(source: Source, declared: ast.EndToEndTest, served: Served) -> ir.Scenario:
    names = []
    for ref in declared.deployables:
        if ref.name in served.contexts:
            names.append(ref.name)
        else:
            near = nearest(ref.name, served.contexts)
            at = source.place(ref.at)
            source.report(LinkingError(at=at, kind="deployable", name=ref.name, nearest=near))
    stage = Stage(source, {name: served.contexts[name] for name in names}, served.partial)
    body = enumerate(in_order(declared.body))
    steps = [_step(stage, statement, (declared.name, str(number))) for number, statement in body]
    return ir.Scenario(
        name=declared.name,
        deployables=tuple(dict.fromkeys(names)),
        steps=tuple(step for step in steps if step is not None),
        verifies=_verified(source, declared, served),
    )


def _verified(source: Source, declared: ast.EndToEndTest, served: Served) -> str:
    case = declared.verifies
    if case is None or case.name in served.test_cases:
        return case.name if case is not None else ""
    near = nearest(case.name, served.test_cases)
    source.report(LinkingError(at=source.place(case.at), kind="test case", name=case.name, nearest=near))
    return ""


def _step(stage: Stage, node: ast.Statement, path: DeclarationPath) -> ir.ScenarioStep | None:
    stage.source.declare(node.at, *path)
    match node:
        case ast.Let():
            return _let(stage, node, path)
        case ast.Evaluate(value=value):
            if not is_request(value):
                _not_a_call(stage, node.at, value)
                return None
            made = request(stage, value, path)
            return ir.Send(name="", request=made) if made is not None else None
        case ast.Expect():
            return _expect(stage, node, path)
        case ast.Unsupported(at=at, feature=feature):
            stage.source.unsupported(at, feature)
        case _:
            place = stage.source.place(node.at)
            stage.source.report(E2eUnsupportedStatement(at=place, statement=statement_name(node)))
    return None


def _not_a_call(stage: Stage, at: int, node: ast.Expression) -> None:
    name = ""
    if isinstance(node, ast.Call) and isinstance(node.callee, ast.Name | ast.Member):
        name = node.callee.name
    stage.source.report(E2eUnresolvedCall(at=stage.source.place(at), name=name or "this"))


def _let(stage: Stage, node: ast.Let, path: DeclarationPath) -> ir.ScenarioStep | None:
    if node.name in stage.bound:
        stage.source.report(DuplicateLocal(at=stage.source.place(node.at), name=node.name))
    step: ir.ScenarioStep | None
    if is_request(node.value):
        made = request(stage, node.value, path)
        step = ir.Send(name=node.name, request=made) if made is not None else None
    else:
        value = json(stage, node.value, (*path, ir.BOUND))
        step = ir.BindValue(name=node.name, value=value) if value is not None else None
    stage.bound.add(node.name)
    return step


def _expect(stage: Stage, node: ast.Expect, path: DeclarationPath) -> ir.ScenarioStep | None:
    at = stage.source.place(node.at)
    if not node.matcher:
        stage.source.report(ExpectWithoutMatcher(at=at))
        return None
    if node.matcher == "toThrow":
        return _refusal(stage, node, path)
    known = {item.value: item for item in Matcher}
    if node.matcher not in known or len(node.arguments) != 1:
        hint = "use toBe, toBeGreaterThan, toBeLessThan, their OrEqual forms or toBeSameInstant with one value"
        stage.source.report(ExpectMatcher(at=at, name=node.matcher, hint=hint))
        return None
    actual = json(stage, node.actual, (*path, ir.ACTUAL))
    expected = json(stage, node.arguments[0], (*path, ir.EXPECTED))
    if actual is None or expected is None:
        return None
    return ir.ExpectJson(actual=actual, matcher=known[node.matcher], expected=expected, negated=node.is_negated)


def _refusal(stage: Stage, node: ast.Expect, path: DeclarationPath) -> ir.ScenarioStep | None:
    at = stage.source.place(node.at)
    status = _status(node.arguments)
    if status is None or node.is_negated:
        hint = "write `toThrow()` or `toThrow(409)`, without `not`"
        stage.source.report(ExpectMatcher(at=at, name="toThrow", hint=hint))
        return None
    if not is_request(node.actual):
        stage.source.report(ExpectThrowSubject(at=at))
        return None
    made = request(stage, node.actual, path)
    return ir.ExpectRefusal(request=made, status=status) if made is not None else None


def _status(arguments: tuple[ast.Expression, ...]) -> int | None:
    """0 for any refusal; None when the argument is no status."""
    match arguments:
        case ():
            return 0
        case (ast.IntLiteral(value=value),) if 400 <= value <= 599:
            return value
        case _:
            return None
