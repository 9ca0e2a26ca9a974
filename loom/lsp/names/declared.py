"""Declarations as an editor sees them: a name, a place, what is inside.

In: made by `collect`. Out: read by everything else of this folder.
Never: an expression's meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from loom.parse import ast


class Site(NamedTuple):
    """A file, and the chunk of it whose token numbers count."""

    file: str
    chunk: str


@dataclass(eq=False, repr=False, slots=True)
class Declared:
    """`type` is what was written behind the colon; `home` is the context around it, if there is one.

    `inferred` is the declaration that a local's value leads to, where it has no written type.
    """

    kind: str
    name: str
    site: Site
    at: int
    home: Home | None = None
    parent: Declared | None = None
    type: ast.TypeRef | None = None
    access: str = ""
    parameters: tuple[Declared, ...] = ()
    members: dict[str, Declared] = field(default_factory=dict)
    inferred: Type | None = None
    last: int = 0


class Type(NamedTuple):
    """A type as far as it matters here. `is_static` is true of the type's own name, as in `Order.create`."""

    name: str
    declared: Declared | None = None
    is_list: bool = False
    is_id: bool = False
    is_static: bool = False


@dataclass(eq=False, repr=False, slots=True)
class Home:
    """One context: what may be named in it without more."""

    declared: Declared
    root: Root
    types: dict[str, Declared] = field(default_factory=dict)
    permissions: Declared | None = None


@dataclass(eq=False, repr=False, slots=True)
class Root:
    """The whole model. `others` are all that stands outside of contexts and is no type, by kind and name."""

    types: dict[str, Declared] = field(default_factory=dict)
    functions: dict[str, Declared] = field(default_factory=dict)
    homes: dict[str, Home] = field(default_factory=dict)
    others: dict[str, dict[str, Declared]] = field(default_factory=dict)
    files: dict[str, list[Declared]] = field(default_factory=dict)

    def type(self, name: str, home: Home | None) -> Declared | None:
        """What a type name means in a context: its own, the root's, or another context's."""
        if home is not None and name in home.types:
            return home.types[name]
        if name in self.types:
            return self.types[name]
        return next((other.types[name] for other in self.homes.values() if name in other.types), None)

    def enum_values(self, name: str, home: Home | None) -> Iterator[Declared]:
        """Every value of that name in sight."""
        for declared in (*(home.types.values() if home else ()), *self.types.values()):
            if declared.kind == "enum" and name in declared.members:
                yield declared.members[name]
