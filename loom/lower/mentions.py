"""Which names a body mentions, however much of it could be understood.

In: statements and expressions as written. Out: names.
Never: what a name stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from loom.base import below as nodes_below
from loom.parse import ast

N = TypeVar("N")


def mentioned(node: object) -> set[str] | None:
    """The names in `node`; None when a part of it was not kept."""
    found = list(below(node))
    if any(isinstance(item, ast.Unsupported) for item in found):
        return None
    return {item.name for item in found if isinstance(item, ast.Name)}


def mapped(node: N, change: Callable[[Any], Any]) -> N:
    """`node` with `change` applied to every node in it, inner ones first."""
    made: N = _mapped(node, change)
    return made


def _mapped(node: Any, change: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - whatever a tree holds
    if isinstance(node, tuple):
        return tuple(_mapped(item, change) for item in node)
    if not isinstance(node, ast.Node):
        return node
    inside = zip(node.__struct_fields__, astuple(node), strict=True)
    return change(replace(node, **{name: _mapped(item, change) for name, item in inside}))


def below(node: object) -> Iterator[ast.Node]:
    """Every node of the tree within `node`, itself included, in reading order."""
    return nodes_below(ast.Node, node)
