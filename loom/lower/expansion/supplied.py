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


def _stamp(event: str, *body: ast.Statement) -> ast.Stamp:
    return ast.Stamp(0, ast.NameRef(0, event), body)


def _caller(claim: str) -> ast.Expression:
    return ast.Member(0, _name("currentUser"), claim)


def _now() -> ast.Expression:
    return ast.Call(0, _name("now"), ())


def _field(name: str, type_: ast.TypeRef, access: ast.Access, default: ast.Expression | None = None) -> ast.Property:
    return ast.Property(0, name, type_, access, default)


_MANAGED, _INTERNAL = ast.Access.MANAGED, ast.Access.INTERNAL
_TEXT, _TEXT_OR_NULL = ast.TypeRef(0, "string"), ast.TypeRef(0, "string", is_optional=True)
_MOMENT, _USER = ast.TypeRef(0, "datetime"), ast.TypeRef(0, "User", is_id=True)


def tenant_owned(claim: str, *, hierarchical: bool) -> ast.Capability:
    """Rows that note their tenant when they are made, and its place in the tree of tenants where there is one."""
    stamped = [_set("tenantId", _caller(claim))]
    if hierarchical:
        stamped.append(_set("dataKey", _caller("orgPath")))
    members = (
        _field("tenantId", _TEXT, _INTERNAL),
        _field("dataKey", _TEXT_OR_NULL, _INTERNAL),
        _stamp("onCreate", *stamped),
    )
    return ast.Capability(0, "tenantOwned", members)


def _supplied(name: str, *members: ast.CapabilityMember) -> ast.Capability:
    return ast.Capability(0, name, members)


TENANT_CAPABILITIES = ("tenantOwned", "tenantRegistry")
SUPPLIED: Mapping[str, ast.Capability] = {
    item.name: item
    for item in (
        _supplied(
            "softDeletable",
            _field(_DELETED, ast.TypeRef(0, "bool"), _INTERNAL, ast.BoolLiteral(0, False)),
            _field(_WHEN, ast.TypeRef(0, "datetime", is_optional=True), _MANAGED),
            ast.Filter(0, ast.Unary(0, ast.UnaryOperator.NOT, _name(_DELETED))),
        ),
        _supplied(
            "auditable",
            _field("createdAt", _MOMENT, _MANAGED),
            _field("updatedAt", _MOMENT, _MANAGED),
            _field("createdBy", _USER, _MANAGED),
            _field("updatedBy", _USER, _MANAGED),
            _stamp("onCreate", _set("createdAt", _now()), _set("createdBy", _caller("id"))),
            _stamp("onUpdate", _set("updatedAt", _now()), _set("updatedBy", _caller("id"))),
        ),
        # Where nobody says who the tenants are, a row has none; `tenant_owned` is what it is otherwise.
        _supplied(
            "tenantOwned",
            _field("tenantId", _TEXT, _INTERNAL, ast.StringLiteral(0, "")),
            _field("dataKey", _TEXT_OR_NULL, _INTERNAL),
        ),
        _supplied(
            "tenantRegistry",
            _field("parent", ast.TypeRef(0, "Self", is_id=True, is_optional=True), ast.Access.IMMUTABLE),
            _field("dataKey", _TEXT_OR_NULL, _MANAGED),
        ),
    )
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
