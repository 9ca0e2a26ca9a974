"""What planning may find wrong: clashes of names in the database, and migrations that need a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from loom.base import Diagnostic


class DuplicateTable(Diagnostic):
    """Two declarations would be stored under one name in the database.

    Names are compared after they were put in snake case, pluralised and shortened to what PostgreSQL keeps.
    """

    message: ClassVar[str] = "`{first}` and `{second}` are both stored as `{name}`"
    help: ClassVar[str] = "rename one of them"

    first: str
    second: str
    name: str


class DuplicateColumn(Diagnostic):
    """Two fields of one entity would be stored in one column.

    A column is the field's name in snake case; members of value objects come after the name of their field.
    """

    message: ClassVar[str] = "`{first}` and `{second}` are both stored in column `{name}`"
    help: ClassVar[str] = "rename one of them"

    first: str
    second: str
    name: str


class MigrationDestructive(Diagnostic):
    """The pending migration would lose stored data."""

    message: ClassVar[Mapping[str, str]] = {
        "table": "the pending migration of {context} drops table `{name}` with all its rows",
        "column": "the pending migration of {context} drops column `{name}`",
        "type": "the pending migration of {context} changes `{name}` to a type that may not hold its values",
        "value": "the pending migration of {context} forbids `{name}`, which stored rows may have",
    }
    help: ClassVar[Mapping[str, str]] = {
        "table": "run it with --allow-destructive if the data may go",
        "column": "run it with --allow-destructive if the data may go",
        "type": "run it with --allow-destructive if the values are known to fit",
        "value": "keep the value, or run it with --allow-destructive if no row has it",
    }

    case: Literal["table", "column", "type", "value"]
    context: str
    name: str


class MigrationPending(Diagnostic):
    """Under `--locked` the database follows from recorded migrations alone, and one is missing.

    Without the option a service applies what is pending like the others, until the model changes again.
    """

    message: ClassVar[str] = "the migration of {context} is not recorded"
    help: ClassVar[str] = "`loom migrate record NAME`, and commit migrations/"

    context: str


class MigrationBackfillNeeded(Diagnostic):
    """Rows that are already stored have no value for a field that must have one."""

    message: ClassVar[str] = "stored rows have no value for `{name}`, which is required now"
    help: ClassVar[str] = "give it a literal default, or make it optional"

    name: str


class MigrationAmbiguousRename(Diagnostic):
    """A column disappeared and one of the same type appeared: a rename, or a loss and a new field?"""

    message: ClassVar[str] = "`{old}` became `{new}`: whether its values move there is not known"
    help: ClassVar[str] = (
        "add `{new}` in one migration and remove `{old}` in a later one, "
        "or run it with --allow-destructive to lose `{old}`"
    )

    old: str
    new: str
