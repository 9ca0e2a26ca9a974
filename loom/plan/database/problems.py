"""What planning may find wrong: clashes of names in the database, and migrations that need a decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity


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
    """Two fields of one entity, or a field and what its table keeps for itself, would be stored in one column.

    A column is the field's name in snake case; members of value objects come after the name of their field. For
    itself a table keeps keys, owners, the order of a list and whether a value is there.
    """

    message: ClassVar[Mapping[str, str]] = {
        "fields": "`{first}` and `{second}` are both stored in column `{name}`",
        "kept": "`{second}` would be stored in column `{name}`, which table `{first}` keeps for itself",
        "twice": "table `{first}` would keep column `{name}` for two of its fields",
    }
    help: ClassVar[Mapping[str, str]] = {
        "fields": "rename one of them",
        "kept": "rename `{second}`",
        "twice": "rename one of the two",
    }

    case: Literal["fields", "kept", "twice"]
    first: str
    second: str
    name: str


class IndexSuggestion(Diagnostic):
    """A find chooses rows by fields of which none begins an index.

    It is only told where the resource of the context asks for an index at all: who asks for some means to have all
    that finds need. Fields that a key or a reference is made of have an index already.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[str] = "no index helps find `{name}`"
    help: ClassVar[str] = "add `{index}` to the `index:` of the resource"

    name: str
    index: str


class MigrationDestructive(Diagnostic):
    """The pending migration would lose stored data."""

    message: ClassVar[Mapping[str, str]] = {
        "table": "the pending migration of {context} drops table `{name}` with all its rows",
        "rows": "the pending migration of {context} leaves one row of `{name}` for each owner, which may have more",
        "column": "the pending migration of {context} drops column `{name}`",
        "type": "the pending migration of {context} changes `{name}` to a type that may not hold its values",
        "value": "the pending migration of {context} forbids `{name}`, which stored rows may have",
        "target": "the pending migration of {context} makes `{name}` refer to another table, which may lack its values",
        "context": "there is no context `{context}` any more, and its tables may hold rows: `{name}`",
    }
    help: ClassVar[Mapping[str, str]] = {
        "table": "`loom migrate record NAME --allow-destructive` if the data may go",
        "rows": "`loom migrate record NAME --allow-destructive` if no owner has more, or the others may go",
        "column": "`loom migrate record NAME --allow-destructive` if the data may go",
        "type": "`loom migrate record NAME --allow-destructive` if the values are known to fit",
        "value": "keep the value, or `loom migrate record NAME --allow-destructive` if no row has it",
        "target": "use another field, or `loom migrate record NAME --allow-destructive` if the values are known to fit",
        "context": "give it its name back, or `loom migrate record NAME --allow-destructive` if the data may go",
    }

    case: Literal["table", "rows", "column", "type", "value", "target", "context"]
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
    help: ClassVar[Mapping[str, str]] = {
        "literal": "give it a literal default, or make it optional",
        "none": "make it optional: there is no literal for stored rows to take",
    }

    case: Literal["literal", "none"]
    name: str


class MigrationAmbiguousRename(Diagnostic):
    """A column disappeared and one of the same type appeared: a rename, or a loss and a new field?"""

    message: ClassVar[str] = "`{old}` became `{new}`: whether its values move there is not known"
    help: ClassVar[Mapping[str, str]] = {
        "filled": "add `{new}` in one migration and remove `{old}` in a later one, "
        "or `loom migrate record NAME --allow-destructive` to lose `{old}`",
        "literal": "give `{new}` a literal default or make it optional, and remove `{old}` in a later migration "
        "or lose it with `loom migrate record NAME --allow-destructive`",
        "none": "make `{new}` optional, and remove `{old}` in a later migration "
        "or lose it with `loom migrate record NAME --allow-destructive`",
    }

    case: Literal["filled", "literal", "none"]
    old: str
    new: str


class MigrationUniqueRows(Diagnostic):
    """The pending migration makes a key unique that rows may already share.

    Whether some do, only the database knows. If so, the migration stops there and nothing of it is applied: the service
    does not start, and says `migration_failed` with the first values that are there twice.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[str] = "the pending migration of {context} makes `{columns}` unique, which stored rows may share"
    help: ClassVar[str] = "before it is deployed: `SELECT {keys} FROM {table} GROUP BY {keys} HAVING count(*) > 1`"

    context: str
    columns: str
    table: str
    keys: str
