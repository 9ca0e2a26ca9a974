"""How Biome lays out statements and declarations.

In: trees. Out: documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from loom.backends.node.text import assignments, expressions
from loom.backends.node.text import syntax as ts
from loom.backends.node.text.facts import is_forced
from loom.backends.node.text.printing import broken, doc
from loom.backends.node.text.types_layout import STEP, annotated, declared, is_hugged, type_doc
from loom.emit.layout import HARD, LINE, SOFT, Doc, Either, Group, IfBroken, Indent, Measured, join

Simple = ts.Statement | ts.Variable | ts.Alias | ts.Declared | ts.Blank
Structured = ts.Function | ts.Headed | ts.If | ts.Loop | ts.Guarded | ts.Block


def statement(node: ts.Node) -> Doc:
    if node.flat is None or isinstance(node, ts.Function) or _is_forced(node):
        return _broken(node)
    return Measured(node.flat, lambda _: _broken(node))


def _is_forced(node: ts.Node) -> bool:
    match node:
        case ts.Statement(value=value) | ts.Variable(value=value):
            return value is not None and is_forced(value)
    return False


def _broken(node: ts.Node) -> Doc:
    assert isinstance(node, Simple | Structured)
    if isinstance(node, Simple):
        return _simple(node)
    match node:
        case ts.Function():
            return function(node)
        case ts.Headed():
            return _headed(node)
        case ts.If():
            return _if(node)
        case ts.Loop():
            return (f"for ({node.opening} of ", doc(node.source), ") ", block(node.body))
        case ts.Guarded():
            return ("try ", block(node.body), f" {node.opening} ", block(node.failure))
        case ts.Block():
            return block(node)
    assert_never(node)


def _simple(node: Simple) -> Doc:
    match node:
        case ts.Statement():
            return _given(node)
        case ts.Variable():
            return _variable(node)
        case ts.Alias():
            return _alias(node)
        case ts.Declared():
            return (declared(node), ";")
        case ts.Blank():
            return ""
    assert_never(node)


def _given(node: ts.Statement) -> Doc:
    value = node.value
    if value is None:
        return f"{node.opening};"
    inside = doc(value)
    if isinstance(value, ts.Binary) and node.opening in ("return ", "throw "):
        inside = Group((IfBroken("("), Indent((SOFT, inside), STEP), SOFT, IfBroken(")")))
    return (node.opening, inside, ";")


def _variable(node: ts.Variable) -> Doc:
    left: Doc = (node.opening, doc(node.left))
    if node.type is not None:
        left = annotated(left, node.type)
    if node.value is None:
        return (left, ";")
    return (assignments.assigned(left, " =", node.value), ";")


def _alias(node: ts.Alias) -> Doc:
    if isinstance(node.type, ts.Union) and not is_hugged(node.type):
        return (node.opening, " =", _union(node.type), ";")
    return (Group((node.opening, " =", Group(Indent((LINE, type_doc(node.type)), STEP)))), ";")


def _union(node: ts.Union) -> Doc:
    return Group(Indent((LINE, IfBroken("| "), join((LINE, "| "), map(type_doc, node.options))), STEP))


def function(node: ts.Function) -> Doc:
    returns: Doc = (": ", type_doc(node.returns)) if node.returns else ""
    parameters = expressions.parameters(node.parameters)
    head: Doc = (node.opening, parameters, returns)
    if len(node.parameters) == 1 and node.returns is not None and _holds_shape(node.returns):
        # An object type that has lines of its own leaves a single parameter beside the name.
        last_line = f"): {node.returns.flat} {{"
        head = Either(last_line, head, (node.opening, Group(parameters), returns))
    head = Group(head)
    return (head, " ", block(node.body))


def _holds_shape(node: ts.Node | None) -> bool:
    match node:
        case ts.Shape():
            return True
        case ts.Named(arguments=inside) | ts.Union(options=inside):
            return any(map(_holds_shape, inside))
        case ts.Many(of=of):
            return _holds_shape(of)
    return False


def _headed(node: ts.Headed) -> Doc:
    head: Doc = node.opening
    if node.extends:
        head = Group((head, Indent((LINE, f"extends {node.extends}"), STEP)))
    return (head, " ", block(node.body))


def _if(node: ts.If) -> Doc:
    # The operators of a test break with its parentheses, even where they fit between them.
    inside = broken(node.test) if isinstance(node.test, ts.Binary) else doc(node.test)
    test = Group((Indent((SOFT, inside), STEP), SOFT))
    first: Doc = ("if (", test, ") ", block(node.then))
    return first if node.otherwise is None else (first, " else ", _broken(node.otherwise))


@broken.register
def block(node: ts.Block) -> Doc:
    if node.body is None:
        return "{"
    if not node.body:
        return "{}"
    return Group(("{", Indent(tuple(_lines(node.body)), STEP), HARD, "}"), breaks=True)


def _lines(body: Iterable[ts.Node]) -> Iterable[Doc]:
    """Each statement on a line of its own."""
    for item in body:
        yield HARD if isinstance(item, ts.Blank) else (HARD, statement(item))


def laid_out(nodes: Sequence[ts.Node]) -> Doc:
    return join(HARD, [statement(item) for item in nodes])
