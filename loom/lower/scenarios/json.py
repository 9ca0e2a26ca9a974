"""Values of end-to-end tests, as JSON.

In: an expression as written and the names bound so far. Out: JSON, or None when it is wrong.
"""

from __future__ import annotations

from typing import Protocol

from loom.base import nearest
from loom.ir import scenarios as ir
from loom.lower.problems.tests import E2eUnresolvedRef, E2eUnsupportedStatement
from loom.lower.scope.source import Source
from loom.parse import ast


class Bound(Protocol):
    """What a scenario knows while it is read."""

    source: Source
    bound: set[str]


def json(stage: Bound, node: ast.Expression) -> ir.Json | None:  # noqa: C901 - one case a kind
    match node:
        case ast.StringLiteral(value=value):
            return ir.JsonText(text=value)
        case ast.IntLiteral(value=number):
            return ir.JsonNumber(text=str(number))
        case ast.DecimalLiteral(text=text):
            return ir.JsonNumber(text=text)
        case ast.BoolLiteral(value=truth):
            return ir.JsonBool(value=truth)
        case ast.NullLiteral():
            return ir.JsonNull()
        case ast.Unary(operator=ast.UnaryOperator.NEGATE, operand=ast.IntLiteral(value=number)):
            return ir.JsonNumber(text=f"-{number}")
        case ast.Unary(operator=ast.UnaryOperator.NEGATE, operand=ast.DecimalLiteral(text=text)):
            return ir.JsonNumber(text=f"-{text}")
        case ast.ObjectLiteral():
            return json_object(stage, node)
        case ast.ListLiteral(items=items):
            made = _all(stage, items)
            return ir.JsonArray(items=made) if made is not None else None
        case ast.Name() | ast.Member():
            return _path(stage, node)
        case ast.Template() | ast.Binary(operator=ast.BinaryOperator.ADD):
            return _text(stage, node)
        case ast.Unsupported(at=at, feature=feature):
            stage.source.unsupported(at, feature)
            return None
        case _:
            at_place = stage.source.place(node.at)
            stage.source.report(E2eUnsupportedStatement(at=at_place, statement="this expression"))
            return None


def _all(stage: Bound, items: tuple[ast.Expression, ...]) -> tuple[ir.Json, ...] | None:
    made = [json(stage, item) for item in items]
    whole = tuple(item for item in made if item is not None)
    return whole if len(whole) == len(made) else None


def json_object(stage: Bound, node: ast.ObjectLiteral) -> ir.JsonObject | None:
    made = _all(stage, tuple(item.value for item in node.fields))
    if made is None:
        return None
    members = (ir.JsonMember(name=item.name, value=value) for item, value in zip(node.fields, made, strict=True))
    return ir.JsonObject(members=tuple(members))


def _path(stage: Bound, node: ast.Expression) -> ir.Json | None:
    members: list[str] = []
    inner = node
    while isinstance(inner, ast.Member):
        members.insert(0, inner.name)
        inner = inner.target
    if not isinstance(inner, ast.Name):
        at = stage.source.place(node.at)
        stage.source.report(E2eUnsupportedStatement(at=at, statement="a call inside an expression"))
        return None
    if inner.name not in stage.bound:
        near = nearest(inner.name, stage.bound)
        stage.source.report(E2eUnresolvedRef(at=stage.source.place(inner.at), name=inner.name, nearest=near))
        return None
    return ir.JsonPath(name=inner.name, members=tuple(members))


def _text(stage: Bound, node: ast.Template | ast.Binary) -> ir.Json | None:
    if isinstance(node, ast.Binary):
        made = _all(stage, node.operands)
        return ir.JsonConcat(parts=made) if made is not None else None
    parts: list[ir.Json | None] = [
        ir.JsonText(text=part) if isinstance(part, str) else json(stage, part.value) for part in node.parts
    ]
    whole = tuple(part for part in parts if part is not None)
    return ir.JsonConcat(parts=whole) if len(whole) == len(parts) else None
