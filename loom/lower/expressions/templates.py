"""Template strings, as concatenations.

In: text and holes. Out: one sum of strings.
Never: a locale; a format only says what the hole may hold.
"""

from __future__ import annotations

from loom.ir.expressions import Arithmetic, Arithmetics, Domain, Expr, Literal
from loom.ir.types import DATETIME, MONEY, STRING
from loom.lower.expressions.operators.arithmetic import as_string
from loom.lower.problems.expressions import InterpFormatUnknown, InterpHoleType
from loom.lower.scope.frames import Frame
from loom.lower.scope.relations import is_number, show
from loom.parse import ast

_FORMATS = ("number", "date", "time", "plural", "select")


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
    if form in ("date", "time"):
        frame.scope.source.unsupported(hole.at, f"the template format `{form}`")
        return None
    if value is None:
        return None
    printed = as_string(frame, value)
    is_number_format = form in ("number", "plural")
    if printed is None or value.type == DATETIME or (is_number_format and not _is_amount(value)):
        return frame.fail(InterpHoleType(at=frame.at(hole.at), found=show(value.type)))
    return printed


def _is_amount(value: Expr) -> bool:
    return is_number(value.type) or value.type == MONEY
