"""Operators of Python's own syntax trees: how tightly they bind, and where a line may break at them.

In: an expression. Out: facts about its operators, as `ruff format` sees them.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

_CONDITIONAL, _OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _UNARY = range(8)

_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", _ADD),
    ast.Sub: ("-", _ADD),
    ast.Mult: ("*", _MULTIPLY),
    ast.Div: ("/", _MULTIPLY),
    ast.FloorDiv: ("//", _MULTIPLY),
    ast.Mod: ("%", _MULTIPLY),
    ast.BitAnd: ("&", _COMPARE + 1),
    ast.BitOr: ("|", _COMPARE + 1),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}


class Part(NamedTuple):
    """An operand, the operator with its blank that stands before it, and the node whose operand it is."""

    operator: str
    operand: ast.expr
    parent: ast.expr


def binding(node: ast.expr) -> int | None:
    """How tightly the operator of `node` binds; None when it has none."""
    match node:
        case ast.IfExp():
            return _CONDITIONAL
        case ast.BoolOp(op=op):
            return _OR if isinstance(op, ast.Or) else _AND
        case ast.UnaryOp(op=ast.Not()):
            return _NOT
        case ast.Compare():
            return _COMPARE
        case ast.BinOp(op=operator):
            return _BINARY[type(operator)][1]
        case ast.UnaryOp():
            return _UNARY
    return None


def operator_chain(node: ast.expr) -> list[Part] | None:
    """The operands of the loosest operator of `node`, in order; None when it has none."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return [Part("", body, node), Part("if ", test, node), *_else(otherwise, node)]
        case ast.BoolOp():
            return _truths(node)
        case ast.UnaryOp(op=op, operand=operand):
            return [Part("not " if isinstance(op, ast.Not) else "-", operand, node)]
        case ast.Compare(left=left, ops=ops, comparators=others):
            pairs = zip(ops, others, strict=True)
            texts = ((f"{_COMPARISONS[type(op)]} ", other) for op, other in pairs)
            return [Part("", left, node), *(Part(text, other, node) for text, other in texts)]
        case ast.BinOp():
            return _flattened(node, _BINARY[type(node.op)][1])
    return None


def _truths(node: ast.BoolOp) -> list[Part]:
    """The formatter breaks at `and` wherever it breaks at the `or` around it."""
    text = "or " if isinstance(node.op, ast.Or) else "and "
    parts: list[Part] = []
    for value in node.values:
        before = text if parts else ""
        nested = isinstance(value, ast.BoolOp) and isinstance(value.op, ast.And) and isinstance(node.op, ast.Or)
        inner = _truths(value) if nested and isinstance(value, ast.BoolOp) else [Part("", value, node)]
        parts += [inner[0]._replace(operator=before), *inner[1:]]
    return parts


def _else(node: ast.expr, parent: ast.expr) -> list[Part]:
    if isinstance(node, ast.IfExp):
        inner = operator_chain(node) or []
        return [inner[0]._replace(operator="else "), *inner[1:]]
    return [Part("else ", node, parent)]


def _flattened(node: ast.expr, binds: int) -> list[Part]:
    """A left-leaning chain of operators of one precedence."""
    if isinstance(node, ast.BinOp) and _BINARY[type(node.op)][1] == binds:
        left = _flattened(node.left, binds) or [Part("", node.left, node)]
        return [*left, Part(f"{_BINARY[type(node.op)][0]} ", node.right, node)]
    return []


def can_stay_bare(node: ast.expr) -> bool:
    """Whether the formatter prefers a break in a bracket of `node` to parentheses around it.

    That is so when there is one operator of the loosest kind and the expression ends in brackets or begins in
    parentheses.
    """
    if isinstance(node, ast.UnaryOp):
        return _is_wrapped(node.operand, node) or (_parts(node.operand) <= 2 and _ends_in_brackets(node.operand))
    chain = operator_chain(node)
    if chain is None or len(chain) != 2:
        return False
    return _begins_in_parentheses(node) or _ends_in_brackets(node)


def _begins_in_parentheses(node: ast.expr) -> bool:
    chain = operator_chain(node)
    if chain is None or chain[0].operator:
        return False
    return _is_wrapped(chain[0].operand, chain[0].parent) or _begins_in_parentheses(chain[0].operand)


def _parts(node: ast.expr) -> int:
    return len(operator_chain(node) or [])


def _is_wrapped(operand: ast.expr, parent: ast.expr) -> bool:
    """Whether `operand` needs parentheses inside `parent`."""
    inner, outer = binding(operand), binding(parent)
    return inner is not None and outer is not None and inner <= outer


def _ends_in_brackets(node: ast.expr) -> bool:
    chain = operator_chain(node)
    if chain is None:
        return _has_brackets(node) and chain_links(node) is None
    last = chain[-1].operand
    return _is_wrapped(last, node) or _ends_in_brackets(last)


def _has_brackets(node: ast.expr) -> bool:
    match node:
        case ast.Call(args=arguments, keywords=keywords):
            return bool(arguments or keywords)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return bool(items)
        case ast.ListComp() | ast.DictComp() | ast.Dict():
            return True
    return False


def chain_links(node: ast.expr) -> list[ast.expr] | None:
    """What a chain of two or more calls on the results of calls starts with, then the calls; None for another."""
    links: list[ast.expr] = []
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        if not (isinstance(inner, ast.Call) or binding(inner) is not None):
            break
        links.insert(0, node)
        node = inner
    return [node, *links] if len(links) >= 2 else None
