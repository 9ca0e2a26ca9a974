"""Declarations, walked through: each name that stands somewhere, and what it means.

In: syntax trees and their `Root`. Out: `Occurrence`s; what is known at the cursor, if one is in the text.
Never: a guess: a name that could mean two things means none.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.lower.signature import EXPANDED
from loom.lsp.names.collect import OTHERS
from loom.lsp.names.declared import Declared, Root, Site
from loom.lsp.names.outside import Outside
from loom.lsp.names.routes import api
from loom.lsp.names.scope import Scope
from loom.parse import ast


class Resolver(Outside):
    """Walks whole files; `occurrences` and `wanted` are what it finds."""

    def file(self, file: str, tree: ast.File) -> None:
        self._outside(Site(file, ast.SYSTEM_CHUNK), tree.members, None)

    def _outside(self, site: Site, members: Iterable[object], owner: Declared | None) -> None:  # noqa: C901 - one arm a kind
        for node in members:
            self.site = site
            match node:
                case ast.System() | ast.Subdomain():
                    kind = "system" if isinstance(node, ast.System) else "subdomain"
                    made = self.root.others[kind].get(node.name)
                    self.mark(node.at, made)
                    self._outside(site, node.members, made)
                case ast.User() | ast.Auth() | ast.Tenancy():
                    self.callers(node)
                case ast.Permissions():
                    self.permissions(node, owner)
                case ast.Context():
                    self._context(Site(site.file, node.chunk), node)
                case ast.Function():
                    declared = self.root.functions[node.name]
                    self.member(node, declared, Scope(site))
                case ast.Enum() | ast.ValueObject() | ast.Payload() | ast.PayloadUnion():
                    self._type(node, self.root.types[node.name], Scope(site))
                case ast.Capability():
                    self._type(node, self.root.others["capability"].get(node.name), Scope(site))
                case _ if type(node) in OTHERS:
                    self._deployment(node)
                case _:
                    pass

    def _deployment(self, node: object) -> None:  # noqa: C901 - one arm a kind
        others = self.root.others
        self.mark(getattr(node, "at", 0), others[OTHERS[type(node)]].get(getattr(node, "name", "")))
        match node:
            case ast.Api():
                self._api(node)
            case ast.Resource():
                self._resource(node)
            case ast.ChannelSource():
                self.refer(node.channel, self.everywhere("channel"))
                self.refer(node.storage, others.get("storage", {}))
            case ast.TimerSource():
                self.refer(node.event, self.everywhere("event"))
            case ast.Deployable():
                for name in node.contexts:
                    self.refer(name, self._contexts())
                for name in node.data_sources:
                    self.refer(name, others.get("resource", {}))
                for name in node.channels:
                    self.refer(name, others.get("channelSource", {}))
                for name in node.serves:
                    self.refer(name, others.get("api", {}))
            case ast.EndToEndTest():
                for name in node.deployables:
                    self.refer(name, others.get("deployable", {}))
                self.verified(node.verifies)
                self.block(node.body, Scope(self.site, names={"api": api(self.root)}))
            case ast.Migration():
                self.migration(node)
            case ast.Requirement() | ast.Solution() | ast.TestCase():
                self.trace(node)
            case _:
                pass

    def _api(self, node: ast.Api) -> None:
        self.refer(node.source, self.root.others.get("subdomain", {}))
        for status in node.statuses:
            self.mark(status.at, self.root.types.get(status.error) or self.everywhere("payload").get(status.error))
        for route in node.routes:
            self.refer(route.context, self._contexts())
            home = self.root.homes.get(route.context.name)
            handlers = {name: item for name, item in home.types.items() if item.kind == "handler"} if home else {}
            self.refer(route.handler, handlers)

    def _resource(self, node: ast.Resource) -> None:
        self.refer(node.context, self._contexts())
        self.refer(node.use, self.root.others.get("storage", {}))
        home = self.root.homes.get(node.context.name) if node.context is not None else None
        for index in node.indexes:
            entity = home.types.get(index.entity) if home is not None else None
            self.mark(index.at, entity)
            for column in index.columns:
                self.refer(column, entity.members if entity is not None else {})

    def _contexts(self) -> dict[str, Declared]:
        return {name: home.declared for name, home in self.root.homes.items()}

    def _context(self, site: Site, node: ast.Context) -> None:  # noqa: C901 - one arm a kind
        home = self.root.homes[node.name]
        self.site = site
        self.mark(node.at, home.declared)
        for macro in node.macros:
            self._capability(macro.at, macro.name)
        for member in node.members:
            self.site = site
            match member:
                case ast.Test():
                    subject = member.subject and home.types.get(member.subject.name)
                    if member.subject:
                        self.mark(member.subject.at, subject or None)
                    self.verified(member.verifies)
                    self.block(member.body, Scope(site, home))
                case ast.Filter(condition=condition):
                    self.expression(condition, Scope(site, home))
                case ast.Implements(at=at, name=name):
                    self._capability(at, name)
                case ast.Seed():
                    self.seed(member, Scope(site, home))
                case ast.Policy():
                    self.policy(member, Scope(site, home))
                case ast.Unsupported() | ast.Stamp():
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
                    self.member(item, declared.members.get(item.name), inside)
            case ast.PayloadUnion(variants=variants):
                for variant in variants:
                    self.type_name(variant, scope)
            case ast.Repository():
                self._repository(node, declared, scope)
            case ast.Projection():
                self.projection(node, declared, scope)
            case ast.Criterion() | ast.Retrieval():
                self.predicate(node, declared, scope)
            case ast.Channel():
                self.channel(node, scope)
            case ast.Handler() | ast.PolicyFunction():
                self.member(node, declared, scope)
            case _:
                self._headers(node, inside)
                for member in getattr(node, "members", ()):
                    self._inner(member, declared, inside)

    def _headers(self, node: object, scope: Scope) -> None:
        match node:
            case ast.Workflow(requires=requires):
                self.optional(requires, scope)
            case ast.Aggregate(base=base, macros=macros):
                self.refer(base, {item.name: item for item in self.of_kind(scope, "aggregate")})
                for macro in macros:
                    self._capability(macro.at, macro.name)
            case _:
                pass

    def _capability(self, at: int, name: str) -> None:
        """One of the model's, or of the language's, which stand nowhere."""
        known = self.root.others.get("capability", {})
        supplied = [Declared("capability", item, Site("", ""), 0) for item in EXPANDED]
        self.choose(name, [*known.values(), *supplied], Scope(self.site))
        self.mark(at, known.get(name))

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
                self.verified(member.verifies)
                self.block(member.body, scope.inside())
            case ast.Filter(condition=condition):
                self.expression(condition, scope)
            case ast.Stamp(body=body):
                self.block(body, scope)
            case ast.Reactor() | ast.Apply():
                self.reaction(member, scope)
            case ast.Implements(at=at, name=name):
                self._capability(at, name)
            case ast.Unsupported():
                pass
            case _:
                name = getattr(member, "name", "") or type(member).__name__.removeprefix("Workflow").lower()
                self.member(member, declared.members.get(name), scope)

    def _repository(self, node: ast.Repository, declared: Declared, scope: Scope) -> None:
        aggregate = self.root.type(node.aggregate.name, scope.home)
        self.mark(node.aggregate.at, aggregate)
        for find in node.finds:
            self.member(find, declared.members.get(find.name), Scope(scope.site, scope.home, aggregate))


def resolve(root: Root, files: Iterable[tuple[str, ast.File]]) -> Resolver:
    """All names of the files."""
    found = Resolver(root)
    for file, tree in files:
        found.file(file, tree)
    return found
