"""What stands in a body, and which names it mentions, however much of it could be understood.

In: statements and expressions as written. Out: statements, nodes, names.
Never: what a name stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from msgspec.structs import astuple, replace

from loom.base import below as nodes_below
from loom.parse import ast

N = TypeVar("N")


def mentioned(node: object) -> set[str] | None:
    """The names in `node`; None when a part of it was not kept."""
    found = below(node)
    if any(isinstance(item, ast.Unsupported) for item in found):
        return None
    return {item.name for item in found if isinstance(item, ast.Name)}


def first_name(path: ast.Expression) -> str:
    """The name that a path such as `order.lines.first` begins with; empty for one that begins with something else."""
    while isinstance(path, ast.Member):
        path = path.target
    return path.name if isinstance(path, ast.Name) else ""


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


def below(node: object) -> list[ast.Node]:
    """Every node of the tree within `node`, itself included, in reading order."""
    return nodes_below(ast.Node, node)


def walk(body: Iterable[ast.Statement]) -> Iterator[ast.Statement]:
    """Every statement of `body`, nested ones after the one that holds them."""
    for statement in body:
        yield statement
        match statement:
            case ast.If(body=then, otherwise=otherwise) | ast.IfLet(body=then, otherwise=otherwise):
                yield from walk(then)
                yield from walk(otherwise)
            case ast.For(body=inner) | ast.AfterCommit(body=inner):
                yield from walk(inner)
            case ast.MatchBlocks(cases=cases, otherwise=otherwise):
                for case in cases:
                    yield from walk(case.body)
                yield from walk(otherwise or ())
