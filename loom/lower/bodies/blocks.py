"""The loop over the statements of a body, the one dispatcher, and the statements that all bodies share.

In: statements as written and the frame of their body. Out: resolved statements.
Never: what only some bodies have. A subclass for each kind of body says which statements it allows, and reads
those that bodies read differently.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, NoReturn, assert_never

from loom.base import Feature
from loom.ir import statements as ir
from loom.ir.expressions import Expr
from loom.ir.types import NOTHING, NullType
from loom.lower.bodies.conditions import author_message, condition, source_of
from loom.lower.bodies.emits import emit
from loom.lower.bodies.flow import always_ends, ends
from loom.lower.expressions.defaults import hint
from loom.lower.expressions.guards import checked_by
from loom.lower.expressions.matches import matching
from loom.lower.problems.bodies import (
    BareExpressionStatement,
    DiscardedResult,
    ReturnType,
    ReturnUntyped,
    StatementNotAllowed,
    UnreachableStatement,
)
from loom.lower.problems.names import DuplicateLocal
from loom.lower.problems.types import TypeUnknownHere
from loom.lower.problems.workflows import WorkflowReturnType, WorkflowReturnUntyped
from loom.lower.scope.frames import UNTOLD, Check, Frame
from loom.lower.scope.relations import fitted, show
from loom.parse import ast

Lowered = tuple[ir.Statement | None, Frame]
Plain = (
    ast.Precondition
    | ast.Requires
    | ast.Assign
    | ast.Emit
    | ast.If
    | ast.For
    | ast.IfLet
    | ast.Return
    | ast.NotFound
    | ast.Expect
    | ast.MatchBlocks
    | ast.AfterCommit
    | ast.Enqueue
)


class Statements(ABC):
    """One kind of body. Statements that it does not allow go to `refused`, all others to the method of their kind."""

    UNTYPED: ClassVar[type[ReturnUntyped] | type[WorkflowReturnUntyped]] = ReturnUntyped
    MISTYPED: ClassVar[type[ReturnType] | type[WorkflowReturnType]] = ReturnType

    @abstractmethod
    def allows(self, frame: Frame, node: ast.Statement) -> bool: ...

    @abstractmethod
    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        """Reports a statement that is not allowed here."""

    def block(self, frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
        """The statements of `body`; wrong ones, and those that nothing reaches, are left out and reported."""
        result = []
        for index, node in enumerate(body):
            lowered, frame = self.one(frame, node)
            frame = _after(frame, node)
            if lowered is None:
                continue
            result.append(lowered)
            if ends(node, frame.scope.total) and body[index + 1 :]:
                frame.report(UnreachableStatement(at=frame.at(body[index + 1].at)))
                break
        return tuple(result)

    def one(self, frame: Frame, node: ast.Statement) -> Lowered:
        """A statement, and the frame for those after it."""
        if isinstance(node, ast.Unsupported):
            frame.scope.source.unsupported(node.at, node.feature)
            return None, frame
        if not self.allows(frame, node):
            return self.refused(frame, node)
        match node:
            case ast.Let():
                return self.let(frame, node)
            case ast.Evaluate():
                return self.evaluate(frame, node)
            case _:
                return self.plain(frame, node), frame

    def plain(self, frame: Frame, node: Plain) -> ir.Statement | None:  # noqa: C901 - one case a kind
        """A statement that binds nothing for those after it."""
        match node:
            case ast.Precondition():
                return precondition(frame, node)
            case ast.Requires():
                return _requires(frame, node)
            case ast.Assign():
                return self.assign(frame, node)
            case ast.Emit():
                return emit(frame, node)
            case ast.If():
                return self.branch(frame, node)
            case ast.For():
                return self.loop(frame, node)
            case ast.IfLet():
                return self.if_let(frame, node)
            case ast.Return():
                return self.returned(frame, node)
            case ast.NotFound():
                return self.not_found(frame, node)
            case ast.Expect():
                return self.expect(frame, node)
            case ast.MatchBlocks():
                return self.match(frame, node)
            case ast.AfterCommit():
                return self.after_commit(frame, node)
            case ast.Enqueue():
                return self.enqueue(frame, node)
        assert_never(node)

    def branch(self, frame: Frame, node: ast.If) -> ir.Statement | None:
        value = condition(frame, node.condition, "`if`")
        then = self.block(checked_by(frame, node.condition, Check.IF, holds=True), node.body)
        otherwise = self.block(checked_by(frame, node.condition, Check.IF, holds=False), node.otherwise)
        return None if value is None else ir.If(condition=value, then=then, otherwise=otherwise)

    def match(self, frame: Frame, node: ast.MatchBlocks) -> ir.Statement | None:
        frame.scope.source.use(node.at, Feature.VARIANT_MATCH)
        found = matching(frame, node.at, node.subject)
        cases = []
        for item in node.cases:
            variant = found.variant(item.variant)
            body = self.block(found.bound(item.name, variant), item.body)
            if variant is not None:
                cases.append(ir.MatchCase(variant=variant, name=item.name.name if item.name else "", body=body))
        otherwise = self.block(frame, node.otherwise or ())
        if found.is_total(has_else=node.otherwise is not None):
            frame.scope.total.add(id(node))
        if found.subject is None or len(cases) < len(node.cases):
            return None
        return ir.MatchVariants(subject=found.subject, cases=tuple(cases), otherwise=otherwise)

    def returned(self, frame: Frame, node: ast.Return) -> ir.Statement | None:
        value = frame.lower(node.value, frame.returns or UNTOLD)
        if frame.returns == NOTHING:
            frame.report(self.UNTYPED(at=frame.at(node.at), name=frame.owner))
            return None
        if value is None or frame.returns is None:
            return None
        fit = fitted(value, frame.returns)
        if fit is not None:
            return ir.Return(value=fit)
        expected, found = show(frame.returns), show(value.type)
        at, help_text = frame.at(node.value.at), hint(frame.returns, value.type)
        frame.report(self.MISTYPED(at=at, name=frame.owner, expected=expected, found=found, hint=help_text))
        return None

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        self._lacking(node)

    def evaluate(self, frame: Frame, node: ast.Evaluate) -> Lowered:
        self._lacking(node)

    def assign(self, frame: Frame, node: ast.Assign) -> ir.Statement | None:
        self._lacking(node)

    def loop(self, frame: Frame, node: ast.For) -> ir.Statement | None:
        self._lacking(node)

    def if_let(self, frame: Frame, node: ast.IfLet) -> ir.Statement | None:
        self._lacking(node)

    def not_found(self, frame: Frame, node: ast.NotFound) -> ir.Statement | None:
        self._lacking(node)

    def expect(self, frame: Frame, node: ast.Expect) -> ir.Statement | None:
        self._lacking(node)

    def after_commit(self, frame: Frame, node: ast.AfterCommit) -> ir.Statement | None:
        self._lacking(node)

    def enqueue(self, frame: Frame, node: ast.Enqueue) -> ir.Statement | None:
        self._lacking(node)

    def _lacking(self, node: ast.Statement) -> NoReturn:
        raise TypeError(f"{type(self).__name__} allows {statement_name(node)} but does not read it")


_STATEMENT_NAMES: Mapping[type, str] = {
    ast.Precondition: "`precondition`",
    ast.Requires: "`requires`",
    ast.Let: "`let`",
    ast.Assign: "an assignment",
    ast.Emit: "`emit`",
    ast.For: "`for`",
    ast.If: "`if`",
    ast.IfLet: "`if let`",
    ast.Return: "`return`",
    ast.NotFound: "`notFound`",
    ast.Evaluate: "a call",
    ast.Expect: "`expect`",
    ast.MatchBlocks: "`match`",
    ast.AfterCommit: "`afterCommit`",
    ast.Enqueue: "`enqueue`",
}


def statement_name(node: ast.Statement) -> str:
    return _STATEMENT_NAMES.get(type(node), "this statement")


def precondition(frame: Frame, node: ast.Precondition) -> ir.Statement | None:
    message = author_message(frame, node.at, node.message)
    value = condition(frame, node.condition, "`precondition`")
    if value is None:
        return None
    return ir.Precondition(condition=value, message=message, source=source_of(node.condition))


def _after(frame: Frame, node: ast.Statement) -> Frame:
    """What a guard says of the statements behind it."""
    match node:
        case ast.Precondition(condition=written) | ast.Requires(condition=written):
            return checked_by(frame, written, Check.BEFORE, holds=True)
        case ast.If(condition=written, body=body, otherwise=()) if always_ends(body):
            return checked_by(frame, written, Check.BEFORE, holds=False)
        case _:
            return frame


def _requires(frame: Frame, node: ast.Requires) -> ir.Statement | None:
    value = condition(frame, node.condition, "`requires`")
    return None if value is None else ir.Requires(condition=value, source=source_of(node.condition))


def free_name(frame: Frame, at: int, name: str) -> bool:
    """Whether `name` may be bound; a name that is taken is reported."""
    if name in frame.locals:
        frame.report(DuplicateLocal(at=frame.at(at), name=name))
        return False
    return True


def let_value(frame: Frame, node: ast.Let) -> Expr | None:
    value = frame.lower(node.value, None)
    if value is not None and isinstance(value.type, NullType):
        return frame.fail(TypeUnknownHere(at=frame.at(node.value.at), literal="null"))
    return value


def report_idle(frame: Frame, node: ast.Evaluate) -> None:
    """Reports an expression that stands alone; one that is wrong in itself is reported for that alone."""
    before = len(frame.scope.source.problems)
    value = frame.lower(node.value, None)
    if len(frame.scope.source.problems) > before:
        return
    at = frame.at(node.at)
    if not isinstance(node.value, ast.Call):
        frame.report(BareExpressionStatement(at=at))
    elif value is not None and value.type == NOTHING:
        statement, hint = f"the guard `{_called_name(node.value)}`", "write its preconditions here"
        frame.report(StatementNotAllowed(at=at, statement=statement, body=frame.body.value, hint=hint))
    elif value is not None:
        frame.report(DiscardedResult(at=at, name=_called_name(node.value)))


def _called_name(node: ast.Call) -> str:
    match node.callee:
        case ast.Name(name=name) | ast.Member(name=name):
            return name
        case _:
            return "this call"
