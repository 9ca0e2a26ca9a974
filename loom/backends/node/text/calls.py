"""How Biome lays out calls: argument lists, chains of members and calls.

In: trees. Out: documents.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.backends.node.text import assignments, expressions
from loom.backends.node.text import syntax as ts
from loom.backends.node.text.types_layout import STEP, type_arguments
from loom.emit.layout import HARD, LINE, SOFT, Choice, Doc, Either, Group, IfBroken, Indent, join, must_break

_FUNCTION_BODIES = ts.Block | ts.Object | ts.Array | ts.Cast
_SHORT_PATTERN = len("/12345/")


def is_forced(node: ts.Node) -> bool:
    """Whether something in `node` never stands on one line, though it is written so."""
    if node.forced is None:
        node.forced = _is_forced(node)
    return node.forced


def _is_forced(node: ts.Node) -> bool:
    match node:
        case ts.Call(arguments=given):
            own = is_composition(given) or (is_chain(node) and must_chain_break(links(node)))
        case ts.Array(items=items):
            own = bool(items) and expressions.is_matrix(node)
        case ts.Object(expanded=own):
            pass
        case _:
            own = False
    return own or any(map(is_forced, node.parts))


def is_composition(arguments: Sequence[ts.Node]) -> bool:
    """Several functions among the arguments, or one inside a call beside others: a line for each argument."""
    if len(arguments) < 2:
        return False
    functions = sum(isinstance(item, ts.Arrow) for item in arguments)
    inner = [item for item in arguments if isinstance(item, ts.Call) and not item.new]
    return functions > 1 or any(isinstance(each, ts.Arrow) for item in inner for each in item.arguments)


def call(node: ts.Call) -> Doc:
    if is_chain(node):
        return chain(node)
    callee = expressions.doc(node.callee)
    return ("new " if node.new else "", callee, type_arguments(node.types), arguments(node))


def arguments(node: ts.Call) -> Doc:
    """`(a, b)`; the last argument may keep the others beside it."""
    items = node.arguments
    if not items:
        return "()"
    if is_test(node):
        return ("(", join(", ", [expressions.doc(item) for item in items]), ")")
    if is_composition(items):
        return spread(node)
    if groups_last(items):
        return _beside_last(node)
    docs = join((",", LINE), [expressions.doc(item) for item in items])
    return Group(("(", Indent((SOFT, docs, IfBroken(",")), STEP), SOFT, ")"))


def is_test(node: ts.Call) -> bool:
    """`test('name', () => {`, which is never broken."""
    match node.callee, node.arguments:
        case ts.Atom(text="test" | "describe" | "it"), [_, ts.Arrow(body=ts.Block(), parameters=[])]:
            return True
    return False


def spread(node: ts.Call) -> Doc:
    """An argument a line."""
    docs = join((",", LINE), [expressions.doc(item) for item in node.arguments])
    return Group(("(", Indent((SOFT, docs), STEP), ",", SOFT, ")"), breaks=True)


def groups_last(items: Sequence[ts.Node]) -> bool:
    *others, last = items
    if not can_hug(last) or (len(items) > 1 and expressions.is_concise(last)):
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
    before = [expressions.doc(item) for item in others]
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
    made = expressions.array(node) if isinstance(node, ts.Array) else expressions.doc(node)
    if isinstance(node, ts.Object):
        made = expressions.braces(node)
    return made.doc if isinstance(made, Group) else made


Link = list[ts.Node]  # members and calls that stay together


def is_chain(node: ts.Call) -> bool:
    return not node.new and isinstance(node.callee, ts.Member)


def unrolled(node: ts.Node) -> list[ts.Node]:
    """The head of a chain, and every member and call after it."""
    found: list[ts.Node] = []
    while True:
        found.append(node)
        if node.wrapped and len(found) > 1:
            break
        if isinstance(node, ts.Call) and not node.new:
            node = node.callee
        elif isinstance(node, ts.Member | ts.Index):
            node = node.of
        else:
            break
    return found[::-1]


def links(node: ts.Call) -> list[Link]:
    """The chain as groups: the head, then members with their calls."""
    nodes = unrolled(node)
    place = 1
    while place < len(nodes) and isinstance(nodes[place], ts.Call | ts.Index):
        place += 1
    if not isinstance(nodes[0], ts.Call) or nodes[0].new:
        while (
            place + 1 < len(nodes) and isinstance(nodes[place], ts.Member) and isinstance(nodes[place + 1], ts.Member)
        ):
            place += 1
    groups: list[Link] = [nodes[:place]]
    called = True
    for item in nodes[place:]:
        if called and isinstance(item, ts.Member):
            groups.append([])
            called = False
        called = called or isinstance(item, ts.Call)
        groups[-1].append(item)
    return groups


def is_long_chain(node: ts.Node) -> bool:
    """Whether a chain has so many calls that they may take a line each."""
    if not isinstance(node, ts.Call) or not is_chain(node):
        return False
    groups = links(node)
    return len(groups) > 2 + _is_merged(groups)


def must_chain_break(groups: Sequence[Link]) -> bool:
    """Three calls, one of which takes more than plain arguments, take a line each."""
    if len(groups) <= 2 + _is_merged(groups):
        return False
    found = [item for group in groups for item in group if isinstance(item, ts.Call) and not item.new]
    return len(found) > 2 and not all(is_simple(each, 0) for item in found for each in item.arguments)


def is_simple(node: ts.Node, depth: int) -> bool:
    """Whether an argument can be read at a glance."""
    if depth >= 2:
        return False
    match node:
        case ts.Atom(kind=kind, text=text):
            return kind != "regex" or len(text) <= _SHORT_PATTERN
        case ts.Call(callee=callee, arguments=given):
            return is_simple(callee, depth) and all(is_simple(item, depth + 1) for item in given)
        case ts.Member(of=of) | ts.Prefix(operator="!" | "-", of=of):
            return is_simple(of, depth)
        case ts.Property(value=value):
            return value is None or is_simple(value, depth)
        case ts.Template() | ts.Object() | ts.Array():
            return all(is_simple(item, depth + 1) for item in node.parts)
    return False


def chain(node: ts.Call) -> Doc:
    groups = links(node)
    merged = _is_merged(groups)
    head, *others = groups[0]
    docs: list[Doc] = [(expressions.doc(head), *map(_link, others))]
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


def _is_merged(groups: Sequence[Link]) -> bool:
    """Whether the first call stays beside a short head."""
    if len(groups) < 2:
        return False
    head = groups[0]
    if len(head) == 1:
        first = head[0]
        if not isinstance(first, ts.Atom):
            return False
        around = groups[-1][-1].parent
        is_short = isinstance(around, ts.Statement) and not around.opening and len(first.text) <= STEP
        return first.text == "this" or _is_factory(first.text) or is_short
    last = head[-1]
    return isinstance(last, ts.Member) and _is_factory(last.lookup.lstrip("?."))


def _is_factory(name: str) -> bool:
    return name[:1].isupper() or not name.strip("_$")


def _link(node: ts.Node) -> Doc:
    match node:
        case ts.Call():
            return (type_arguments(node.types), arguments(node))
        case ts.Member(lookup=lookup):
            return lookup
        case ts.Index(index=index):
            return ("[", expressions.doc(index), "]")
    raise TypeError(node)


def member(node: ts.Member) -> Doc:
    of = expressions.doc(node.of)
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


def is_poor(node: ts.Node) -> bool:
    """A chain whose calls have nothing worth a line of its own."""
    deep = False
    while True:
        match node:
            case ts.Member(of=of):
                node = of
            case ts.Call(callee=callee, arguments=given) if not node.new:
                if is_long_chain(node):
                    return False
                if given and (len(given) > 1 or not assignments.is_short_argument(given[0])):
                    return False
                node = callee
            case ts.Atom(kind="name"):
                return deep
            case _:
                return False
        deep = True
