"""The condition of a find as a database is asked it: in each comparison the column stands first.

In: a condition in the queryable subset. Out: one that is worth the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from loom.ir.expressions import Compare, Comparison, Expr
from loom.plan.code.rewrite import rewrite
from loom.plan.code.walk import reads_instance

_FLIPPED: Mapping[Comparison, Comparison] = {
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}


def columns_first(where: Expr) -> Expr:
    return rewrite(where, _column_first)


def _column_first(node: Expr) -> Expr:
    if not isinstance(node, Compare) or reads_instance(node.left) or not reads_instance(node.right):
        return node
    op = _FLIPPED.get(node.op, node.op)
    return Compare(type=node.type, op=op, domain=node.domain, left=node.right, right=node.left)
