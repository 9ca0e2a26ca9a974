"""Where printers of nodes meet: an expression holds functions, their bodies hold statements, and those expressions.

In: nodes. Out: documents. Each module beside this one registers how the nodes that it knows are laid out.
"""

from __future__ import annotations

from functools import singledispatch

from loom.backends.node.text import syntax as ts
from loom.backends.node.text.facts import is_forced
from loom.emit.layout import Doc, Measured


def doc(node: ts.Node) -> Doc:
    """`node` where its parent holds it."""
    if isinstance(node, ts.Atom):
        return f"({node.text})" if node.wrapped else node.text
    if node.flat is None or is_forced(node):
        return _wrapped(node)
    flat = f"({node.flat})" if node.wrapped else node.flat
    return Measured(flat, lambda _: _wrapped(node))


def _wrapped(node: ts.Node) -> Doc:
    inside = broken(node)
    return ("(", inside, ")") if node.wrapped else inside


@singledispatch
def broken(node: ts.Node) -> Doc:
    """`node` by itself, with the places where it may break."""
    raise TypeError(f"nothing lays out a {type(node).__name__}")
