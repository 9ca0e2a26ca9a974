"""What a dodo.py hands to doit: `DOIT_CONFIG`, with a database that is there and sound.

In: a project's state folder. Out: the configuration. Never: a loss of results (the database is a hint).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from pathlib import Path

from loom.build.bridge.reporter import LoomReporter

MARK = "loom"


def doit_config(state: Path) -> dict[str, object]:
    """`MARK` tells our replacements of doit's commands that they are wanted here."""
    database = state / "doit.sqlite"
    with contextlib.suppress(OSError):
        state.mkdir(exist_ok=True)
    move_broken_aside(database)
    return {
        MARK: True,
        "backend": "sqlite3",
        "dep_file": str(database),
        "default_tasks": ["generate"],
        "reporter": LoomReporter,
        "par_type": "thread",
        "verbosity": 1,
    }


def move_broken_aside(database: Path) -> None:
    """doit would stop with a traceback, even for `list`."""
    if not database.exists() or _is_sound(database):
        return
    aside = database.with_name(f"{database.name}.broken")
    with contextlib.suppress(OSError):
        os.replace(database, aside)
        sys.stderr.write(f"WARNING: {database} was broken and is now {aside.name}; results are kept elsewhere\n")


def _is_sound(database: Path) -> bool:
    try:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=5)
        try:
            found = connection.execute("select task_id, task_data from doit").fetchall()
            return connection.execute("pragma quick_check").fetchone() == ("ok",) and all(map(_is_row, found))
        finally:
            connection.close()
    except sqlite3.OperationalError as error:
        return "no such table" in str(error) or "locked" in str(error)
    except sqlite3.DatabaseError:
        return False


def _is_row(row: tuple[object, object]) -> bool:
    return isinstance(row[1], str) and row[1].startswith("{")
