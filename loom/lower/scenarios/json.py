"""Values of end-to-end tests, as JSON.

In: an expression as written, the names bound so far, and the path that its place is told under. Out: JSON, or None
when it is wrong. Whatever is within it has a place below that path: members of an object by name (`VALUE` behind it
is what they are given), items of an array and members of a chain by number.
"""

from __future__ import annotations

from typing import Protocol

from loom.base import nearest
from loom.ir import scenarios as ir
from loom.ir.places import DeclarationPath
from loom.lower.expressions.plain import hole_in
from loom.lower.problems.expressions import PlainInterpolation
from loom.lower.problems.tests import E2eUnresolvedRef, E2eUnsupportedStatement
from loom.lower.scope.source import Source
from loom.parse import ast


class Bound(Protocol):
    """What a scenario knows while it is read."""

    source: Source
    bound: set[str]


def json(stage: Bound, node: ast.Expression, path: DeclarationPath) -> ir.Json | None:
    stage.source.declare(node.at, *path)
    return _json(stage, node, path)


def _json(stage: Bound, node: ast.Expression, path: DeclarationPath) -> ir.Json | None:  # noqa: C901 - one case a kind
    match node:
        case ast.StringLiteral(value=value):
            if hole := hole_in(value, stage.bound.__contains__):
                stage.source.report(PlainInterpolation(at=stage.source.place(node.at), case="text", hole=hole))
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
            return _object(stage, node, path)
        case ast.ListLiteral(items=items):
            made = _all(stage, items, path)
            return ir.JsonArray(items=made) if made is not None else None
        case ast.Name() | ast.Member():
            return _chain(stage, node, path)
        case ast.Template() | ast.Binary(operator=ast.BinaryOperator.ADD):
            return _text(stage, node, path)
        case ast.Unsupported(at=at, feature=feature):
            stage.source.unsupported(at, feature)
            return None
        case _:
            at_place = stage.source.place(node.at)
            stage.source.report(E2eUnsupportedStatement(at=at_place, statement="this expression"))
            return None


def _all(stage: Bound, items: tuple[ast.Expression, ...], path: DeclarationPath) -> tuple[ir.Json, ...] | None:
    made = [json(stage, item, (*path, str(number))) for number, item in enumerate(items)]
    whole = tuple(item for item in made if item is not None)
    return whole if len(whole) == len(made) else None


def _object(stage: Bound, node: ast.ObjectLiteral, path: DeclarationPath) -> ir.JsonObject | None:
    members = []
    for item in node.fields:
        stage.source.declare(item.at, *path, item.name)
        value = json(stage, item.value, (*path, item.name, ir.VALUE))
        if value is not None:
            members.append(ir.JsonMember(name=item.name, value=value))
    return ir.JsonObject(members=tuple(members)) if len(members) == len(node.fields) else None


def _chain(stage: Bound, node: ast.Expression, path: DeclarationPath) -> ir.Json | None:
    members: list[ast.Member] = []
    inner = node
    while isinstance(inner, ast.Member):
        members.insert(0, inner)
        inner = inner.target
    if not isinstance(inner, ast.Name):
        at = stage.source.place(node.at)
        stage.source.report(E2eUnsupportedStatement(at=at, statement="a call inside an expression"))
        return None
    if inner.name not in stage.bound:
        near = nearest(inner.name, stage.bound)
        stage.source.report(E2eUnresolvedRef(at=stage.source.place(inner.at), name=inner.name, nearest=near))
        return None
    for number, member in enumerate(members):
        stage.source.declare(member.at, *path, str(number))
    return ir.JsonPath(name=inner.name, members=tuple(member.name for member in members))


def _text(stage: Bound, node: ast.Template | ast.Binary, path: DeclarationPath) -> ir.Json | None:
    if isinstance(node, ast.Binary):
        made = _all(stage, node.operands, path)
        return ir.JsonConcat(parts=made) if made is not None else None
    parts: list[ir.Json | None] = [
        ir.JsonText(text=part) if isinstance(part, str) else json(stage, part.value, (*path, str(number)))
        for number, part in enumerate(node.parts)
    ]
    whole = tuple(part for part in parts if part is not None)
    return ir.JsonConcat(parts=whole) if len(whole) == len(parts) else None
