"""How Biome lays out types.

In: trees of types. Out: documents.
"""

from __future__ import annotations

from typing import assert_never

from loom.backends.node.text import syntax as ts
from loom.emit.layout import LINE, SOFT, Doc, Group, IfBroken, Indent, Measured, join

STEP = 2
TypeNode = ts.Named | ts.Union | ts.Many | ts.Shape
_KEYWORDS = frozenset(["bigint", "boolean", "null", "number", "string", "unknown", "void"])


def type_doc(node: ts.Node) -> Doc:
    """A type where nothing around it indents it."""
    return Measured(node.flat, lambda _: _broken(node)) if node.flat is not None else _broken(node)


def _broken(node: ts.Node) -> Doc:
    assert isinstance(node, TypeNode)
    match node:
        case ts.Named():
            return (node.name, type_arguments(node.arguments))
        case ts.Union():
            return union(node)
        case ts.Many(of=of):
            return (type_doc(of), "[]") if not of.wrapped else (_parenthesised(of), "[]")
        case ts.Shape():
            members = join((";", LINE), map(declared, node.members))
            return Group(("{", Indent((LINE, members, IfBroken(";")), STEP), LINE, "}"), node.expanded)
    assert_never(node)


def _parenthesised(node: ts.Node) -> Doc:
    if isinstance(node, ts.Union) and not is_hugged(node):
        return Group(("(", Indent((SOFT, _options(node, leading=False)), STEP), SOFT, ")"))
    return ("(", type_doc(node), ")")


def union(node: ts.Union) -> Doc:
    """`A | B`; an option a line, below what it is the type of."""
    if is_hugged(node):
        return join(" | ", map(type_doc, node.options))
    return Group(Indent(_options(node, leading=True), STEP))


def _options(node: ts.Union, *, leading: bool) -> Doc:
    start: Doc = IfBroken((LINE if leading else "", "| "))
    return (start, join((LINE, "| "), map(type_doc, node.options)))


def is_hugged(node: ts.Node) -> bool:
    """Whether a union is one thing that may be absent."""
    if not isinstance(node, ts.Union):
        return False
    present = [item for item in node.options if item.flat not in ("null", "void")]
    return len(present) == 1 and isinstance(present[0], ts.Shape | ts.Named) and not _is_keyword(present[0])


def _is_keyword(node: ts.Node) -> bool:
    return isinstance(node, ts.Named) and (node.name in _KEYWORDS or node.name[0] in "'\"")


def declared(node: ts.Node) -> Doc:
    assert isinstance(node, ts.Declared)
    return annotated(node.name, node.type)


def annotated(name: Doc, kind: ts.Node) -> Doc:
    """`name: type`"""
    if isinstance(kind, ts.Union) and not is_hugged(kind) and not kind.wrapped:
        options = Indent((LINE, IfBroken("| "), join((LINE, "| "), map(type_doc, kind.options))), STEP)
        return (name, ":", Group(options))
    return (name, ": ", type_doc(kind))


def type_arguments(arguments: list[ts.Node]) -> Doc:
    """`<A, B>`; what is plain or an object is not parted from its brackets."""
    if not arguments:
        return ""
    docs = join((",", LINE), map(_argument, arguments))
    if len(arguments) == 1 and _is_plain(arguments[0]):
        return ("<", docs, ">")
    return Group(("<", Indent((SOFT, docs), STEP), SOFT, ">"))


def _argument(node: ts.Node) -> Doc:
    if isinstance(node, ts.Union) and not is_hugged(node):
        return Group(_options(node, leading=False))
    return type_doc(node)


def _is_plain(node: ts.Node) -> bool:
    if isinstance(node, ts.Named):
        return not node.arguments and " " not in node.name.partition("'")[0]
    return isinstance(node, ts.Shape) or (is_hugged(node) and not _has_named(node))


def _has_named(node: ts.Node) -> bool:
    return isinstance(node, ts.Union) and any(isinstance(item, ts.Named) and item.arguments for item in node.options)
