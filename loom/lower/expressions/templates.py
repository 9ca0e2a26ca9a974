"""Template strings, as concatenations.

In: text and holes. Out: one sum of strings.
Never: a locale; a format only says what the hole may hold.
"""

from __future__ import annotations

from loom.ir.expressions import Arithmetic, Arithmetics, Convert, Domain, Expr, Literal
from loom.ir.types import DATETIME, MONEY, STRING
from loom.lower.expressions.operators.arithmetic import as_string
from loom.lower.problems.expressions import InterpFormatUnknown, InterpHoleType
from loom.lower.scope.frames import Frame
from loom.lower.scope.relations import is_number, show
from loom.parse import ast

_AMOUNTS = ("number", "plural")
_MOMENTS = ("date", "time")
_FORMATS = (*_AMOUNTS, *_MOMENTS, "select")


def template(frame: Frame, node: ast.Template) -> Expr | None:
    parts = [_part(frame, part) for part in node.parts]
    whole = [part for part in parts if part is not None]
    if len(whole) < len(parts):
        return None
    if len(whole) < 2:
        return whole[0] if whole else Literal(type=STRING, text="")
    return Arithmetics(type=STRING, op=Arithmetic.ADD, domain=Domain.STRING, operands=tuple(whole))


def _part(frame: Frame, part: str | ast.Hole) -> Expr | None:
    return _hole(frame, part) if isinstance(part, ast.Hole) else Literal(type=STRING, text=part)


def _hole(frame: Frame, hole: ast.Hole) -> Expr | None:
    value = frame.lower(hole.value, None)
    form = hole.format.partition(",")[0].strip()
    if form and form not in _FORMATS:
        return frame.fail(InterpFormatUnknown(at=frame.at(hole.at), name=form))
    if value is None:
        return None
    printed = _printed(frame, value, form)
    if printed is not None:
        return printed
    return frame.fail(InterpHoleType(at=frame.at(hole.at), found=show(value.type), remedy=_remedy(value, form)))


def _printed(frame: Frame, value: Expr, form: str) -> Expr | None:
    """The value as text; None where it has none in this format."""
    if form in _MOMENTS:
        return Convert(type=STRING, operand=value) if value.type == DATETIME else None
    if form in _AMOUNTS and not _is_amount(value):
        return None
    return as_string(frame, value)


def _remedy(value: Expr, form: str) -> str:
    if form in _MOMENTS:
        return f"the format `{form}` is for a datetime"
    if form in _AMOUNTS:
        return f"the format `{form}` is for a number or money"
    if value.type == DATETIME:
        return "write `, date` or `, time` behind it"
    return "convert it to a string first"


def _is_amount(value: Expr) -> bool:
    return is_number(value.type) or value.type == MONEY
