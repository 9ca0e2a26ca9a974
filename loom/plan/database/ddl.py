"""SQL that makes, changes and drops tables: one statement a string, every identifier quoted.

In: shapes of tables. Out: statements without a final semicolon, in an order that foreign keys allow.
Never: a decision about whether a change is allowed.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from loom.plan import names
from loom.plan.history import ColumnShape, TableShape
from loom.plan.storage import ForeignKeyPlan, IndexPlan, OnDelete

BREAKPOINT = "--> statement-breakpoint"
# A table with rows that still wait for their check cannot be altered, and files may be applied in one transaction.
CHECK_AT_ONCE = "SET CONSTRAINTS ALL IMMEDIATE"


def quoted(identifier: str) -> str:
    doubled = identifier.replace('"', '""')
    return f'"{doubled}"'


def qualified(table: TableShape) -> str:
    return f"{quoted(table.schema_name)}.{quoted(table.name)}"


def script(statements: Iterable[str]) -> str:
    """Statements as the text of one migration file."""
    return f"\n{BREAKPOINT}\n".join(f"{statement};" for statement in (CHECK_AT_ONCE, *statements)) + "\n"


def create_schema(schema: str) -> str:
    return f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}"


def create_tables(tables: Iterable[TableShape]) -> list[str]:
    """CREATE TABLE in an order that foreign keys allow, the keys that close a cycle, then the indexes."""
    ordered = in_key_order(tables)
    waiting = {table.name for table in ordered}
    statements: list[str] = []
    later: list[str] = []
    for table in ordered:
        waiting.remove(table.name)
        statements.append(create_table(table, [key for key in table.foreign_keys if key.target_table not in waiting]))
        later += [add_key(table, key) for key in table.foreign_keys if key.target_table in waiting]
    return [*statements, *later, *[create_index(table, index) for table in ordered for index in table.indexes]]


def create_table(table: TableShape, keys: Iterable[ForeignKeyPlan]) -> str:
    lines = [
        *[_column(column) + _default(table, column) for column in table.columns],
        f"PRIMARY KEY ({_columns(table.primary_key)})",
        *[_check(table, column) for column in table.columns if column.choices],
        *[_key(table, key) for key in keys],
    ]
    body = ",\n".join(f"  {line}" for line in lines)
    return f"CREATE TABLE {qualified(table)} (\n{body}\n)"


def in_key_order(tables: Iterable[TableShape]) -> list[TableShape]:
    """Kahn's order: targets before those that refer to them, alphabetical among equals and in a cycle."""
    waiting = {table.name: table for table in tables}
    targets = {name: _targets(table) & waiting.keys() for name, table in waiting.items()}
    sources: dict[str, list[str]] = {name: [] for name in waiting}
    for name, needed in targets.items():
        for target in needed:
            sources[target].append(name)
    ready = [name for name, needed in targets.items() if not needed]
    heapify(ready)
    ordered: list[TableShape] = []
    while waiting:
        name = heappop(ready) if ready else min(waiting)
        if name not in waiting:
            continue
        ordered.append(waiting.pop(name))
        for source in sources[name]:
            targets[source].discard(name)
            if source in waiting and not targets[source]:
                heappush(ready, source)
    return ordered


def _targets(table: TableShape) -> set[str]:
    return {key.target_table for key in table.foreign_keys} - {table.name}


def _column(column: ColumnShape) -> str:
    null = "" if column.nullable else " NOT NULL"
    return f"{quoted(column.name)} {column.sql_type}{null}"


def _default(table: TableShape, column: ColumnShape) -> str:
    """Only a root has a version; what is owned may have a field of that name."""
    is_owned = any(key.on_delete is OnDelete.CASCADE for key in table.foreign_keys)
    return " DEFAULT 1" if column.name == "version" and not is_owned else ""


def _check(table: TableShape, column: ColumnShape) -> str:
    name, choices = quoted(column.name), ", ".join(map(literal, column.choices))
    is_array = column.sql_type.partition(" ")[0].endswith("[]")
    condition = f"{name} <@ ARRAY[{choices}]" if is_array else f"{name} IN ({choices})"
    return f"CONSTRAINT {quoted(names.choice_check(table.name, column.name))} CHECK ({condition})"


def literal(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def add_check(table: TableShape, column: ColumnShape) -> str:
    return f"ALTER TABLE {qualified(table)} ADD {_check(table, column)}"


def drop_check(table: TableShape, column: ColumnShape) -> str:
    return f"ALTER TABLE {qualified(table)} DROP CONSTRAINT {quoted(names.choice_check(table.name, column.name))}"


def _columns(columns: Iterable[str]) -> str:
    return ", ".join(map(quoted, columns))


def _key(table: TableShape, key: ForeignKeyPlan) -> str:
    target = f"{quoted(table.schema_name)}.{quoted(key.target_table)}"
    deferred = " DEFERRABLE INITIALLY DEFERRED" if key.deferred else ""
    own, theirs = [key.column], [key.column if key.ordinals else "id"]
    for column, referred in key.ordinals:
        own.append(column)
        theirs.append(referred)
    return (
        f"CONSTRAINT {quoted(key.name)} FOREIGN KEY ({_columns(own)}) "
        f"REFERENCES {target} ({_columns(theirs)}) ON DELETE {key.on_delete.value}{deferred}"
    )


def add_key(table: TableShape, key: ForeignKeyPlan) -> str:
    return f"ALTER TABLE {qualified(table)} ADD {_key(table, key)}"


def drop_key(table: TableShape, key: ForeignKeyPlan) -> str:
    return f"ALTER TABLE {qualified(table)} DROP CONSTRAINT {quoted(key.name)}"


def create_index(table: TableShape, index: IndexPlan) -> str:
    unique = "UNIQUE " if index.unique else ""
    return f"CREATE {unique}INDEX {quoted(index.name)} ON {qualified(table)} ({_columns(index.columns)})"


def drop_index(table: TableShape, index: IndexPlan) -> str:
    return f"DROP INDEX {quoted(table.schema_name)}.{quoted(index.name)}"


def drop_tables(tables: Iterable[TableShape]) -> list[str]:
    """The keys that close a cycle, then the tables, those that refer to others first."""
    ordered = in_key_order(tables)
    later = {table.name: {other.name for other in ordered[place + 1 :]} for place, table in enumerate(ordered)}
    closing = [
        drop_key(table, key) for table in ordered for key in table.foreign_keys if key.target_table in later[table.name]
    ]
    return [*closing, *[f"DROP TABLE {qualified(table)}" for table in reversed(ordered)]]


def add_column(table: TableShape, column: ColumnShape, default: str) -> list[str]:
    """With a default, rows that are there already get it; the column itself keeps none."""
    alter = f"ALTER TABLE {qualified(table)}"
    if not default:
        return [f"{alter} ADD COLUMN {_column(column)}"]
    return [
        f"{alter} ADD COLUMN {_column(column)} DEFAULT {default}",
        f"{alter} ALTER COLUMN {quoted(column.name)} DROP DEFAULT",
    ]


def drop_column(table: TableShape, column: ColumnShape) -> str:
    return f"ALTER TABLE {qualified(table)} DROP COLUMN {quoted(column.name)}"


def change_type(table: TableShape, column: ColumnShape) -> str:
    name, base = quoted(column.name), column.sql_type.partition(" ")[0]
    return f"ALTER TABLE {qualified(table)} ALTER COLUMN {name} TYPE {column.sql_type} USING {name}::{base}"


def change_nullability(table: TableShape, column: ColumnShape, default: str) -> list[str]:
    """With a default, rows without a value get it first."""
    name, alter = quoted(column.name), f"ALTER TABLE {qualified(table)} ALTER COLUMN"
    if column.nullable:
        return [f"{alter} {name} DROP NOT NULL"]
    filled = [fill(table, column, default)] if default else []
    return [*filled, f"{alter} {name} SET NOT NULL"]


def fill(table: TableShape, column: ColumnShape, value: str, present: str = "") -> str:
    """Gives rows without a value one, where the column `present` has one."""
    name, also = quoted(column.name), f" AND {quoted(present)} IS NOT NULL" if present else ""
    return f"UPDATE {qualified(table)} SET {name} = {value} WHERE {name} IS NULL{also}"
