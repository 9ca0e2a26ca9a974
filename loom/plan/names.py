"""Every name that a client or the database sees, made from declared names in one place.

In: declared names. Out: schema, table, column, index, wire and route names as final strings.
Never: names of a target language.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from loom.base import camel, plural, snake, words

# PostgreSQL cuts longer identifiers off silently, so that two of them can become one.
LONGEST = 63
AGGREGATE_CREATED = "aggregate_created"
AGGREGATE_LOADED = "aggregate_loaded"
FIND_EXECUTED = "find_executed"
REPOSITORY_SAVE = "repository_save"
WORKFLOW_STARTED = "workflow_started"
WORKFLOW_COMPLETED = "workflow_completed"
"""What the log calls what happens in emitted code."""
_HASH = 8


def bounded(readable: str, role: str = "") -> str:
    """`readable` and `role` as one identifier, shortened to head, hash and role when it is too long."""
    full = readable + role
    if len(full.encode()) <= LONGEST:
        return full
    mark = "_" + hashlib.sha256(full.encode()).hexdigest()[:_HASH] + role
    return readable[: LONGEST - len(mark)].rstrip("_") + mark


@lru_cache(maxsize=4096)
def snake_name(name: str) -> str:
    return snake(words(name))


def camel_name(name: str) -> str:
    return camel(words(name))


@lru_cache(maxsize=4096)
def plural_name(name: str) -> str:
    return snake(plural(words(name)))


def schema_name(context: str) -> str:
    return bounded(snake_name(context))


def root_table(prefix: str, aggregate: str) -> str:
    return bounded(prefix + plural_name(aggregate))


def child_table(prefix: str, aggregate: str, path: Iterable[str]) -> str:
    """The table of a part, or of a collection field, at `path` below the root."""
    return bounded(prefix + "_".join([snake_name(aggregate), *map(snake_name, path)]))


def column(path: Iterable[str]) -> str:
    """The column of a field, or of a value-object member below it."""
    return bounded("_".join(map(snake_name, path)))


def id_column(entity: str) -> str:
    return bounded(snake_name(entity), "_id")


def ordinal_column(path: Iterable[str]) -> str:
    """The place of an element of the collection at `path` below the entity, in tables of what the element holds."""
    return bounded("_".join(map(snake_name, path)), "_ordinal")


def presence_column(path: Iterable[str]) -> str:
    return bounded("_".join(map(snake_name, path)), "_present")


def foreign_key(table: str, column_name: str) -> str:
    return bounded(f"{table}_{column_name}", "_fk")


def choice_check(table: str, column_name: str) -> str:
    return bounded(f"{table}_{column_name}", "_ck")


def index(table: str, columns: Iterable[str]) -> str:
    return bounded("_".join([table, *columns]), "_idx")


def unique_index(table: str, columns: Iterable[str]) -> str:
    return bounded("_".join([table, *columns]), "_uq")


def aggregate_path(aggregate: str) -> str:
    return f"/api/{plural_name(aggregate)}"


def workflow_path(workflow: str, create: str) -> str:
    path = f"/api/workflows/{snake_name(workflow)}"
    return f"{path}/{snake_name(create)}" if create else path


def workflow_operation(workflow: str, create: str) -> str:
    return f"{create}{capitalised(workflow)}Workflow" if create else f"{camel_name(workflow)}Workflow"


def capitalised(name: str) -> str:
    return name[:1].upper() + name[1:]


def message_code(message: str) -> str:
    """The stable id of an author's message, by which a client may translate it; empty for none."""
    return f"msg.{hashlib.sha256(message.encode()).hexdigest()[:12]}" if message else ""
