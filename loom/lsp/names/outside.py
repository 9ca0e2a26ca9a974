"""What stands outside of contexts beside deployments: callers and what they may, tenants, migrations, traces.

In: these declarations. Out: occurrences.
Never: a declaration of a context.
"""

from __future__ import annotations

from loom.lsp.names.declared import Declared
from loom.lsp.names.entries import Entries
from loom.lsp.names.scope import Scope
from loom.parse import ast


class Outside(Entries):
    """Walks through one declaration of the root or of a system."""

    def callers(self, node: ast.User | ast.Auth | ast.Tenancy) -> None:
        """What is known of who asks, where it comes from, and whose rows they see."""
        match node:
            case ast.User():
                for claim in node.claims:
                    self.mark(claim.at, self._claims().get(claim.name))
                    self.type_name(claim.type, Scope(self.site))
            case ast.Auth():
                for setting in node.claims:
                    self.mark(setting.at, self._claims().get(setting.name))
            case ast.Tenancy():
                self.refer(node.claim, self._claims())
                self.refer(node.registry, self.everywhere("aggregate"))

    def permissions(self, node: ast.Permissions, subdomain: Declared | None) -> None:
        """Each may include others of the same subdomain."""
        known = subdomain.members["permissions permissions"].members if subdomain is not None else {}
        for entry in node.entries:
            self.mark(entry.at, known.get(entry.name))
            for implied in entry.implies:
                self.refer(implied, known)

    def _claims(self) -> dict[str, Declared]:
        user = self.root.others.get("user", {}).get("currentUser")
        return user.members if user is not None else {}

    def migration(self, node: ast.Migration) -> None:
        """Its steps name what is there now; old names mean nothing any more."""
        aggregates = self.everywhere("aggregate")
        for step in node.steps:
            match step:
                case ast.RenamedField(new=field) | ast.Backfill(field=field):
                    found = aggregates.get(step.aggregate)
                    self.choose(step.aggregate, aggregates.values(), Scope(self.site))
                    self.mark(step.at, found)
                    self.refer(field, _stored(found))
                    if isinstance(step, ast.Backfill):
                        self.expression(step.value, Scope(self.site, found.home if found is not None else None, found))
                case ast.RenamedTable(new=table):
                    self.refer(table, aggregates)
                case _:
                    pass

    def trace(self, node: ast.Requirement | ast.Solution | ast.TestCase) -> None:
        """What is wanted, what meets it, and what shows it."""
        wanted = self.root.others.get("requirement", {})
        if isinstance(node, ast.Requirement):
            self.refer(node.parent, wanted)
            return
        self.refer(node.requirement, wanted)
        for path in node.parts:
            self._path(path)

    def verified(self, name: ast.NameRef | None) -> None:
        self.refer(name, self.root.others.get("testCase", {}))

    def _path(self, path: ast.NameRef) -> None:
        """`Sales.Orders.Order.place`: each name is two tokens behind the one before."""
        others = self.root.others
        known = {
            name: item for kind in ("subdomain", "deployable", "api") for name, item in others.get(kind, {}).items()
        }
        known |= {name: home.declared for name, home in self.root.homes.items()}
        for number, name in enumerate(path.name.split(".")):
            found = known.get(name)
            self.choose(name, known.values(), Scope(self.site))
            self.mark(path.at + 2 * number, found)
            known = {item.name: item for item in found.members.values()} if found is not None else {}

    def everywhere(self, kind: str) -> dict[str, Declared]:
        """What contexts declare of a kind; of one name, the first."""
        found: dict[str, Declared] = {}
        for home in self.root.homes.values():
            for name, item in home.types.items():
                if item.kind == kind:
                    found.setdefault(name, item)
        return found


def _stored(declared: Declared | None) -> dict[str, Declared]:
    members = declared.members if declared is not None else {}
    return {name: item for name, item in members.items() if item.kind == "property"}
