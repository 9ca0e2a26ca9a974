"""Places by path, looked up without a scan.

In: the places of a context or system. Out: a lookup that climbs to the nearest known declaration.
"""

from __future__ import annotations

from loom.base import NodePath
from loom.ir.places import Places


class Where:
    """`places` as a dictionary."""

    def __init__(self, places: Places) -> None:
        self._table = {item.path: item.at for item in reversed(places.entries)}

    def __call__(self, *path: str) -> NodePath:
        while path and path not in self._table:
            path = path[:-1]
        return self._table.get(path, NodePath(""))
