"""Rows that are there from the start, and how rows of an older model become rows of a newer one."""

from __future__ import annotations

from loom.base import Value
from loom.ir.expressions import Expr, FieldValue


class SeedRow(Value):
    """A row of an aggregate of the context: the inputs of its create, or the columns that it is put in with."""

    aggregate: str
    fields: tuple[FieldValue, ...]


class Seed(Value):
    """Rows that are made once for each data set. Raw ones are put in as they are, `id` among their columns."""

    dataset: str
    raw: bool
    rows: tuple[SeedRow, ...]


class RenamedField(Value):
    """`old` is what the field was called, `new` what it is called now."""

    aggregate: str
    old: str
    new: str


class RenamedTable(Value):
    """`old` is what the aggregate was called."""

    old: str
    aggregate: str


class Backfill(Value):
    """What stored rows get in a field; `value` reads other fields as Field(This, …)."""

    aggregate: str
    field: str
    value: Expr


class SqlStep(Value):
    """Statements for the database, as they were written."""

    text: str


MigrationStep = RenamedField | RenamedTable | Backfill | SqlStep


class Migration(Value):
    """What the next migration of the context has to know, in order."""

    name: str
    steps: tuple[MigrationStep, ...]
