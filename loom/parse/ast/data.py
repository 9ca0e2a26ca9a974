"""Declarations about rows that are there from the start, and about how older ones become newer ones."""

from __future__ import annotations

from loom.parse.ast.expressions import Expression, FieldValue
from loom.parse.ast.shared import NameRef, Node


class SeedRow(Node):
    """`Order { code: "A" }`; `at` is the aggregate's name."""

    at: int
    aggregate: str
    fields: tuple[FieldValue, ...]


class Seed(Node):
    """Rows of a data set; `name` may be empty, and `at` is the keyword then. Raw ones are put in as they are."""

    at: int
    name: str
    is_raw: bool
    rows: tuple[SeedRow, ...]


class RenamedField(Node):
    """`Order.total -> amount`; `at` is the aggregate's name."""

    at: int
    aggregate: str
    old: NameRef
    new: NameRef


class RenamedTable(Node):
    """`Purchase -> Order`; `at` is the old name."""

    at: int
    old: str
    new: NameRef


class Backfill(Node):
    """`Order.total = net + tax`; `at` is the aggregate's name."""

    at: int
    aggregate: str
    field: NameRef
    value: Expression


class SqlStep(Node):
    """`sql "update …"`; `at` is the text."""

    at: int
    text: str


MigrationStep = RenamedField | RenamedTable | Backfill | SqlStep


class Migration(Node):
    """`migration "title" { … }`; `at` is the title."""

    at: int
    name: str
    steps: tuple[MigrationStep, ...]
