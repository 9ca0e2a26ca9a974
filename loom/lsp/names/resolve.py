"""Declarations, walked through: each name that stands somewhere, and what it means.

In: syntax trees and their `Root`. Out: `Occurrence`s; what is known at the cursor, if one is in the text.
Never: a guess: a name that could mean two things means none.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.lsp.names import collect
from loom.lsp.names.bodies import Bodies
from loom.lsp.names.declared import Declared, Root, Site, Type
from loom.lsp.names.routes import api
from loom.lsp.names.scope import Scope
from loom.parse import ast


class Resolver(Bodies):
    """Walks whole files; `occurrences` and `wanted` are what it finds."""

    def file(self, file: str, tree: ast.File) -> None:
        self._outside(Site(file, ast.SYSTEM_CHUNK), tree.members)

    def _outside(self, site: Site, members: Iterable[object]) -> None:
        for node in members:
            self.site = site
            match node:
                case ast.System() | ast.Subdomain():
                    kind = "system" if isinstance(node, ast.System) else "subdomain"
                    self.mark(node.at, self.root.others[kind].get(node.name))
                    self._outside(site, node.members)
                case ast.Context():
                    self._context(Site(site.file, node.chunk), node)
                case ast.Function():
                    declared = self.root.functions[node.name]
                    self._member(node, declared, Scope(site))
                case ast.Enum() | ast.ValueObject() | ast.Payload() | ast.PayloadUnion():
                    self._type(node, self.root.types[node.name], Scope(site))
                case ast.Api() | ast.Resource() | ast.Storage() | ast.Deployable() | ast.EndToEndTest():
                    self._deployment(node)
                case _:
                    pass

    def _deployment(  # noqa: C901 - one arm a kind
        self, node: ast.Api | ast.Resource | ast.Storage | ast.Deployable | ast.EndToEndTest
    ) -> None:
        others = self.root.others
        kind = type(node).__name__.lower()
        self.mark(node.at, others.get(kind, {}).get(node.name))
        match node:
            case ast.Api():
                self.refer(node.source, others.get("subdomain", {}))
            case ast.Resource():
                self.refer(node.context, self._contexts())
                self.refer(node.use, others.get("storage", {}))
            case ast.Deployable():
                for name in node.contexts:
                    self.refer(name, self._contexts())
                for name in node.data_sources:
                    self.refer(name, others.get("resource", {}))
                for name in node.serves:
                    self.refer(name, others.get("api", {}))
            case ast.EndToEndTest():
                for name in node.deployables:
                    self.refer(name, others.get("deployable", {}))
                self.block(node.body, Scope(self.site, names={"api": api(self.root)}))
            case ast.Storage():
                pass

    def _contexts(self) -> dict[str, Declared]:
        return {name: home.declared for name, home in self.root.homes.items()}

    def _context(self, site: Site, node: ast.Context) -> None:
        home = self.root.homes[node.name]
        self.site = site
        self.mark(node.at, home.declared)
        for member in node.members:
            self.site = site
            match member:
                case ast.Test():
                    subject = member.subject and home.types.get(member.subject.name)
                    if member.subject:
                        self.mark(member.subject.at, subject or None)
                    self.block(member.body, Scope(site, home))
                case ast.Filter(condition=condition):
                    self.expression(condition, Scope(site, home))
                case ast.Unsupported() | ast.Stamp() | ast.Implements():
                    pass
                case _:
                    self._type(member, home.types.get(member.name), Scope(site, home))

    def _type(self, node: object, declared: Declared | None, scope: Scope) -> None:  # noqa: C901 - one arm a kind
        if declared is None:
            return
        self.mark(getattr(node, "at", 0), declared)
        inside = Scope(scope.site, scope.home, declared if declared.kind not in ("enum", "repository") else None)
        match node:
            case ast.Enum(values=values):
                for value in values:
                    self.mark(value.at, declared.members.get(value.name))
            case ast.Event(fields=fields) | ast.Payload(fields=fields):
                for item in fields:
                    self._member(item, declared.members.get(item.name), inside)
            case ast.PayloadUnion(variants=variants):
                for variant in variants:
                    self.type_name(variant, scope)
            case ast.Repository():
                self._repository(node, declared, scope)
            case ast.ValueObject() | ast.Aggregate() | ast.EntityPart() | ast.Workflow() | ast.DomainService():
                if isinstance(node, ast.Workflow):
                    self.optional(node.requires, inside)
                for member in node.members:
                    self._inner(member, declared, inside)
            case _:
                pass

    def _inner(self, member: object, declared: Declared, scope: Scope) -> None:  # noqa: C901 - one arm a kind
        match member:
            case ast.EntityPart():
                self._type(member, declared.members.get(member.name), scope)
            case ast.Unique(columns=columns):
                for column in columns:
                    self.mark(column.at, declared.members.get(column.name))
            case ast.Invariant():
                self.expression(member.condition, scope)
                self.optional(member.when, scope)
            case ast.Test():
                self.block(member.body, scope.inside())
            case ast.Filter(condition=condition):
                self.expression(condition, scope)
            case ast.Stamp(body=body):
                self.block(body, scope)
            case ast.Reactor() | ast.Apply():
                self._reaction(member, scope)
            case ast.Unsupported() | ast.Implements():
                pass
            case _:
                name = getattr(member, "name", "") or type(member).__name__.removeprefix("Workflow").lower()
                self._member(member, declared.members.get(name), scope)

    def _reaction(self, node: ast.Reactor | ast.Apply, scope: Scope) -> None:
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

    def _repository(self, node: ast.Repository, declared: Declared, scope: Scope) -> None:
        aggregate = self.root.type(node.aggregate.name, scope.home)
        self.mark(node.aggregate.at, aggregate)
        for find in node.finds:
            self._member(find, declared.members.get(find.name), Scope(scope.site, scope.home, aggregate))

    def _member(self, node: object, declared: Declared | None, scope: Scope) -> None:
        """A field, or something with a body; `declared` is None for a second one of a name."""
        if declared is None or declared.at != getattr(node, "at", 0):
            return
        if declared.name:
            self.mark(declared.at, declared)
        inside = scope.inside(*declared.parameters)
        for parameter in getattr(node, "parameters", ()):
            self.mark(parameter.at, inside.names.get(parameter.name))
            self.type_name(parameter.type, scope)
            self.optional(parameter.default, scope, self.written(parameter.type, scope.home))
        written = getattr(node, "returns", None) or getattr(node, "type", None)
        if isinstance(written, ast.TypeRef):
            self.type_name(written, scope)
        self._bodies(node, inside, self.written(written, scope.home) if isinstance(written, ast.TypeRef) else None)

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
            case _:
                pass


def resolve(root: Root, files: Iterable[tuple[str, ast.File]]) -> Resolver:
    """All names of the files."""
    found = Resolver(root)
    for file, tree in files:
        found.file(file, tree)
    return found
