"""Syntax trees moved to another place.

In: a tree and the number of a token. Out: the same tree, all of it at that token, with `Self` given a name.
"""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec.structs import replace

from loom.lower.mentions import mapped
from loom.parse import ast

M = TypeVar("M", bound=ast.AggregateMember | ast.ContextMember)


def placed(member: M, at: int, self_name: str) -> M:
    """`member` as if it had been written at `at`, inside of the aggregate `self_name`."""

    def moved(node: Any) -> Any:  # noqa: ANN401 - whatever a tree holds
        if isinstance(node, ast.TypeRef) and node.name == "Self":
            return replace(node, at=at, name=self_name)
        return replace(node, at=at)

    return mapped(member, moved)
