"""Reads statements, declarations and members of classes.

In: a text. Out: their trees.
"""

from __future__ import annotations

from loom.backends.node.text import syntax as ts
from loom.backends.node.text.reader import Cursor, block, declared, expression, parameter, statements, type_

_DECLARING = frozenset({"const", "let"})


def read(text: str) -> list[ts.Node]:
    """All statements of `text`; the last one may end with its opening brace."""
    return statements(Cursor(text, statement), statement)


def read_member(text: str) -> list[ts.Node]:
    """The same of members of a class or an interface."""
    return statements(Cursor(text, statement), _member)


def read_property(text: str) -> ts.Node:
    """A member of an object literal, with its comma."""
    at = Cursor(f"{{{text}}}", statement)
    made = expression(at)
    assert isinstance(made, ts.Object)
    return made.members[0]


def statement(at: Cursor) -> ts.Node:
    start = at.next.start
    match at.next.text:
        case "if":
            return _if(at)
        case "for":
            return _loop(at)
        case "try":
            return _guarded(at)
        case "return" | "throw":
            opening = at.take().text
            value = None if at.is_next(";") else expression(at)
            at.expect(";")
            return at.flat(start, ts.Statement(f"{opening} " if value else opening, value), value)
        case "export" | "const" | "let" | "async" | "function" | "class" | "interface" | "type":
            return _declaration(at)
        case _:
            value = expression(at)
            at.expect(";")
            return at.flat(start, ts.Statement("", value), value)


def _declaration(at: Cursor) -> ts.Node:
    start = at.next.start
    while at.next.text in ("export", "async"):
        at.take()
    word = at.take().text
    if word in _DECLARING:
        return _variable(at, start)
    name = at.take().text
    assert name
    if word == "function":
        return _function(at, start)
    if word == "type":
        opening = at.since(start)
        at.expect("=")
        at.accept("|")
        kind = type_(at)
        at.expect(";")
        return at.flat(start, ts.Alias(opening, kind), kind)
    opening = at.since(start)
    extends = at.take().text if at.accept("extends") else ""
    return ts.Headed(opening, extends, block(at, _member))


def _variable(at: Cursor, start: int) -> ts.Node:
    opening = at.since(start) + " "
    left = expression(at) if at.is_next("{", "[") else _name(at)
    return _valued(at, start, opening, left)


def _name(at: Cursor) -> ts.Node:
    token = at.take()
    return ts.Atom(token.text, "name", flat=token.text)


def _valued(at: Cursor, start: int, opening: str, left: ts.Node) -> ts.Node:
    """What follows a name: its type, its value."""
    value: ts.Node | None = None
    if isinstance(left, ts.Assignment):
        value = left.value
        left = left.left
    kind = type_(at) if at.accept(":") else None
    if at.accept("="):
        value = expression(at)
    at.expect(";")
    return at.flat(start, ts.Variable(opening, left, kind, value), left, kind, value)


def _function(at: Cursor, start: int) -> ts.Node:
    opening = at.since(start)
    at.expect("(")
    parameters = at.listed(")", parameter)
    returns = type_(at) if at.accept(":") else None
    body = block(at)
    return at.flat(start, ts.Function(opening, parameters, returns, body), *parameters, returns, body)


def _member(at: Cursor) -> ts.Node:
    """Of a class or an interface."""
    start = at.next.start
    place = at.at
    while at.next.kind in ("name", "string"):
        at.take()
    if at.is_next("("):
        return _function(at, start)
    at.at = place
    before = at.at
    node = declared(at)
    assert isinstance(node, ts.Declared)
    if at.accept(";"):
        return at.flat(start, node, node.type)
    at.at = before
    return _field(at, start)


def _field(at: Cursor, start: int) -> ts.Node:
    while at.tokens[at.at + 1].kind == "name":
        at.take()
    opening = at.since(start) + " " if at.next.start > start else ""
    return _valued(at, start, opening, _name(at))


def _if(at: Cursor) -> ts.Node:
    start = at.next.start
    at.expect("if")
    at.expect("(")
    test = expression(at)
    at.expect(")")
    then = block(at)
    otherwise: ts.Node | None = None
    if at.accept("else"):
        otherwise = _if(at) if at.is_next("if") else block(at)
    return at.flat(start, ts.If(test, then, otherwise), test, then, otherwise)


def _loop(at: Cursor) -> ts.Node:
    first = at.next.start
    at.expect("for")
    at.expect("(")
    start = at.next.start
    while not at.is_next("of"):
        at.take()
    opening = at.since(start)
    at.expect("of")
    source = expression(at)
    at.expect(")")
    body = block(at)
    return at.flat(first, ts.Loop(opening, source, body), source, body)


def _guarded(at: Cursor) -> ts.Node:
    at.expect("try")
    body = block(at)
    start = at.next.start
    at.expect("catch")
    at.expect("(")
    at.take()
    at.expect(")")
    return ts.Guarded(body, at.since(start), block(at))
