"""The rules of seeds and migrations.

In: tokens, fields and expressions. Out: declarations.
"""

from __future__ import annotations

from loom.parse.ast import (
    Backfill,
    Expression,
    FieldValue,
    Migration,
    MigrationStep,
    RenamedField,
    RenamedTable,
    Seed,
    SeedRow,
    SqlStep,
)
from loom.parse.draft import Draft
from loom.parse.rules.members import names


def seed_row(d: Draft, token: int, fields: list[FieldValue] | None) -> SeedRow:
    return SeedRow(d.numbers[token], d.texts[token], tuple(fields or ()))


def seed(d: Draft, keyword: int, rows: list[SeedRow]) -> Seed:
    return Seed(d.numbers[keyword], "", False, tuple(rows))


def raw_seed(d: Draft, keyword: int, raw: int, rows: list[SeedRow]) -> Seed:
    return Seed(d.numbers[keyword], "", True, tuple(rows))


def named_seed(d: Draft, keyword: int, token: int, rows: list[SeedRow]) -> Seed:
    return Seed(d.numbers[token], d.texts[token], False, tuple(rows))


def named_raw_seed(d: Draft, keyword: int, token: int, raw: int, rows: list[SeedRow]) -> Seed:
    return Seed(d.numbers[token], d.texts[token], True, tuple(rows))


def migration(d: Draft, keyword: int, title: int, steps: list[MigrationStep]) -> Migration:
    return Migration(d.numbers[title], d.texts[title], tuple(steps))


def renamed_field(d: Draft, aggregate: int, old: int, new: int, *_: int) -> RenamedField:
    before, after = names(d, [old, new])
    return RenamedField(d.numbers[aggregate], d.texts[aggregate], before, after)


def renamed_table(d: Draft, old: int, new: int, *_: int) -> RenamedTable:
    return RenamedTable(d.numbers[old], d.texts[old], names(d, [new])[0])


def backfill(d: Draft, aggregate: int, field: int, value: Expression, *_: int) -> Backfill:
    return Backfill(d.numbers[aggregate], d.texts[aggregate], names(d, [field])[0], value)


def sql_step(d: Draft, text: int, *_: int) -> SqlStep:
    return SqlStep(d.numbers[text], d.texts[text])
