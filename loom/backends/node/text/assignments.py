"""How Biome breaks what has a value: after the `=` or `:`, or inside the value.

In: the left side as a document, the value. Out: documents.
"""

from __future__ import annotations

from itertools import count

from loom.backends.node.text import syntax as ts
from loom.backends.node.text.facts import is_inline, is_poor
from loom.backends.node.text.printing import broken, doc
from loom.backends.node.text.types_layout import STEP
from loom.emit.layout import LINE, Doc, Group, Indent, IndentIf, columns

_NAMES = count(1)
# A key shorter than this gains nothing from a break after it.
_SHORT_KEY = STEP + 3


def assigned(left: Doc, operator: str, value: ts.Node) -> Doc:
    """`left operator value`"""
    right = doc(value)
    is_short = operator == ":" and isinstance(left, str) and columns(left) < _SHORT_KEY
    if breaks_after(value, is_short):
        return Group((Group(left), operator, Group(Indent((LINE, right), STEP))))
    if never_breaks(value, is_short):
        return Group((Group(left), operator, " ", right))
    if _is_chain(value) or (isinstance(value, ts.Atom) and value.kind == "string") or is_poor(value):
        return Group((Group(left), operator, Group(Indent((LINE, right), STEP))))
    name = next(_NAMES)
    return Group((Group(left), operator, Group(Indent(LINE, STEP), name=name), IndentIf(Group(right), STEP, name)))


@broken.register
def assignment(node: ts.Assignment) -> Doc:
    return assigned(doc(node.left), " =", node.value)


@broken.register
def keyed(node: ts.Property) -> Doc:
    return node.key if node.value is None else assigned(node.key, ":", node.value)


def breaks_after(value: ts.Node, is_short: bool) -> bool:
    if isinstance(value, ts.Binary):
        return not is_inline(value)
    if isinstance(value, ts.Conditional) and isinstance(value.test, ts.Binary):
        return not is_inline(value.test)
    if is_short:
        return False
    while isinstance(value, ts.Prefix):
        value = value.of
    return _is_chain(value) or (isinstance(value, ts.Atom) and value.kind == "string")


def never_breaks(value: ts.Node, is_short: bool) -> bool:
    if isinstance(value, ts.Template):
        return True
    if isinstance(value, ts.Atom) and (value.kind == "number" or value.text in ("true", "false")):
        return True
    return is_short


def _is_chain(node: ts.Node) -> bool:
    """`a.b.c`"""
    while isinstance(node, ts.Member):
        node = node.of
        if isinstance(node, ts.Atom) and node.kind == "name":
            return True
    return False
