"""Reads the TypeScript that we print.

In: statements, or a beginning of one that ends with an opening brace. Out: their trees.
Never: TypeScript that we do not print; that is a mistake of ours, and raised.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from loom.backends.node.text import syntax as ts
from loom.backends.node.text.tokens import Token, hole_end, tokens

# Between `=>` and a body that may become a block.
FLEXIBLE = "\ue000"
_BINDS = {
    **{"??": 1, "||": 2, "&&": 3, "===": 4, "!==": 4, "<": 5, ">": 5, "<=": 5, ">=": 5, "as": 5},
    **{"+": 6, "-": 6, "*": 7, "/": 7, "%": 7},
}
# Operators of which the one on the left is part of the same chain.
_CHAINING = frozenset({"&&", "||", "??", "+", "-", "*", "/"})
_AFTER_OPERAND = frozenset({".", "?.", "[", "(", "<"})
_PREFIXES = frozenset({"!", "-", "await", "void", "typeof"})


Statement = Callable[["Cursor"], ts.Node]
N = TypeVar("N", bound=ts.Node)
T = TypeVar("T")


class Cursor:
    """The tokens of one text, and which is next. `statement` reads what stands in a block."""

    def __init__(self, text: str, statement: Statement) -> None:
        self.text = text
        self.statement = statement
        self.tokens = tokens(text)
        self.at = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def is_next(self, *texts: str) -> bool:
        return self.tokens[self.at].text in texts

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, text: str) -> bool:
        if self.tokens[self.at].text != text:
            return False
        self.at += 1
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise ValueError(f"{text!r} is missing before {self.text[self.next.start :][:40]!r}")

    def is_far(self, distance: int, text: str) -> bool:
        place = self.at + distance
        return place < len(self.tokens) and self.tokens[place].text == text

    def since(self, start: int) -> str:
        """The text from `start` on, up to what is next."""
        return self.text[start : self.tokens[self.at - 1].end]

    def flat(self, start: int, node: N, *parts: ts.Node | None) -> N:
        """`node` with its text, unless that or one of its parts takes several lines."""
        text = self.since(start)
        if self.holding(node, *parts).flat is not None:
            node.flat = None if "\n" in text else text.replace(FLEXIBLE, "")
        return node

    def holding(self, node: N, *parts: ts.Node | None) -> N:
        """`node` without its text, as it is part of a longer chain: nobody asks for more than whether it has one."""
        node.parts = tuple(part for part in parts if part is not None)
        for part in node.parts:
            part.parent = node
        node.flat = "" if all(part.flat is not None for part in node.parts) else None
        return node

    def listed(self, closing: str, item: Callable[[Cursor], T], separator: str = ",") -> list[T]:
        """Items up to `closing`, which is taken too."""
        found: list[T] = []
        while not self.accept(closing):
            found.append(item(self))
            if not self.accept(separator):
                self.expect(closing)
                break
        return found


def expression(at: Cursor) -> ts.Node:
    start = at.next.start
    if at.tokens[at.at].text in ("(", "async") and _is_arrow(at):
        return _arrow(at)
    test = _binary(at, 0)
    if at.accept("?"):
        then = expression(at)
        at.expect(":")
        otherwise = expression(at)
        return at.flat(start, ts.Conditional(test, then, otherwise), test, then, otherwise)
    if at.accept("="):
        value = expression(at)
        return at.flat(start, ts.Assignment(test, value), test, value)
    return test


def _is_arrow(at: Cursor) -> bool:
    first = at.tokens[at.at].text
    if first != "(":
        return first == "async"
    place, depth = at.at, 0
    while True:
        depth += (at.tokens[place].text in "([{") - (at.tokens[place].text in ")]}") if at.tokens[place].text else 0
        place += 1
        if depth == 0:
            break
    return at.tokens[place].text == "=>" or (at.tokens[place].text == ":" and _returns_arrow(at, place))


def _returns_arrow(at: Cursor, place: int) -> bool:
    """Whether a type and an arrow follow the colon at `place`."""
    before = at.at
    at.at = place + 1
    try:
        type_(at)
        return at.is_next("=>")
    except ValueError:
        return False
    finally:
        at.at = before


def _arrow(at: Cursor) -> ts.Node:
    start = at.next.start
    opening = "async " if at.accept("async") else ""
    at.expect("(")
    parameters = at.listed(")", parameter)
    returns = type_(at) if at.accept(":") else None
    at.expect("=>")
    flexible = at.text.startswith(FLEXIBLE, at.tokens[at.at - 1].end + 1)
    body: ts.Node = block(at) if at.is_next("{") else expression(at)
    node = ts.Arrow(opening, parameters, returns, body, flexible)
    return at.flat(start, node, *parameters, returns, body)


def _binary(at: Cursor, least: int) -> ts.Node:
    start = at.next.start
    left = _prefix(at)
    while (binds := _BINDS.get(at.tokens[at.at].text, 0)) > least:
        operator = at.take().text
        if operator == "as":
            cast = type_(at)
            left = at.flat(start, ts.Cast(left, cast), left, cast)
            continue
        right = _binary(at, binds)
        node = ts.Binary(left, operator, right)
        is_link = operator in _CHAINING and at.is_next(operator)
        left = at.holding(node, left, right) if is_link else at.flat(start, node, left, right)
    return left


def _prefix(at: Cursor) -> ts.Node:
    start = at.next.start
    if at.tokens[at.at].text in _PREFIXES:
        operator = at.take().text
        of = _prefix(at)
        return at.flat(start, ts.Prefix(f"{operator} " if operator.isalpha() else operator, of), of)
    return _postfix(at)


def _postfix(at: Cursor) -> ts.Node:
    start = at.next.start
    node = _new(at) if at.is_next("new") else _primary(at)
    while True:
        following = at.tokens[at.at].text
        if following not in _AFTER_OPERAND and following[:1] != "`":
            return node
        if following in (".", "?."):
            dot = at.take().text
            node = at.flat(start, ts.Member(node, dot + at.take().text), node)
        elif at.accept("["):
            index = expression(at)
            at.expect("]")
            node = at.flat(start, ts.Index(node, index), node, index)
        elif at.next.kind == "template" and node.flat is not None:
            node = _template(at, at.take(), node.flat)
        elif at.is_next("(") or (at.is_next("<") and _are_types(at)):
            node = _call(at, start, node)
        else:
            return node


def _new(at: Cursor) -> ts.Node:
    start = at.next.start
    at.expect("new")
    callee: ts.Node = _primary(at)
    while at.accept("."):
        callee = at.flat(start, ts.Member(callee, f".{at.take().text}"), callee)
    made = _call(at, start, callee)
    made.new = True
    return made


def _call(at: Cursor, start: int, callee: ts.Node) -> ts.Call:
    types = at.listed(">", type_) if at.accept("<") else []
    at.expect("(")
    arguments = at.listed(")", _element)
    return at.flat(start, ts.Call(callee, types, arguments), callee, *types, *arguments)


def _are_types(at: Cursor) -> bool:
    """Whether `<` begins the types of a call."""
    before = at.at
    try:
        at.expect("<")
        at.listed(">", type_)
        return at.is_next("(")
    except ValueError:
        return False
    finally:
        at.at = before


def _primary(at: Cursor) -> ts.Node:
    start = at.next.start
    token = at.take()
    match token.text:
        case "(":
            node = expression(at)
            at.expect(")")
            node.wrapped = True
            return node
        case "[":
            items = at.listed("]", _element)
            return at.flat(start, ts.Array(items), *items)
        case "{":
            return _object(at, start)
    if token.kind == "template":
        return _template(at, token)
    if token.kind in ("name", "string", "regex"):
        kind = "number" if token.text[0].isdigit() else token.kind
        return _decimal(at, token) if kind == "number" else ts.Atom(token.text, kind, flat=token.text)
    raise ValueError(f"no expression begins with {at.text[start : start + 40]!r}")


def _decimal(at: Cursor, token: Token) -> ts.Node:
    if at.is_next(".") and at.next.start == token.end and at.tokens[at.at + 1].text.isdigit():
        at.take()
        at.take()
    text = at.since(token.start)
    return ts.Atom(text, "number", flat=text)


def _element(at: Cursor) -> ts.Node:
    start = at.next.start
    if at.accept("..."):
        of = expression(at)
        return at.flat(start, ts.Prefix("...", of), of)
    return expression(at)


def _object(at: Cursor, start: int) -> ts.Object:
    expanded = "\n" in at.text[start : at.next.start]
    members = at.listed("}", _property)
    return at.flat(start, ts.Object(members, expanded), *members)


def _property(at: Cursor) -> ts.Node:
    start = at.next.start
    if at.is_next("..."):
        return _element(at)
    key = at.take().text
    if key == "[":
        expression(at)
        at.expect("]")
        key = at.since(start)
    value = expression(at) if at.accept(":") else None
    return at.flat(start, ts.Property(key, value), value)


def _template(at: Cursor, token: Token, tag: str = "") -> ts.Template:
    texts: list[str] = []
    holes: list[ts.Node] = []
    place = begin = token.start + 1
    while place < token.end - 1:
        if at.text[place] == "\\":
            place += 2
        elif at.text.startswith("${", place):
            end = hole_end(at.text, place + 2)
            texts.append(at.text[begin:place])
            holes.append(expression(Cursor(at.text[place + 2 : end], at.statement)))
            place = begin = end + 1
        else:
            place += 1
    texts.append(at.text[begin : token.end - 1])
    return at.flat(token.start - len(tag), ts.Template(tag, texts, holes), *holes)


def parameter(at: Cursor) -> ts.Node:
    start = at.next.start
    name: ts.Node
    if at.accept("{"):
        name = _object(at, start)
    else:
        while at.next.kind == "name":
            at.take()
        at.accept("?")
        name = ts.Atom(at.since(start), "name", flat=at.since(start))
    kind = type_(at) if at.accept(":") else None
    return at.flat(start, ts.Parameter(name, kind), name, kind)


def type_(at: Cursor) -> ts.Node:
    start = at.next.start
    options = [_many(at)]
    while at.accept("|"):
        options.append(_many(at))
    return options[0] if len(options) == 1 else at.flat(start, ts.Union(options), *options)


def _many(at: Cursor) -> ts.Node:
    start = at.next.start
    node = _one_type(at)
    while at.is_next("[") and at.is_far(1, "]"):
        at.take()
        at.take()
        node = at.flat(start, ts.Many(node), node)
    return node


def _one_type(at: Cursor) -> ts.Node:
    start = at.next.start
    if at.accept("("):
        node = type_(at)
        at.expect(")")
        node.wrapped = True
        return node
    if at.accept("{"):
        expanded = "\n" in at.text[start : at.next.start]
        members = at.listed("}", declared, ";")
        return at.flat(start, ts.Shape(members, expanded), *members)
    if at.next.kind not in ("name", "string"):
        raise ValueError(f"no type begins with {at.text[start : start + 40]!r}")
    while at.is_next("keyof", "typeof"):
        at.take()
    at.take()
    while at.accept("."):
        at.take()
    name = at.since(start)
    arguments = at.listed(">", type_) if at.accept("<") else []
    return at.flat(start, ts.Named(name, arguments), *arguments)


def declared(at: Cursor) -> ts.Node:
    start = at.next.start
    while at.next.kind in ("name", "string"):
        at.take()
    at.accept("?")
    name = at.since(start)
    at.expect(":")
    kind = type_(at)
    return at.flat(start, ts.Declared(name, kind), kind)


def block(at: Cursor, item: Statement | None = None) -> ts.Block:
    """`{ … }`; a text may end with the opening brace."""
    start = at.next.start
    at.expect("{")
    if not at.next.kind:
        return ts.Block(None)
    body = statements(at, item or at.statement)
    at.expect("}")
    return at.flat(start, ts.Block(body)) if not body else ts.Block(body)


def statements(at: Cursor, item: Callable[[Cursor], ts.Node]) -> list[ts.Node]:
    found: list[ts.Node] = []
    while at.next.kind and not at.is_next("}"):
        if found and "\n\n" in at.text[at.tokens[at.at - 1].end : at.next.start]:
            found.append(ts.Blank())
        found.append(item(at))
    return found
