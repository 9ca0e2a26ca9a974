"""Syntax trees moved to another place.

In: a tree and the number of a token. Out: the same tree, all of it at that token, with `Self` given a name.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from loom.parse import ast

M = TypeVar("M", bound=ast.AggregateMember)


def placed(member: M, at: int, self_name: str) -> M:
    """`member` as if it had been written at `at`, inside of the aggregate `self_name`."""
    moved: M = _moved(member, at, self_name)
    return moved


def _moved(node: Any, at: int, self_name: str) -> Any:  # noqa: ANN401 - whatever a tree holds
    if isinstance(node, tuple):
        return tuple(_moved(item, at, self_name) for item in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    made = {field.name: _moved(getattr(node, field.name), at, self_name) for field in fields(node)}
    made["at"] = at
    if isinstance(node, ast.TypeRef) and node.name == "Self":
        made["name"] = self_name
    return replace(node, **made)
