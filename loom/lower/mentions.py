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
    below = list(_below(node))
    if any(isinstance(item, ast.Unsupported) for item in below):
        return None
    return {item.name for item in below if isinstance(item, ast.Name)}


def _below(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        for item in node:
            yield from _below(item)
    elif is_dataclass(node):
        yield node
        for member in fields(node):
            yield from _below(getattr(node, member.name))
