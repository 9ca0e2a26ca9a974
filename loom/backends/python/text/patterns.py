"""Shapes written as the Python that they are, with holes: `filled("await {}.save({})", repository, instance)`.

In: a pattern of `str.format`, and what its holes are filled with. Out: a shape.
A pattern is taken apart once, and only when what was made of it is too long for its line.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from loom.backends.python.text.shapes import (
    AND,
    COMPARISON,
    CONDITIONAL,
    NOT,
    OR,
    PRODUCT,
    SUM,
    UNARY,
    Brackets,
    Call,
    Clauses,
    Enclosed,
    Filled,
    Lambda,
    Operators,
    behind,
    member,
    quoted,
    resolved,
)

_OPERATORS: dict[type[ast.AST], tuple[str, int]] = {
    ast.Or: ("or ", OR),
    ast.And: ("and ", AND),
    ast.Not: ("not ", NOT),
    ast.Eq: ("== ", COMPARISON),
    ast.NotEq: ("!= ", COMPARISON),
    ast.Lt: ("< ", COMPARISON),
    ast.LtE: ("<= ", COMPARISON),
    ast.Gt: ("> ", COMPARISON),
    ast.GtE: (">= ", COMPARISON),
    ast.In: ("in ", COMPARISON),
    ast.NotIn: ("not in ", COMPARISON),
    ast.Is: ("is ", COMPARISON),
    ast.IsNot: ("is not ", COMPARISON),
    ast.Add: ("+ ", SUM),
    ast.Sub: ("- ", SUM),
    ast.BitOr: ("| ", SUM),
    ast.Mult: ("* ", PRODUCT),
    ast.Div: ("/ ", PRODUCT),
    ast.FloorDiv: ("// ", PRODUCT),
    ast.Mod: ("% ", PRODUCT),
    ast.USub: ("-", UNARY),
}
_HOLE = "hole_of_pattern_"

Holes = tuple[str, ...]
Make = Callable[[Holes], str]


class Pattern(Filled):
    """A pattern with its holes filled."""

    __slots__ = ("holes", "pattern")
    pattern: str
    holes: Holes

    def shape(self) -> str:
        return resolved(_made(self.pattern, len(self.holes))(self.holes))


def filled(pattern: str, *holes: str) -> Pattern:
    self = Pattern(pattern.format(*holes))
    self.pattern, self.holes = pattern, holes
    return self


def or_none(value: str, text: str) -> str:
    """`text`, or null when `value` is."""
    return filled("None if {} is None else {}", value, text)


def each(item: str, collection: str) -> str:
    """The collection with its elements, each called `item`, spelled so."""
    return collection if item == "item" else filled("[{} for item in {}]", item, collection)


@lru_cache(1 << 10)
def _made(pattern: str, holes: int) -> Make:
    """What makes the shape of the pattern with other holes each time."""
    names = [f"{_HOLE}{number}" for number in range(holes)]
    return _make(ast.parse(pattern.format(*names), mode="eval").body)


def _make(node: ast.expr) -> Make:
    match node:
        case ast.Name(id=name):
            return _name(name)
        case ast.Constant(value=value):
            text = quoted(value) if isinstance(value, str) else repr(value)
            return lambda _: text
        case ast.Attribute(value=value, attr=attribute):
            receiver, spelled = _make(value), _name(attribute)
            return lambda holes: member(receiver(holes), spelled(holes))
        case ast.Call(func=called, args=arguments, keywords=keywords):
            function, items = _make(called), _arguments(arguments, keywords)
            return lambda holes: Call(function(holes), [item(holes) for item in items])
        case ast.Subscript(value=value, slice=index):
            head, inside = _make(value), _make(index)
            return lambda holes: Enclosed(head(holes), [inside(holes)], "[]")
    return _make_prefixed(node) or _make_display(node) or _make_operators(node)


def _name(name: str) -> Make:
    before, hole, rest = name.partition(_HOLE)
    if not hole:
        return lambda _: name
    if before or not rest.isdecimal():
        raise ValueError(f"a hole is a whole name, not a part of `{name}`")
    number = int(rest)
    return lambda holes: holes[number]


def _make_all(nodes: Iterable[ast.expr]) -> list[Make]:
    return list(map(_make, nodes))


def _behind(text: Make, node: ast.expr) -> Make:
    value = _make(node)
    return lambda holes: behind(text(holes), value(holes))


def _arguments(arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> list[Make]:
    match arguments, keywords:
        case [ast.GeneratorExp() as only], []:  # needs no parentheses of its own
            return [_clauses(only)]
    return [*_make_all(arguments), *[_behind(_name(f"{each.arg}="), each.value) for each in keywords]]


def _make_prefixed(node: ast.expr) -> Make | None:
    """What stands before a value."""
    match node:
        case ast.Await(value=value):
            return _behind(_name("await "), value)
        case ast.Starred(value=value):
            return _behind(_name("*"), value)
        case ast.Lambda(args=ast.arguments(args=parameters), body=body):
            names, value_ = [_name(each.arg) for each in parameters], _make(body)
            return lambda holes: Lambda(f"lambda{''.join(f' {name(holes)}' for name in names)}: ", value_(holes))
    return None


def _make_display(node: ast.expr) -> Make | None:
    """Whatever brings its own brackets."""
    match node:
        case ast.List(elts=elements):
            items = _make_all(elements)
            return lambda holes: Brackets("", [item(holes) for item in items], "[]")
        case ast.Dict(keys=[ast.Constant(value=str() as key)], values=[value]):
            entry = _behind(_name(f"{quoted(key)}: "), value)
            return lambda holes: Brackets("", [entry(holes)], "{}")
        case ast.ListComp() | ast.GeneratorExp():
            inside, around = _clauses(node), "[]" if isinstance(node, ast.ListComp) else "()"
            return lambda holes: Enclosed("", [inside(holes)], around)
    return None


def _clauses(node: ast.ListComp | ast.GeneratorExp) -> Make:
    found = [_make(node.elt)]
    for clause in node.generators:
        found.append(_behind(_target(_make(clause.target)), clause.iter))
        found += [_behind(_name("if "), condition) for condition in clause.ifs]
    return lambda holes: Clauses([each(holes) for each in found])


def _target(name: Make) -> Make:
    return lambda holes: f"for {name(holes)} in "


def _make_operators(node: ast.expr) -> Make:
    """Operands with their operators; holes bring the parentheses that they need."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return _operators(("", body), ("if ", test), ("else ", otherwise), binds=CONDITIONAL)
        case ast.BoolOp(op=op, values=[left, right]) | ast.BinOp(left=left, op=op, right=right):
            text, binds = _OPERATORS[type(op)]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            text, binds = _OPERATORS[type(op)]
        case ast.UnaryOp(op=op, operand=operand):
            text, binds = _OPERATORS[type(op)]
            return _operators((text, operand), binds=binds)
        case _:
            raise TypeError(f"no pattern has a {type(node).__name__}")
    return _operators(("", left), (text, right), binds=binds)


def _operators(*parts: tuple[str, ast.expr], binds: int) -> Make:
    operands = [(text, _make(node)) for text, node in parts]
    return lambda holes: Operators([(text, operand(holes)) for text, operand in operands], binds)
