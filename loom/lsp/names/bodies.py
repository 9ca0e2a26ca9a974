"""Statements: what each name in them means.

In: bodies and their scopes. Out: occurrences. Never: a mistake reported; that is the compiler's business.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.lsp.names.declared import Type
from loom.lsp.names.expressions import Expressions
from loom.lsp.names.scope import Scope
from loom.parse import ast


class Bodies(Expressions):
    """Walks through blocks."""

    def block(self, body: Iterable[ast.Statement], scope: Scope) -> None:
        """Names that it introduces stay in it."""
        inside = scope.inside()
        for statement in body:
            self.statement(statement, inside)

    def statement(self, node: ast.Statement, scope: Scope) -> None:  # noqa: C901 - one arm a kind
        match node:
            case ast.Let():
                self.mark(node.at, scope.local("let", node.name, node.at, self.expression(node.value, scope)))
            case ast.Assign():
                self.expression(node.value, scope, self._target(node.target, scope))
            case ast.Emit():
                event = self.root.type(node.event, scope.home)
                events = scope.home.types.values() if scope.home else ()
                self.choose(node.event, [item for item in events if item.kind == "event"], scope)
                self.mark(node.at, event)
                self.fields(node.fields, event, scope)
            case ast.For():
                source = self.expression(node.source, scope)
                self._with_local("for", node, source and source._replace(is_list=False), node.body, scope)
            case ast.IfLet():
                self._with_local("let", node, self.expression(node.source, scope), node.body, scope)
                self.block(node.otherwise, scope)
            case ast.If():
                self.expression(node.condition, scope)
                self._blocks(node.body, node.otherwise, scope)
            case ast.Expect():
                self._each((node.actual, *node.arguments), scope)
            case ast.Precondition() | ast.Requires():
                self.expression(node.condition, scope)
            case ast.Evaluate() | ast.Return():
                self.expression(node.value, scope)
            case ast.MatchBlocks():
                self._match_blocks(node, scope)
            case ast.AfterCommit(body=body):
                self.block(body, scope)
            case ast.Enqueue():
                self._enqueued(node, scope)
            case _:
                pass

    def _each(self, nodes: Iterable[ast.Expression], scope: Scope) -> None:
        for node in nodes:
            self.expression(node, scope)

    def _match_blocks(self, node: ast.MatchBlocks, scope: Scope) -> None:
        self.expression(node.subject, scope)
        for item in node.cases:
            self.block(item.body, self.arm(item, scope))
        self.block(node.otherwise or (), scope)

    def _blocks(self, then: Iterable[ast.Statement], otherwise: Iterable[ast.Statement], scope: Scope) -> None:
        self.block(then, scope)
        self.block(otherwise, scope)

    def _enqueued(self, node: ast.Enqueue, scope: Scope) -> None:
        """The workflow or the handler by its name; what it is given as any other arguments."""
        callee = node.call.callee
        if isinstance(callee, ast.Name):
            self.mark(callee.at, self.root.type(callee.name, scope.home))
        self._each([argument.value for argument in node.call.arguments], scope)

    def _target(self, node: ast.Expression, scope: Scope) -> Type | None:
        """A field, also where a parameter is called the same."""
        own = scope.this.members.get(node.name) if isinstance(node, ast.Name) and scope.this else None
        if own is None:
            return self.expression(node, scope)
        self.mark(node.at, own)
        return self.type_of(own)

    def _with_local(
        self, kind: str, node: ast.For | ast.IfLet, value: Type | None, body: Iterable[ast.Statement], scope: Scope
    ) -> None:
        inside = scope.inside()
        self.mark(node.at, inside.local(kind, node.name, node.at, value))
        self.block(body, inside)
