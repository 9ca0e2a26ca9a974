"""Where each declaration stands: beside the program, so that a moved line changes no meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loom.base import NodePath, Value

DeclarationPath = tuple[str, ...]


class Place(Value):
    """`path` names a declaration from the outside in, as ("Telescope", "schedule", "startsAt")."""

    path: DeclarationPath
    at: NodePath


class Places(Value):
    """All places of one context, or of the system (whose paths begin with the declaration's own name)."""

    entries: tuple[Place, ...]

    def at(self, *path: str) -> NodePath:
        """The place of the declaration at `path`, or of the nearest one around it."""
        return self.each([path])[0]

    def each(self, paths: Iterable[DeclarationPath]) -> list[NodePath]:
        """The same for several, which are looked up in one table."""
        table = {entry.path: entry.at for entry in self.entries}
        return [_nearest(table, path) for path in paths]


def _nearest(table: Mapping[DeclarationPath, NodePath], path: DeclarationPath) -> NodePath:
    while path and path not in table:
        path = path[:-1]
    return table.get(path, NodePath(""))
