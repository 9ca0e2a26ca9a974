"""Finds that read a whole table though its author takes care of indexes.

In: the aggregates of a context, their tables, what its resource asks indexes for. Out: IndexSuggestion.
Never: a suggestion where no index is asked for at all: small tables need none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Diagnostic
from loom.ir.expressions import Compare, Comparison, Expr, Field, Logic, Logical, This
from loom.ir.places import Places
from loom.ir.program import Aggregate, Find
from loom.plan import names
from loom.plan.database.placed import Placed
from loom.plan.database.problems import IndexSuggestion


def missing_indexes(
    aggregates: Iterable[Aggregate], tables: Iterable[Placed], indexes: tuple[tuple[str, tuple[str, ...]], ...],
    places: Places,
) -> Iterator[Diagnostic]:  # fmt: skip
    """Of each find that no index helps, where the resource asks for some."""
    helped = {item.path: {index.columns[0] for index in item.table.indexes} for item in tables}
    for aggregate in aggregates if indexes else ():
        for find in aggregate.finds:
            columns = {names.column((field,)): field for field in dict.fromkeys(_chosen(find))}
            if columns and not (helped.get((aggregate.name,), set()) | {"id"}).intersection(columns):
                at, fields = places.at(aggregate.repository, find.name), list(columns.values())
                listed = fields[0] if len(fields) == 1 else f"({', '.join(fields)})"
                yield IndexSuggestion(at=at, name=find.name, index=f"{aggregate.name}.{listed}")


def _chosen(find: Find) -> Iterator[str]:
    """The fields whose value a find gives."""
    return _equal(find.where) if find.where is not None else iter(())


def _equal(condition: Expr) -> Iterator[str]:
    match condition:
        case Logical(op=Logic.AND, operands=operands):
            for operand in operands:
                yield from _equal(operand)
        case Compare(op=Comparison.EQ, left=Field(receiver=This(), name=name)):
            yield name
        case Compare(op=Comparison.EQ, right=Field(receiver=This(), name=name)):
            yield name
