"""How Biome lays out expressions.

In: trees and what stands around them. Out: documents.
Never: calls (calls.py), or what a `=` does (assignments.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from loom.backends.node.text import syntax as ts
from loom.backends.node.text.facts import is_concise, is_forced, is_inline, is_matrix
from loom.backends.node.text.printing import broken, doc
from loom.backends.node.text.types_layout import STEP, annotated, type_doc
from loom.emit.layout import HARD, LINE, SOFT, Doc, Fill, Group, IfBroken, Indent, join

_EQUALITIES = frozenset({"===", "!=="})
_LEVELS = (("??",), ("||",), ("&&",), ("===", "!=="), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "%"))
_LOGICAL = frozenset({"&&", "||", "??"})


@broken.register
def prefix(node: ts.Prefix) -> Doc:
    return (node.operator, doc(node.of))


@broken.register
def index(node: ts.Index) -> Doc:
    return (doc(node.of), "[", doc(node.index), "]")


@broken.register
def cast(node: ts.Cast) -> Doc:
    return (doc(node.of), " as ", type_doc(node.type))


@broken.register
def template(node: ts.Template) -> Doc:
    parts: list[Doc] = [node.tag, "`", node.texts[0]]
    for hole, text in zip(node.holes, node.texts[1:], strict=True):
        is_flat = hole.flat is not None and not is_forced(hole)
        parts += [f"${{{hole.flat}}}" if is_flat else _hole(hole), text]
    return (*parts, "`")


def _hole(node: ts.Node) -> Doc:
    """What takes several lines though it is in a template: an operator or a member stands below the brace."""
    inside = doc(node)
    if isinstance(node, ts.Member | ts.Conditional | ts.Binary | ts.Cast):
        inside = (Indent((SOFT, inside), STEP), SOFT)
    return Group(("${", inside, "}"))


@broken.register
def braces(node: ts.Object) -> Doc:
    if not node.members:
        return "{}"
    return Group(_lines_of(node), node.expanded)


def _lines_of(node: ts.Object) -> Doc:
    members = join((",", LINE), [doc(item) for item in node.members])
    return ("{", Indent((LINE, members, IfBroken(",")), STEP), LINE, "}")


@broken.register
def array(node: ts.Array) -> Doc:
    if not node.items:
        return "[]"
    if is_concise(node):
        inside: Doc = Fill(tuple(item.flat or "" for item in node.items))
    else:
        inside = join((",", LINE), [doc(item) for item in node.items])
    return Group(("[", Indent((SOFT, inside, IfBroken(",")), STEP), SOFT, "]"), is_matrix(node))


@broken.register
def binary(node: ts.Binary) -> Doc:
    """Operators stand at the end of a line; what is around the chain decides about its indent."""
    around = node.parent
    in_test = isinstance(around, ts.If)
    first, rest = _chain(node, in_test=in_test)
    if in_test:
        return (first, *rest)
    if _is_operand(node):
        return Group((Indent((SOFT, first, *rest), STEP), SOFT))
    is_inlined = is_inline(node)
    same = isinstance(node.left, ts.Binary) and not node.left.wrapped and flattens(node.operator, node.left.operator)
    if _is_indented(node) or (is_inlined and not same):
        return Group((first, *rest))
    if not is_inlined and isinstance(around, ts.Assignment | ts.Property | ts.Variable):
        return Group((first, *rest))
    return Group((first, Indent(tuple(rest), STEP)))


def _is_operand(node: ts.Binary) -> bool:
    """Whether the chain breaks as a block between its parentheses."""
    match node.parent:
        case ts.Prefix(operator=operator):
            return operator not in ("await ", "...")
        case ts.Member():
            return True
        case ts.Call(callee=callee):
            return callee is node
    return False


def _is_indented(node: ts.Binary) -> bool:
    """Whether what is around the chain indents it."""
    match node.parent:
        case ts.Statement(opening="return " | "throw ") | ts.Template():
            return True
        case ts.Arrow(body=body):
            return body is node
        case ts.Conditional(parent=beyond):
            is_given = isinstance(beyond, ts.Statement) and beyond.opening in ("return ", "throw ")
            return not is_given and not isinstance(beyond, ts.Call)
    return False


def _chain(node: ts.Binary, *, in_test: bool) -> tuple[Doc, list[Doc]]:
    """The first operand, and the others with their operators."""
    rest: list[Doc] = []
    links = flattened(node)
    for link in reversed(links):
        rest += [" ", _operand(link, in_test=in_test)]
    return Group(doc(links[-1].left)), rest


def flattened(node: ts.Binary) -> list[ts.Binary]:
    """The operators that make one chain with that of `node`, from the last to the first."""
    links = [node]
    while isinstance(left := links[-1].left, ts.Binary) and not left.wrapped:
        if not flattens(links[-1].operator, left.operator):
            break
        links.append(left)
    return links


def _operand(node: ts.Binary, *, in_test: bool) -> Doc:
    """An operator and what stands on its right."""
    right = doc(node.right)
    operand: Doc = (f"{node.operator} ", right) if is_inline(node) else (node.operator, LINE, right)
    is_logical = node.operator in _LOGICAL
    alone = not any(_is_like(item, is_logical) for item in (node.parent, node.left, node.right))
    return Group(operand) if alone and not (in_test and is_logical) else operand


def _is_like(node: ts.Node | None, is_logical: bool) -> bool:
    """Whether a neighbour is an operator of the same kind."""
    return isinstance(node, ts.Binary) and (node.operator in _LOGICAL) is is_logical


def flattens(outer: str, inner: str) -> bool:
    """Whether the operators make one chain."""
    if outer in _EQUALITIES or (outer == "%" and inner in "*/") or (inner == "%" and outer in "*/"):
        return False
    if outer != inner and {outer, inner} <= {"*", "/"}:
        return False
    return any(outer in level and inner in level for level in _LEVELS)


@broken.register
def conditional(node: ts.Conditional) -> Doc:
    around = node.parent
    is_test = isinstance(around, ts.Conditional) and around.test is node
    is_nested = isinstance(around, ts.Conditional) and not is_test
    branches = (LINE, "? ", _then(node), LINE, ": ", _otherwise(node))
    is_receiver = isinstance(around, ts.Member)
    indented = is_receiver and _is_extra(node)
    test = doc(node.test)
    closing: Doc = SOFT if is_receiver and not indented else ""
    if is_nested:
        assert isinstance(around, ts.Conditional)
        return (Indent(test, STEP) if around.otherwise is node else test, branches)
    result: Doc = (test, Indent(branches, STEP), closing)
    if is_test:
        return Group((Indent((SOFT, result), STEP), SOFT))
    return Group((Indent((SOFT, Group(result)), STEP), SOFT)) if indented else Group(result)


def _is_extra(node: ts.Node) -> bool:
    """Whether a chain that begins with a conditional is all that a statement or an operator holds."""
    child, around = node, node.parent
    while isinstance(around, ts.Member) or (isinstance(around, ts.Call) and around.callee is child):
        child, around = around, around.parent
    match around:
        case ts.Assignment(value=value) | ts.Variable(value=value):
            return value is child
        case ts.Statement(opening="return " | "throw "):
            return True
        case ts.Prefix(operator=operator):
            return operator != "..."
    return False


def _then(node: ts.Conditional) -> Doc:
    if not isinstance(node.then, ts.Conditional):
        return Indent(doc(node.then), STEP)
    return (IfBroken("", flat="("), Indent(broken(node.then), STEP), IfBroken("", flat=")"))


def _otherwise(node: ts.Conditional) -> Doc:
    if isinstance(node.otherwise, ts.Conditional):
        return Indent(broken(node.otherwise), STEP)
    return Indent(doc(node.otherwise), STEP)


def parameters(nodes: Sequence[ts.Node]) -> Doc:
    """`(a: A, b: B)`, one a line with a trailing comma; a single destructured one keeps its parentheses beside it."""
    docs = [parameter(item) for item in nodes]
    if not docs:
        return "()"
    match nodes:
        case [ts.Parameter(name=ts.Object()) | ts.Parameter(type=ts.Shape())]:
            return ("(", docs[0], ")")
    start = HARD if len(nodes) > 1 and any(map(_is_field, nodes)) else SOFT
    return ("(", Indent((start, join((",", LINE), docs), IfBroken(",")), STEP), SOFT, ")")


def _is_field(node: ts.Node) -> bool:
    """Whether a parameter of a constructor is a field as well."""
    return isinstance(node, ts.Parameter) and isinstance(node.name, ts.Atom) and " " in node.name.text


def parameter(node: ts.Node) -> Doc:
    assert isinstance(node, ts.Parameter)
    name = doc(node.name)
    if isinstance(node.name, ts.Object) and node.type is not None:
        return Group((_lines_of(node.name), ": ", type_doc(node.type)))
    return name if node.type is None else annotated(name, node.type)


@broken.register
def arrow(node: ts.Arrow, *, is_last: bool = False) -> Doc:
    """`(x) => body`. The last argument of a call, `is_last`, closes on a line of its own."""
    opening = arrow_head(node, is_last=is_last)
    if isinstance(node.body, ts.Block):
        return Group((opening, " ", broken(node.body)))
    if node.flexible:
        return (opening, " ", _returning(node))
    return expression_arrow(node, is_last=is_last)


def expression_arrow(node: ts.Arrow, *, is_last: bool) -> Doc:
    """An arrow that keeps its body."""
    if node.flexible:
        node = deepcopy(node, {id(node.parent): node.parent})
        node.flexible = False
    opening = arrow_head(node, is_last=is_last)
    if isinstance(node.body, ts.Object | ts.Array):
        return Group((opening, " ", doc(node.body)))
    body = doc(node.body)
    if isinstance(node.body, ts.Conditional):
        body = (IfBroken("", flat="("), broken(node.body), IfBroken("", flat=")"))
    closing: Doc = (IfBroken(","), SOFT) if is_last else ""
    return Group((opening, Group((Indent((LINE, body), STEP), closing))))


def arrow_head(node: ts.Arrow, *, is_last: bool) -> Doc:
    """All up to the arrow."""
    if is_last:
        listed = ", ".join(item.flat or "" for item in node.parameters)
        return f"{node.opening}({listed}){f': {node.returns.flat}' if node.returns else ''} =>"
    returns: Doc = (": ", type_doc(node.returns)) if node.returns else ""
    return Group((node.opening, parameters(node.parameters), returns, " =>"))


def _returning(node: ts.Arrow) -> Doc:
    """The body of a flexible arrow as a block."""
    given = ts.Statement("return ", None)
    given.value = deepcopy(node.body, {id(node): given})
    given.value.wrapped = False
    return broken(ts.Block([given]))
