"""Mistakes in seeds and migrations."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class SeedForeignAggregate(Diagnostic):
    """A seed makes rows of its own context alone."""

    message = "`{name}` belongs to context `{context}`"
    help = "move the row into a `seed` of `{context}`"

    name: str
    context: str


class SeedDuplicateField(Diagnostic):
    """A row gives one field twice."""

    message = "`{name}` is given twice"
    help = "remove one of them"

    name: str


class SeedUnknownField(Diagnostic):
    """A row gives what its aggregate does not take.

    Without `raw`, a row goes through the create of its aggregate and gives what that takes; with it, columns.
    """

    message = "{what} `{aggregate}` has no `{name}`"
    help = "did you mean `{nearest}`?"

    what: str
    aggregate: str
    name: str
    nearest: str


class SeedMissingField(Diagnostic):
    """A row lacks what it cannot be without."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "the row of `{aggregate}` lacks `{name}`"
    help = "give it: `{name}: …`"

    aggregate: str
    name: str


class SeedFieldType(Diagnostic):
    """A row gives a value of another type. Moments, ids and guids are written as strings."""

    message = "`{name}` of `{aggregate}` is {expected}, not {found}"
    help = "write {example}"

    aggregate: str
    name: str
    expected: str
    found: str
    example: str


class SeedIdNeedsRaw(Diagnostic):
    """A create mints the id of what it makes; only rows that are put in as they are bring one."""

    message = "a row that goes through a create has no `id` of its own"
    help = "write `seed {dataset} raw {{ … }}`, or remove it"

    dataset: str


class SeedRawColumnInvalid(Diagnostic):
    """A raw row gives plain columns of its table: value objects, parts and collections lie in others."""

    message = "`{name}` of `{aggregate}` is no single column"
    help = "write the row in a `seed` without `raw`"

    name: str
    aggregate: str


class SeedRawNonLiteralColumn(Diagnostic):
    """A raw row is put in as it is: nothing is computed but `now()`."""

    message = "the column `{name}` takes a literal or `now()`"
    help = "write the value, or the row in a `seed` without `raw`"

    name: str


class MigrationDuplicateName(Diagnostic):
    """Two migrations have one name."""

    message = "the migration `{name}` is declared twice"
    help = "rename one of them"

    name: str


class MigrationSqlEmpty(Diagnostic):
    """A step of SQL says nothing."""

    message = "an empty `sql` step"
    help = "remove it"


class MigrationSqlHomeless(Diagnostic):
    """Steps of SQL run in the database of the context whose aggregates the migration names, and this one names none."""

    message = "the migration `{name}` says SQL, and not for which context"
    help = "rename or fill a column of that context in the same migration"

    name: str


class MigrationExprUnsupported(Diagnostic):
    """A backfill is computed by the database: literals, other columns, arithmetic, text functions and conditions."""

    message = "a database cannot compute this: {reason}"
    help = "write it with literals, columns, arithmetic, text functions and `? :`, or as `sql`"

    reason: str


class BackfillUnknownField(Diagnostic):
    """A backfill fills a column that the aggregate does not have."""

    message = "`{aggregate}` has no field `{name}`"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class BackfillDuplicate(Diagnostic):
    """One migration fills a column once."""

    message = "`{aggregate}.{name}` is filled twice"
    help = "remove one of them"

    aggregate: str
    name: str


class BackfillTypeMismatch(Diagnostic):
    """A backfill gives a value of another type than its column has."""

    message = "`{aggregate}.{name}` is {expected}, not {found}"
    help = "give it {expected}"

    aggregate: str
    name: str
    expected: str
    found: str


class BackfillTargetInvalid(Diagnostic):
    """A backfill fills one column, and what it names lies in none of its own."""

    message: ClassVar[dict[str, str]] = {
        "rows": "`{aggregate}` has no columns: its rows are {name}",
        "field": "`{name}` of `{aggregate}` is no single column",
    }
    help = "write it as `sql`"

    case: Literal["rows", "field"]
    aggregate: str
    name: str


class RenameUnknownField(Diagnostic):
    """A field is renamed to one that the aggregate does not have."""

    message = "`{aggregate}` has no field `{name}`"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class RenameDuplicateSource(Diagnostic):
    """One thing becomes two."""

    message = "`{name}` is renamed twice"
    help = "keep one"

    name: str


class RenameDuplicateTarget(Diagnostic):
    """Two things become one."""

    message = "two are renamed to `{name}`"
    help = "keep one"

    name: str


class RenameToSelf(Diagnostic):
    """A name stays as it was."""

    message = "`{name}` is renamed to itself"
    help = "remove it"

    name: str
