"""How Biome lays out calls: argument lists, chains of members and calls.

In: trees. Out: documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.backends.node.text import expressions
from loom.backends.node.text import syntax as ts
from loom.backends.node.text.facts import (
    Link,
    is_chain,
    is_composition,
    is_concise,
    is_forced,
    is_long_chain,
    is_merged,
    links,
    must_chain_break,
)
from loom.backends.node.text.printing import broken, doc
from loom.backends.node.text.types_layout import STEP, type_arguments
from loom.emit.layout import HARD, LINE, SOFT, Choice, Doc, Either, Group, IfBroken, Indent, join, must_break

_FUNCTION_BODIES = ts.Block | ts.Object | ts.Array | ts.Cast


@broken.register
def call(node: ts.Call) -> Doc:
    if is_chain(node):
        return chain(node)
    callee = doc(node.callee)
    return ("new " if node.new else "", callee, type_arguments(node.types), arguments(node))


def arguments(node: ts.Call) -> Doc:
    """`(a, b)`; the last argument may keep the others beside it."""
    items = node.arguments
    if not items:
        return "()"
    if is_test(node):
        return ("(", join(", ", [doc(item) for item in items]), ")")
    if is_composition(items):
        return spread(node)
    if groups_last(items):
        return _beside_last(node)
    docs = join((",", LINE), [doc(item) for item in items])
    return Group(("(", Indent((SOFT, docs, IfBroken(",")), STEP), SOFT, ")"))


def is_test(node: ts.Call) -> bool:
    """`test('name', () => {`, which is never broken."""
    match node.callee, node.arguments:
        case ts.Atom(text="test" | "describe" | "it"), [_, ts.Arrow(body=ts.Block(), parameters=[])]:
            return True
    return False


def spread(node: ts.Call) -> Doc:
    """An argument a line."""
    docs = join((",", LINE), [doc(item) for item in node.arguments])
    return Group(("(", Indent((SOFT, docs), STEP), ",", SOFT, ")"), breaks=True)


def groups_last(items: Sequence[ts.Node]) -> bool:
    *others, last = items
    if not can_hug(last) or (len(items) > 1 and is_concise(last)):
        return False
    if not others:
        return True
    before = others[-1]
    is_hook = len(items) == 2 and isinstance(before, ts.Arrow) and isinstance(last, ts.Array)
    return type(before) is not type(last) and not is_hook


def can_hug(node: ts.Node) -> bool:
    match node:
        case ts.Object(members=inside) | ts.Array(items=inside):
            return bool(inside)
        case ts.Cast(of=of):
            return can_hug(of)
        case ts.Arrow(body=body):
            if isinstance(node.returns, ts.Named) and not isinstance(body, ts.Block) and not node.flexible:
                return False
            return node.flexible or _is_call(body) or isinstance(body, _FUNCTION_BODIES | ts.Conditional | ts.Arrow)
    return False


def _beside_last(node: ts.Call) -> Doc:
    *others, last = node.arguments
    before = [doc(item) for item in others]
    if any(map(must_break, before)):
        return spread(node)
    opening: Doc = ("(", *[(item, ", ") for item in before])
    docs: list[Doc] = [] if last.flat is None or is_forced(last) else [last.flat]
    if not isinstance(last, ts.Arrow):
        docs.append(Group(_ungrouped(last), breaks=True))
    elif last.flexible or not _stands_below(last):
        docs.append(Group(expressions.arrow(last, is_last=True), breaks=True))
    states = [(opening, item, ")") for item in docs]
    if isinstance(last, ts.Arrow) and _stands_below(last):
        return Choice((*states, _with_body_below(last, opening, spread(node))))
    return Choice((*states, spread(node)))


def _stands_below(node: ts.Arrow) -> bool:
    """Whether the body may stand on a line of its own while its function stays beside the other arguments."""
    return isinstance(node.body, ts.Conditional) or _is_call(node.body)


def _with_body_below(last: ts.Arrow, opening: Doc, otherwise: Doc) -> Doc:
    """A conditional needs room for the parenthesis that it does without."""
    room = "(" if isinstance(last.body, ts.Conditional) else ""
    below = Group(expressions.expression_arrow(last, is_last=True), breaks=True)
    return Either((opening, expressions.arrow_head(last, is_last=True), room), (opening, below, ")"), otherwise)


def _is_call(node: ts.Node) -> bool:
    return isinstance(node, ts.Call) and not node.new


def _ungrouped(node: ts.Node) -> Doc:
    made = expressions.array(node) if isinstance(node, ts.Array) else doc(node)
    if isinstance(node, ts.Object):
        made = expressions.braces(node)
    return made.doc if isinstance(made, Group) else made


def chain(node: ts.Call) -> Doc:
    groups = links(node)
    merged = is_merged(groups)
    head, *others = groups[0]
    docs: list[Doc] = [(doc(head), *map(_link, others))]
    docs += [tuple(map(_link, group)) for group in groups[1:]]
    if len(groups) <= 2 + merged:
        return Group(tuple(docs)) if len(groups) > 1 else docs[0]
    kept = 1 + merged
    below = Indent(tuple((HARD, link) for link in docs[kept:]), STEP)
    expanded: Doc = (*docs[:kept], below)
    is_open = any(map(must_break, docs[:-1])) or (must_break(docs[-1]) and _take_functions(groups))
    if is_open or must_chain_break(groups):
        return Group(expanded, breaks=True)
    return Choice((tuple(docs), expanded))


def _take_functions(groups: Sequence[Link]) -> bool:
    """Whether a call before the last one takes a function."""
    found = [item for group in groups for item in group if isinstance(item, ts.Call)][:-1]
    return any(isinstance(each, ts.Arrow) for item in found for each in item.arguments)


def _link(node: ts.Node) -> Doc:
    match node:
        case ts.Call():
            return (type_arguments(node.types), arguments(node))
        case ts.Member(lookup=lookup):
            return lookup
        case ts.Index(index=index):
            return ("[", doc(index), "]")
    raise TypeError(node)


@broken.register
def member(node: ts.Member) -> Doc:
    of = doc(node.of)
    return (of, node.lookup) if _stays(node) else (of, Group(Indent((SOFT, node.lookup), STEP)))


def _stays(node: ts.Member) -> bool:
    """Whether a member stands beside what it is taken from."""
    of, around = node.of, node.parent
    if isinstance(around, ts.Assignment | ts.Variable) and isinstance(of, ts.Call):
        return bool(of.arguments) or is_long_chain(of)
    return (isinstance(of, ts.Atom) and not isinstance(around, ts.Member)) or _is_inlined(node)


def _is_inlined(node: ts.Node) -> bool:
    """Whether an assignment to a member, or on its right, holds the chain."""
    around = node.parent
    while isinstance(around, ts.Member | ts.Index):
        around = around.parent
    return isinstance(around, ts.Assignment) and not isinstance(around.left, ts.Atom)
