"""The branches of a conditional or a match: an empty list and a bare enum value have the type of the others.

In: each branch as written, with the frame that it is read in. Out: the typed branches, None for one that is wrong.
Never: a common type; that is the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.ir.expressions import Expr
from loom.ir.types import ArrayType, EnumType, Type
from loom.lower.expressions.names import is_value_name
from loom.lower.scope.frames import UNTOLD, Frame
from loom.lower.scope.relations import without_optional
from loom.parse import ast

Branch = tuple[Frame, ast.Expression]


def branches(written: Sequence[Branch], expected: Type | None) -> list[Expr | None]:
    """In the order in which they are written."""
    if expected is not None or all(_is_open(*branch) for branch in written):
        return [frame.lower(node, expected) for frame, node in written]
    told = {at: frame.lower(node) for at, (frame, node) in enumerate(written) if not _is_open(frame, node)}
    wanted = _wanted(list(told.values()))
    return [told[at] if at in told else frame.lower(node, wanted) for at, (frame, node) in enumerate(written)]


def _is_open(frame: Frame, node: ast.Expression) -> bool:
    """Whether it is an empty list or a value of several enums whichever way it goes."""
    match node:
        case ast.Name(name=name):
            return not is_value_name(frame, name) and len(frame.scope.tables.enum_values.get(name, ())) > 1
        case ast.ListLiteral(items=items):
            return not items
        case ast.Ternary(then=then, otherwise=otherwise):
            return _is_open(frame, then) and _is_open(frame, otherwise)
        case ast.Match(arms=arms, otherwise=otherwise) if otherwise is not None:
            return all(_is_open(frame, item) for item in (*[arm.value for arm in arms], otherwise))
    return False


def _wanted(told: Sequence[Expr | None]) -> Type | None:
    """That of the first list or enum value; nothing can be told beside a branch that is wrong."""
    types = [without_optional(item.type) for item in told if item is not None]
    telling = [type_ for type_ in types if isinstance(type_, ArrayType | EnumType)]
    return telling[0] if telling else UNTOLD if None in told else None
