"""Declarations about rows that are there from the start, and about how older ones become newer ones."""

from __future__ import annotations

from dataclasses import dataclass

from loom.parse.ast.expressions import Expression, FieldValue
from loom.parse.ast.shared import NameRef


@dataclass(frozen=True, slots=True)
class SeedRow:
    """`Order { code: "A" }`; `at` is the aggregate's name."""

    at: int
    aggregate: str
    fields: tuple[FieldValue, ...]


@dataclass(frozen=True, slots=True)
class Seed:
    """Rows of a data set; `name` may be empty, and `at` is the keyword then. Raw ones are put in as they are."""

    at: int
    name: str
    is_raw: bool
    rows: tuple[SeedRow, ...]


@dataclass(frozen=True, slots=True)
class RenamedField:
    """`Order.total -> amount`; `at` is the aggregate's name."""

    at: int
    aggregate: str
    old: NameRef
    new: NameRef


@dataclass(frozen=True, slots=True)
class RenamedTable:
    """`Purchase -> Order`; `at` is the old name."""

    at: int
    old: str
    new: NameRef


@dataclass(frozen=True, slots=True)
class Backfill:
    """`Order.total = net + tax`; `at` is the aggregate's name."""

    at: int
    aggregate: str
    field: NameRef
    value: Expression


@dataclass(frozen=True, slots=True)
class SqlStep:
    """`sql "update …"`; `at` is the text."""

    at: int
    text: str


MigrationStep = RenamedField | RenamedTable | Backfill | SqlStep


@dataclass(frozen=True, slots=True)
class Migration:
    """`migration "title" { … }`; `at` is the title."""

    at: int
    name: str
    steps: tuple[MigrationStep, ...]
