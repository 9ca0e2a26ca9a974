"""Which names a body mentions, however much of it could be understood.

In: statements and expressions as written. Out: names.
Never: what a name stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from loom.parse import ast


def mentioned(node: object) -> set[str] | None:
    """The names in `node`; None when a part of it was not kept."""
    found = list(below(node))
    if any(isinstance(item, ast.Unsupported) for item in found):
        return None
    return {item.name for item in found if isinstance(item, ast.Name)}


def below(node: object) -> Iterator[object]:
    """Every node of the tree within `node`, itself included, in reading order."""
    if isinstance(node, tuple):
        for item in node:
            yield from below(item)
    elif is_dataclass(node):
        yield node
        for member in fields(node):
            yield from below(getattr(node, member.name))
