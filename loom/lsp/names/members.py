"""What is inside of a declaration: fields, heads, bodies, and what hears or folds an event.

In: members with their declarations, and the scope around them. Out: occurrences.
Never: what a context or a system holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.lsp.names import collect
from loom.lsp.names.bodies import Bodies
from loom.lsp.names.declared import Declared, Type
from loom.lsp.names.scope import Scope
from loom.parse import ast


class Members(Bodies):
    """Walks through members one by one."""

    def reaction(self, node: ast.Reactor | ast.Apply, scope: Scope) -> None:
        """What hears or folds an event knows it by the name before the colon."""
        event = self.root.type(node.event.name, scope.home)
        self.mark(node.event.at, event)
        typed = ast.TypeRef(node.event.at, node.event.name)
        declared = collect.parameter(
            ast.Parameter(node.parameter.at, node.parameter.name, typed), scope.site, scope.home
        )
        self.mark(node.parameter.at, declared)
        inside = scope.inside(declared)
        if isinstance(node, ast.Reactor):
            self.optional(node.by, inside)
        self.block(node.body, inside)

    def member(self, node: object, declared: Declared | None, scope: Scope) -> None:
        """A field, or something with a body; `declared` is None for a second one of a name."""
        if declared is None or declared.at != getattr(node, "at", 0):
            return
        if declared.name:
            self.mark(declared.at, declared)
        inside = scope.inside(*declared.parameters)
        self.parameters(getattr(node, "parameters", ()), inside)
        written = getattr(node, "returns", None) or getattr(node, "type", None)
        if isinstance(written, ast.TypeRef):
            self.type_name(written, scope)
        self._bodies(node, inside, self.written(written, scope.home) if isinstance(written, ast.TypeRef) else None)

    def parameters(self, written: Iterable[ast.Parameter], scope: Scope) -> None:
        """Of a head; `scope` knows them."""
        for item in written:
            self.mark(item.at, scope.names.get(item.name))
            self.type_name(item.type, scope)
            self.optional(item.default, scope, self.written(item.type, scope.home))

    def _bodies(self, node: object, scope: Scope, own: Type | None) -> None:  # noqa: C901 - one arm a kind
        match node:
            case ast.Property():
                self.optional(node.default, scope, own)
                self.optional(node.check, scope)
            case ast.Derived():
                self.expression(node.value, scope, own)
            case ast.Function(body=tuple() as body):
                self.block(body, scope)
            case ast.Function(body=body) if not isinstance(body, tuple):
                self.expression(body, scope, own)
            case ast.Find():
                self.optional(node.requires, scope)
                self.optional(node.where, scope)
            case ast.Operation():
                self.optional(node.requires, scope)
                self.optional(node.when, scope)
                self.block(node.body, scope)
            case ast.WorkflowCreate():
                self.optional(node.by, scope)
                self.optional(node.requires, scope)
                self.block(node.body, scope)
            case ast.Create() | ast.Destroy() | ast.ServiceOperation():
                self.block(node.body, scope)
            case ast.Handler():
                self.block(node.body or (), scope)
            case ast.PolicyFunction():
                self.expression(node.condition, scope)
            case _:
                pass
