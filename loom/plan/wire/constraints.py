"""Checks that JSON schema can say too: bounds of whole numbers, lengths of texts, lists of choices.

In: the condition of a check on one input. Out: schema keywords, none where there is no exact counterpart.
Never: a keyword that refuses what the check lets pass.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.ir.expressions import Call, Compare, Comparison, Expr, Fn, ListLiteral, Literal, Local, Logic, Logical
from loom.ir.types import Scalar, ScalarKind
from loom.plan.wire.json_text import Json

# The keyword, and what to add to the bound so that it is included.
BOUNDS: Mapping[Comparison, tuple[str, int]] = {
    Comparison.GE: ("minimum", 0),
    Comparison.GT: ("minimum", 1),
    Comparison.LE: ("maximum", 0),
    Comparison.LT: ("maximum", -1),
}
LENGTHS = {"minimum": "minLength", "maximum": "maxLength"}
WHOLE = (ScalarKind.INT, ScalarKind.LONG)


def constraints(condition: Expr) -> dict[str, Json]:
    """Keywords that hold exactly for the values that `condition` lets pass, or that say less."""
    match condition:
        case Logical(op=Logic.AND, operands=operands):
            return {name: value for operand in operands for name, value in constraints(operand).items()}
        case Compare(op=op, left=left, right=Literal(type=Scalar(kind=kind), text=text)) if kind in WHOLE:
            return _bound(op, left, int(text)) if op in BOUNDS else {}
        case Call(fn=Fn.CONTAINS, arguments=(ListLiteral(items=items), Local(type=Scalar(kind=ScalarKind.STRING)))):
            choices: list[Json] = [item.text for item in items if isinstance(item, Literal)]
            return {"enum": choices} if len(choices) == len(items) else {}
        case _:
            return {}


def _bound(op: Comparison, left: Expr, bound: int) -> dict[str, Json]:
    keyword, shift = BOUNDS[op]
    match left:
        case Local(type=Scalar(kind=kind)) if kind in WHOLE:
            return {keyword: bound + shift}
        case Call(fn=Fn.LENGTH, arguments=(Local(),)) if bound + shift >= 0:
            return {LENGTHS[keyword]: bound + shift}
        case _:
            return {}
