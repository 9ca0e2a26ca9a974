"""The capabilities and operations that come with the language.

In: nothing. Out: syntax trees, at place 0 until they are moved.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.parse import ast

_DELETED, _WHEN = "isDeleted", "deletedAt"


def _name(name: str) -> ast.Name:
    return ast.Name(0, name)


def _set(name: str, value: ast.Expression) -> ast.Statement:
    return ast.Assign(0, _name(name), ast.AssignOperator.SET, value)


def _operation(name: str, *body: ast.Statement) -> ast.Operation:
    return ast.Operation(0, name, (), None, False, None, None, body)


SUPPLIED: Mapping[str, ast.Capability] = {
    "softDeletable": ast.Capability(
        0,
        "softDeletable",
        (
            ast.Property(0, _DELETED, ast.TypeRef(0, "bool"), ast.Access.INTERNAL, ast.BoolLiteral(0, False)),
            ast.Property(0, _WHEN, ast.TypeRef(0, "datetime", is_optional=True), ast.Access.MANAGED),
            ast.Filter(0, ast.Unary(0, ast.UnaryOperator.NOT, _name(_DELETED))),
        ),
    ),
}

# What the macro `softDelete` declares, on top of the capability `softDeletable`.
SOFT_DELETE = (
    _operation(
        "softDelete",
        _set(_DELETED, ast.BoolLiteral(0, True)),
        _set(_WHEN, ast.Call(0, _name("now"), ())),
    ),
    _operation("restore", _set(_DELETED, ast.BoolLiteral(0, False)), _set(_WHEN, ast.NullLiteral(0))),
)
