"""What a bare name may mean at one place.

In: declarations, added on the way in. Out: lookups, from the inside out.
Never: a type name; those are the home's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from loom.lsp.names.declared import Declared, Home, Site, Type


@dataclass(eq=False, slots=True)
class Scope:
    """`this` is the declaration around a body: an aggregate, a part, a value object, a workflow."""

    site: Site
    home: Home | None = None
    this: Declared | None = None
    around: Scope | None = None
    names: dict[str, Declared] = field(default_factory=dict)

    def inside(self, *declared: Declared) -> Scope:
        """A scope in this one, with some names of its own."""
        return Scope(self.site, self.home, self.this, self, {item.name: item for item in declared})

    def local(self, kind: str, name: str, at: int, inferred: Type | None) -> Declared:
        """A name that is known from here on."""
        made = Declared(kind, name, self.site, at, self.home, inferred=inferred)
        self.names[name] = made
        return made

    def lookup(self, name: str) -> Declared | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.around
        return self.this.members.get(name) if self.this is not None else None

    def visible(self) -> dict[str, Declared]:
        """Everything that a bare name may mean, the innermost winning."""
        found = dict(self.this.members) if self.this is not None else {}
        chain: list[Scope] = []
        scope: Scope | None = self
        while scope is not None:
            chain.append(scope)
            scope = scope.around
        for item in reversed(chain):
            found |= item.names
        return found
