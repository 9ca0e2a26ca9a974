"""What a context offers beside its types: projections, named conditions and reads, channels, rows, rules.

In: these declarations, and the scope around them. Out: occurrences.
Never: an aggregate.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.lsp.names.declared import Declared, Type
from loom.lsp.names.members import Members
from loom.lsp.names.scope import Scope
from loom.parse import ast


class Entries(Members):
    """Walks through one declaration of a context."""

    def projection(self, node: ast.Projection, declared: Declared, scope: Scope) -> None:
        """Its rows, and what they are folded of or asked for."""
        row = Scope(scope.site, scope.home, declared)
        for field in node.fields:
            self.member(field, declared.members.get(field.name), row)
        if node.key is not None:
            self.refer(node.key, declared.members)
        asked = scope.inside(*declared.parameters)
        self.parameters(node.parameters, asked)
        self.optional(node.requires, asked)
        for fold in node.folds:
            self.reaction(fold, row)
        if node.source is not None:
            self._query(node, declared, self._source(node.source, asked))

    def _source(self, node: ast.ProjectionSource, scope: Scope) -> Scope:
        """The scope of what is asked: the source by its fields, and by the name that it is given."""
        found = self.root.type(node.name, scope.home)
        self.choose(node.name, self.of_kind(scope, "aggregate", "workflow"), scope)
        self.mark(node.at, found)
        inside = Scope(scope.site, scope.home, found, scope)
        self._alias(node.alias, node.at, found, inside)
        return inside

    def _alias(self, name: str, owner: int, found: Declared | None, scope: Scope) -> None:
        """`Owner as name`: it stands two tokens behind its owner."""
        if name:
            self.mark(owner + 2, scope.local("instance", name, owner + 2, _value(found)))

    def _query(self, node: ast.Projection, declared: Declared, scope: Scope) -> None:
        for join in node.joins:
            found = self.root.type(join.aggregate, scope.home)
            self.choose(join.aggregate, self.of_kind(scope, "aggregate"), scope)
            self.mark(join.at, found)
            self.mark(join.alias.at, scope.local("instance", join.alias.name, join.alias.at, _value(found)))
            self.expression(join.on, scope)
        self.optional(node.where, scope)
        for group in node.groups:
            self.expression(group, scope)
        for item in node.selects:
            column = declared.members.get(item.name)
            self.mark(item.at, column)
            kind = self.expression(item.value, scope)
            if column is not None and column.at == item.at:
                column.inferred = kind

    def predicate(self, node: ast.Criterion | ast.Retrieval, declared: Declared, scope: Scope) -> None:
        """Its condition reads an instance by its fields, or by the name that it is given."""
        self.type_name(node.of, scope)
        owner = self.root.type(node.of.name, scope.home)
        inside = Scope(scope.site, scope.home, owner, scope, {item.name: item for item in declared.parameters})
        self.parameters(node.parameters, inside)
        if isinstance(node, ast.Retrieval):
            self.selection(node.selection, inside)
            return
        self._alias(node.alias, node.of.at, owner, inside)
        self.expression(node.condition, inside)

    def channel(self, node: ast.Channel, scope: Scope) -> None:
        """The events that it carries; its key is a field of the first."""
        events = {item.name: item for item in self.of_kind(scope, "event")}
        for name in node.carries:
            self.refer(name, events)
        carried = [events[name.name] for name in node.carries if name.name in events]
        if node.key is not None and carried:
            self.refer(node.key, carried[0].members)

    def seed(self, node: ast.Seed, scope: Scope) -> None:
        """Rows of aggregates by the names of fields."""
        for row in node.rows:
            found = self.root.type(row.aggregate, scope.home)
            self.choose(row.aggregate, self.of_kind(scope, "aggregate"), scope)
            self.mark(row.at, found)
            self.fields(row.fields, found, scope)

    def policy(self, node: ast.Policy, scope: Scope) -> None:
        """The aggregates that its rules are about."""
        aggregates = {item.name: item for item in self.of_kind(scope, "aggregate")}
        for rule in node.rules:
            self.refer(rule.aggregate, aggregates)

    def of_kind(self, scope: Scope, *kinds: str) -> Iterator[Declared]:
        """What the context declares of these kinds."""
        types = scope.home.types.values() if scope.home is not None else ()
        yield from (item for item in types if item.kind in kinds)


def _value(declared: Declared | None) -> Type | None:
    """What a name for one of its instances is."""
    return Type(declared.name, declared) if declared is not None else None
