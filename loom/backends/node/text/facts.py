"""What trees are, before any of them is laid out: chains of calls, lists of numbers, what may stay on one line.

In: trees. Out: answers.
Never: a document.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.backends.node.text import syntax as ts
from loom.backends.node.text.types_layout import STEP
from loom.emit.layout import columns

_LOGICAL = frozenset({"&&", "||", "??"})
_SHORT_PATTERN = len("/12345/")
_SHORT_ARGUMENT = 25

Link = list[ts.Node]  # members and calls that stay together


def is_forced(node: ts.Node) -> bool:
    """Whether something in `node` never stands on one line, though it is written so."""
    if node.forced is None:
        for inner in reversed(spine(node)):  # the innermost first, lest this goes down as deep as a chain is long
            inner.forced = _is_forced(inner)
        node.forced = _is_forced(node)
    return node.forced


def spine(node: ts.Node) -> list[ts.Binary]:
    """The operators of which `node` is made from left to right, the last one first."""
    found: list[ts.Binary] = []
    while isinstance(node, ts.Binary):
        found.append(node)
        node = node.left
    return found


def _is_forced(node: ts.Node) -> bool:
    match node:
        case ts.Call(arguments=given):
            own = is_composition(given) or (is_chain(node) and must_chain_break(links(node)))
        case ts.Array(items=items):
            own = bool(items) and is_matrix(node)
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
    called = isinstance(nodes[0], ts.Call) and not nodes[0].new
    if not called and not isinstance(nodes[1], ts.Call):  # a call of a plain name is the whole head
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
    return len(groups) > 2 + is_merged(groups)


def must_chain_break(groups: Sequence[Link]) -> bool:
    """Three calls, one of which takes more than plain arguments, take a line each."""
    if len(groups) <= 2 + is_merged(groups):
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


def is_merged(groups: Sequence[Link]) -> bool:
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
                if given and (len(given) > 1 or not is_short_argument(given[0])):
                    return False
                node = callee
            case ts.Atom(kind="name"):
                return deep
            case _:
                return False
        deep = True


def is_concise(node: ts.Node) -> bool:
    """Whether as many of the items stand on a line as fit."""
    return isinstance(node, ts.Array) and len(node.items) > 1 and all(map(_is_number, node.items))


def _is_number(node: ts.Node) -> bool:
    if isinstance(node, ts.Prefix) and node.operator in "+-":
        return _is_number(node.of)
    return isinstance(node, ts.Atom) and node.kind == "number" and not node.text.endswith("n")


def is_matrix(node: ts.Array) -> bool:
    """Several lists or objects of several members each, which take lines of their own."""
    first = node.items[0]
    if len(node.items) < 2 or not isinstance(first, ts.Array | ts.Object):
        return False
    return all(type(item) is type(first) and size(item) > 1 for item in node.items)


def size(node: ts.Node) -> int:
    return len(node.items) if isinstance(node, ts.Array) else len(node.members) if isinstance(node, ts.Object) else 0


def is_inline(node: ts.Node) -> bool:
    """`a && { b }`, whose literal stays beside the operator."""
    if not isinstance(node, ts.Binary) or node.operator not in _LOGICAL:
        return False
    return size(node.right) > 0


def is_short_argument(node: ts.Node) -> bool:
    """What gains nothing from standing on a line of its own."""
    match node:
        case ts.Atom(kind="regex", text=text):
            return len(text) <= _SHORT_PATTERN
        case ts.Atom(kind="number"):
            return True
        case ts.Atom(text=text):
            return columns(text) <= _SHORT_ARGUMENT
        case ts.Template(holes=[], texts=[text], tag=""):
            return columns(text) <= _SHORT_ARGUMENT
        case ts.Prefix(of=of, operator=operator) if operator != "...":
            return is_short_argument(of)
    return False
