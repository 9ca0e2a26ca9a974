"""Statements of workflow bodies: branches, loops, events, ends; `bindings` has the loads and calls.

In: statements as written and the frame of a create. Out: resolved statements.
Never: mutation of anything but through operations; saving is for whoever runs the body.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from msgspec.structs import replace

from loom.ir import statements as ir
from loom.ir.types import AggregateType, ArrayType, OptionalType, OptionType, Type
from loom.lower.bodies.bindings import evaluate, let
from loom.lower.bodies.blocks import Lowered, Statements, free_name, statement_name
from loom.lower.bodies.conditions import author_message
from loom.lower.bodies.later import after_commit, enqueue
from loom.lower.bodies.reads import RepositoryCall, answered, read, repository_call
from loom.lower.bodies.state import assign_state, check_emits_only
from loom.lower.problems.bodies import IfletBadSource, LoopSource, ReturnType, ReturnUntyped
from loom.lower.problems.workflows import (
    NotFoundDetail,
    WorkflowForeachSource,
    WorkflowReturnType,
    WorkflowReturnUntyped,
    WorkflowUnrecognisedStatement,
)
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.relations import show
from loom.parse import ast
from loom.parse.printer import show as print_expression


def workflow_block(frame: Frame, body: tuple[ast.Statement, ...]) -> tuple[ir.Statement, ...]:
    """The statements of `body`; wrong ones are left out, having been reported."""
    return (_HandlerStatements() if frame.body is Body.HANDLER else WorkflowStatements()).block(frame, body)


class WorkflowStatements(Statements):
    UNTYPED: ClassVar[type[ReturnUntyped] | type[WorkflowReturnUntyped]] = WorkflowReturnUntyped
    MISTYPED: ClassVar[type[ReturnType] | type[WorkflowReturnType]] = WorkflowReturnType

    def allows(self, frame: Frame, node: ast.Statement) -> bool:
        return not isinstance(node, ast.Expect | ast.MatchBlocks)

    def refused(self, frame: Frame, node: ast.Statement) -> Lowered:
        at, name = frame.at(node.at), statement_name(node)
        frame.report(WorkflowUnrecognisedStatement(at=at, statement=name, hint=""))
        return None, frame

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        made, after = let(frame, node)
        check_emits_only(frame, node.value, made)
        return made, after

    def evaluate(self, frame: Frame, node: ast.Evaluate) -> Lowered:
        made, after = evaluate(frame, node)
        check_emits_only(frame, node.value, made)
        return made, after

    def assign(self, frame: Frame, node: ast.Assign) -> ir.Statement | None:
        """State is the only thing that a workflow assigns itself."""
        return assign_state(frame, node)

    def after_commit(self, frame: Frame, node: ast.AfterCommit) -> ir.Statement | None:
        return after_commit(frame, node)

    def enqueue(self, frame: Frame, node: ast.Enqueue) -> ir.Statement | None:
        return enqueue(frame, node)

    def loop(self, frame: Frame, node: ast.For) -> ir.Statement | None:
        call = repository_call(frame, node.source)
        if call is None and _holds_many(frame, node.source):
            return self.loop_over_collection(frame, node)
        found = read(frame, call) if call is not None else None
        answer = answered(frame, call) if call is not None else None
        if call is None:
            frame.lower(node.source, None)
        is_single = answer is not None and answer[1] is not ir.Cardinality.MANY
        if is_single or (call is None and not _is_told_of(frame, node.source)):
            frame.report(_bad_source(frame, node.source.at, call, answer[1] if answer is not None else None))
            found = None
        type_ = answer[0] if answer is not None else None
        if not free_name(frame, node.at, node.name):
            return None
        inner = replace(frame, looping=True).bind(node.name, type_, Origin.LOADED)
        body = self.block(inner, node.body)
        return None if found is None else ir.ForEach(name=node.name, source=None, read=found, body=body)

    def loop_over_collection(self, frame: Frame, node: ast.For) -> ir.Statement | None:
        """Over what a local holds."""
        source = frame.lower(node.source, None)
        element = source.type.of if source is not None and isinstance(source.type, ArrayType) else None
        if source is not None and element is None:
            frame.report(LoopSource(at=frame.at(node.source.at), found=show(source.type)))
        if not free_name(frame, node.at, node.name):
            return None
        inner = replace(frame, looping=True).bind(node.name, element, _origin(frame, node.source))
        body = self.block(inner, node.body)
        if source is None or element is None:
            return None
        return ir.ForEach(name=node.name, source=source, read=None, body=body)

    def if_let(self, frame: Frame, node: ast.IfLet) -> ir.Statement | None:
        call = repository_call(frame, node.source)
        if call is None:
            return self._if_let_binding(frame, node)
        found = read(frame, call)
        answer = answered(frame, call)
        if answer is not None and answer[1] is not ir.Cardinality.OPTIONAL:
            at = frame.at(node.source.at)
            bad = f"`{call.printed}`"
            frame.report(
                IfletBadSource(
                    at=at, case="certain", found=bad, hint="use `findById`, `findBy` or a find that answers `T?`"
                )
            )
            found = None
        then, otherwise, is_free = self.branches(frame, node, answer[0] if answer is not None else None)
        if found is None or not is_free:
            return None
        return ir.IfLet(name=node.name, source=None, read=found, then=then, otherwise=otherwise)

    def _if_let_binding(self, frame: Frame, node: ast.IfLet) -> ir.Statement | None:
        """An optional that is bound already."""
        source = frame.lower(node.source, None)
        type_ = source.type.of if source is not None and isinstance(source.type, OptionalType | OptionType) else None
        if source is not None and (type_ is None or not isinstance(node.source, ast.Name)):
            at = frame.at(node.source.at)
            hint = "bind an optional first, or read one with `findById`, `findBy` or a find that answers `T?`"
            if type_ is None:
                frame.report(IfletBadSource(at=at, case="certain", found=show(source.type), hint=hint))
            else:
                asked = f"`{print_expression(node.source)}`"
                frame.report(IfletBadSource(at=at, case="inside", found=asked, hint=hint))
            source = None
        then, otherwise, is_free = self.branches(frame, node, type_)
        if source is None or not is_free:
            return None
        return ir.IfLet(name=node.name, source=source, read=None, then=then, otherwise=otherwise)

    def branches(
        self, frame: Frame, node: ast.IfLet, type_: Type | None
    ) -> tuple[tuple[ir.Statement, ...], tuple[ir.Statement, ...], bool]:
        """Both branches, and whether the name is free."""
        is_free = free_name(frame, node.at, node.name)
        origin = Origin.LOADED if isinstance(node.source, ast.Call | ast.Ignoring) else _origin(frame, node.source)
        then = self.block(frame.bind(node.name, type_, origin), node.body)
        missing = type_.ref.name if isinstance(type_, AggregateType) else ""
        unknown = "unknown" if type_ is None else ""
        otherwise = self.block(replace(frame, missing=missing or unknown), node.otherwise)
        return then, otherwise, is_free

    def not_found(self, frame: Frame, node: ast.NotFound) -> ir.Statement | None:
        detail = author_message(frame, node.at, node.message)
        if not detail and node.message is None:
            detail = f"{frame.missing} not found" if frame.missing else ""
            if not detail:
                frame.report(NotFoundDetail(at=frame.at(node.at)))
        return ir.NotFound(detail=detail) if detail else None


class _HandlerStatements(WorkflowStatements):
    def allows(self, frame: Frame, node: ast.Statement) -> bool:
        return not isinstance(node, ast.Expect)


def _origin(frame: Frame, source: ast.Expression) -> Origin:
    """How what `source` holds came to be."""
    binding = frame.locals.get(source.name) if isinstance(source, ast.Name) else None
    return binding.origin if binding is not None else Origin.LOOP


def _holds_many(frame: Frame, source: ast.Expression) -> bool:
    """Whether a local was bound to many aggregates that were read."""
    binding = frame.locals.get(source.name) if isinstance(source, ast.Name) else None
    is_read = binding is not None and binding.origin is Origin.LOADED
    return is_read and binding is not None and isinstance(binding.type, ArrayType)


def _is_told_of(frame: Frame, source: ast.Expression) -> bool:
    """Whether what is wrong with a source has been reported where it stands or was bound."""
    binding = frame.locals.get(source.name) if isinstance(source, ast.Name) else None
    return isinstance(source, ast.Unsupported) or (binding is not None and binding.type is None)


def _bad_source(
    frame: Frame, at: int, call: RepositoryCall | None, gives: ir.Cardinality | None
) -> WorkflowForeachSource:
    if call is None or gives is None:
        return WorkflowForeachSource(at=frame.at(at), case="other", name="")
    case: Literal["one", "page"] = "page" if gives is ir.Cardinality.PAGE else "one"
    return WorkflowForeachSource(at=frame.at(at), case=case, name=call.printed)
