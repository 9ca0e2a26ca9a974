"""Unit tests: values and aggregates made, operations called, answers compared.

In: tests as written. Out: IR tests.
Never: a repository, a workflow or the API.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from msgspec.structs import replace

from loom.base import nearest
from loom.ir import statements as st
from loom.ir.expressions import Expr, Null
from loom.ir.members import Test
from loom.ir.types import AggregateType, OptionalType, Type
from loom.lower.bodies.blocks import Lowered, Statements, free_name, let_value, report_idle, statement_name
from loom.lower.bodies.factories import create_instance, factory_target
from loom.lower.bodies.heads import bound_first, head_of, names_in
from loom.lower.bodies.invocations import OperationCall, bound_invocation, invocation
from loom.lower.bodies.services import service_statement
from loom.lower.expressions.defaults import assigned
from loom.lower.expressions.operators.comparison import comparable
from loom.lower.expressions.services import service_use
from loom.lower.problems.bodies import StatementNotAllowed
from loom.lower.problems.names import LinkingError
from loom.lower.problems.tests import (
    DuplicateTest,
    ExpectMatcher,
    ExpectThrowSubject,
    ExpectWithoutMatcher,
    TestRedundantFor,
)
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.relations import ORDERED, domain_of, show
from loom.parse import ast

_INTERFACE = ("toHaveText", "toHaveCount", "toBeVisible")


def unit_tests(frame: Frame, subject: str, members: Iterable[object], hoisted: Iterable[ast.Test]) -> tuple[Test, ...]:
    """The tests of one subject: those inside it, then those that name it from outside."""
    inside = [item for item in members if isinstance(item, ast.Test)]
    for item in inside:
        if item.subject is not None:
            frame.report(TestRedundantFor(at=frame.at(item.subject.at), name=item.name))
    return tests_of(frame, subject, (*inside, *hoisted), Body.TEST, TestStatements())


def tests_of(
    frame: Frame, subject: str, declared: Iterable[ast.Test], body: Body, statements: Statements
) -> tuple[Test, ...]:
    """Tests of one subject, whose titles differ."""
    seen: set[str] = set()
    made = []
    for item in declared:
        if item.name in seen:
            frame.report(DuplicateTest(at=frame.at(item.at), name=item.name))
        seen.add(item.name)
        frame.scope.source.declare(item.at, subject, item.name)
        inner = replace(frame, body=body, this=None, owner=item.name)
        made.append(Test(name=item.name, body=statements.block(inner, item.body), verifies=_verified(frame, item)))
    return tuple(made)


def _verified(frame: Frame, declared: ast.Test) -> str:
    case = declared.verifies
    known = frame.scope.names.test_cases
    if case is None or case.name in known:
        return case.name if case is not None else ""
    frame.report(
        LinkingError(at=frame.at(case.at), kind="test case", name=case.name, nearest=nearest(case.name, known))
    )
    return ""


class TestStatements(Statements):
    """What tests may say; those of a context also read."""

    __test__ = False

    def block(self, frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[st.Statement, ...]:
        """The statements of a test, with the calls ahead of them that they begin with."""
        taken, waiting = names_in(body), deque(body)
        made: list[st.Statement] = []
        while waiting:
            node = waiting.popleft()
            if (head := head_of(frame, node)) is not None:
                waiting.extendleft(reversed([*bound_first(node, head, taken)]))
                continue
            lowered, frame = self.one(frame, node)
            made += [lowered] if lowered is not None else []
        return tuple(made)

    def allows(self, frame: Frame, node: ast.Statement) -> bool:
        return isinstance(node, ast.Let | ast.Expect | ast.Precondition | ast.Emit | ast.Evaluate)

    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        at, name = frame.at(node.at), statement_name(node)
        frame.report(StatementNotAllowed(at=at, statement=name, body=frame.body.value, hint=""))
        return None, frame

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        is_free = free_name(frame, node.at, node.name)
        statement, type_ = _bound(frame, node)
        return (statement if is_free else None), frame.bind(node.name, type_, Origin.LET)

    def evaluate(self, frame: Frame, node: ast.Evaluate) -> Lowered:
        called = _operation(frame, node.value)
        if called is not None:
            return invocation(frame, called, ""), frame
        if (use := service_use(frame, node.value)) is not None:
            return service_statement(frame, use), frame
        report_idle(frame, node)
        return None, frame

    def expect(self, frame: Frame, node: ast.Expect) -> st.Statement | None:
        return _expect(frame, node)


def _bound(frame: Frame, node: ast.Let) -> tuple[st.Statement | None, Type | None]:
    value = node.value
    if (shape := factory_target(frame, value)) is not None and isinstance(value, ast.Call):
        return create_instance(frame, value, shape, node.name), AggregateType(ref=shape.ref)
    if (called := _operation(frame, value)) is not None:
        return bound_invocation(frame, called, node.name)
    plain = let_value(frame, node)
    return (st.Let(name=node.name, value=plain), plain.type) if plain is not None else (None, None)


def _operation(frame: Frame, node: ast.Expression) -> OperationCall | None:
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=receiver), name=method)) if receiver in frame.locals:
            type_ = frame.locals[receiver].type
        case _:
            return None
    shape = frame.scope.tables.aggregates.get(type_.ref.name) if isinstance(type_, AggregateType) else None
    operation = shape.operations.get(method) if shape is not None else None
    if shape is None or operation is None:
        return None
    if operation.private:
        at = frame.at(node.at)
        statement = f"the private operation `{method}`"
        frame.report(StatementNotAllowed(at=at, statement=statement, body=frame.body.value, hint="call a public one"))
    return OperationCall(node, receiver, shape.ref, operation)


def _expect(frame: Frame, node: ast.Expect) -> st.Statement | None:
    if not node.matcher:
        frame.lower(node.actual, None)
        frame.report(ExpectWithoutMatcher(at=frame.at(node.at)))
        return None
    if node.matcher == "toThrow":
        return _throws(frame, node)
    known = {item.value: item for item in st.Matcher if item is not st.Matcher.TO_BE_SAME_INSTANT}
    if node.matcher not in known or len(node.arguments) != 1:
        _matcher(frame, node)
        return None
    return _compared(frame, node, known[node.matcher])


def _matcher(frame: Frame, node: ast.Expect) -> None:
    if node.matcher == "toBeSameInstant":
        hint = "it belongs to `test e2e`"
    elif node.matcher in _INTERFACE:
        hint = "it belongs to tests of an interface"
    elif node.matcher == "toThrow":
        hint = "write `toThrow()`; a status belongs to `test e2e`, and `not` cannot stand before it"
    else:
        hint = "use toBe, toBeGreaterThan, toBeLessThan or their OrEqual forms with one value, or toThrow()"
    frame.report(ExpectMatcher(at=frame.at(node.at), name=node.matcher, hint=hint))


def _throws(frame: Frame, node: ast.Expect) -> st.Statement | None:
    if node.arguments or node.is_negated:
        _matcher(frame, node)
        return None
    attempt = _attempt(frame, node)
    return None if attempt is None else st.ExpectThrow(attempt=attempt)


def _attempt(frame: Frame, node: ast.Expect) -> st.Statement | None:
    actual = node.actual
    if (shape := factory_target(frame, actual)) is not None and isinstance(actual, ast.Call):
        return create_instance(frame, actual, shape, "")
    if (called := _operation(frame, actual)) is not None:
        return invocation(frame, called, "")
    if isinstance(actual, ast.Builder):
        value = frame.lower(actual, None)
        return st.Let(name="", value=value) if value is not None else None
    if frame.lower(actual, None) is not None:
        frame.report(ExpectThrowSubject(at=frame.at(node.at)))
    return None


def _compared(frame: Frame, node: ast.Expect, matcher: st.Matcher) -> st.Statement | None:
    actual = frame.lower(node.actual, None)
    expected = frame.lower(node.arguments[0], actual.type if actual is not None else None)
    if actual is None or expected is None:
        return None
    at = node.arguments[0].at
    sides = _sides(frame, at, actual, expected)
    if sides is None:
        return None
    is_ordering = matcher is not st.Matcher.TO_BE
    if is_ordering and (isinstance(actual.type, OptionalType) or domain_of(actual.type) not in ORDERED):
        hint = f"{show(actual.type)} has no order here"
        frame.report(ExpectMatcher(at=frame.at(node.at), name=node.matcher, hint=hint))
        return None
    return st.Expect(actual=sides[0], matcher=matcher, expected=sides[1], negated=node.is_negated)


def _sides(frame: Frame, at: int, actual: Expr, expected: Expr) -> tuple[Expr, Expr] | None:
    """Both in one type; an optional may be compared with null and with what it holds."""
    if not isinstance(actual.type, OptionalType) and not isinstance(expected, Null):
        sides = comparable(actual, expected)
        if sides is not None:
            return sides
    fit = assigned(frame, at, "toBe", expected, actual.type)
    return None if fit is None else (actual, fit)
