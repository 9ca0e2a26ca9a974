"""Levels of isolation: what a transaction asks of the database, and what it has without asking.

In: levels as the model names them. Out: the words of SQL, and the options that a service opens its sessions with.
"""

from __future__ import annotations

from collections.abc import Iterable

from loom.ir.program import Isolation

# From the weakest to the strictest.
SQL = {
    Isolation.READ_UNCOMMITTED: "READ UNCOMMITTED",
    Isolation.READ_COMMITTED: "READ COMMITTED",
    Isolation.REPEATABLE_READ: "REPEATABLE READ",
    Isolation.SERIALIZABLE: "SERIALIZABLE",
}
_WORDS = tuple(SQL.values())


def strictest(levels: Iterable[str]) -> str:
    """Of levels in the words of SQL; empty where there is none. Each promises what weaker ones do."""
    return max(filter(None, levels), key=_WORDS.index, default="")


def session_options(level: str) -> str:
    """As PostgreSQL takes options from whoever connects: a backslash before a space that belongs to a value."""
    instants = "-c timezone=UTC"
    default = level.lower().replace(" ", "\\ ")
    return f"{instants} -c default_transaction_isolation={default}" if level else instants
