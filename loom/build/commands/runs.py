"""`loom log runs` and `loom log diff`: the runs that are kept, and what was different in two of them.

In: a workspace, names of runs. Out: text. Never: a run.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from loom.build.commands.past import known_entries
from loom.build.commands.preimages import Stored, compared
from loom.build.housekeeping.journal import events, runs, typed
from loom.build.project.problem import NothingBegun
from loom.build.store.atomic import Json
from loom.build.workspace import Workspace

Line = dict[str, Json]
_MOST = 12


def told_runs(state: Path) -> str:
    """Each with a number, counted from the newest, and the name that it has."""
    lines = [f"{at}  {path.stem}  {_head(list(events(path)))}\n" for at, path in enumerate(runs(state), 1)]
    return "".join(lines) or "nothing was run here yet\n"


def run_of(state: Path, word: str) -> Path:
    """By its number, or by the beginning of its name."""
    found = runs(state)
    if word.isdigit() and 0 < int(word) <= len(found):
        return found[int(word) - 1]
    named = [path for path in found if path.stem.startswith(word)]
    if len(named) != 1:
        told = "several begin so" if named else f"{len(found)} are kept"
        raise NothingBegun(f"there is no run `{word}`: {told}, see `loom log runs`")
    return named[0]


def diff(workspace: Workspace, first: str, second: str) -> str:
    """What the second run did otherwise than the first, and what of each key was different."""
    state = workspace.project.state
    before, after = (list(events(run_of(state, word))) for word in (first, second))
    old, new = _tasks(before), _tasks(after)
    stored = Stored(workspace.content, workspace.results)
    lines = [f"A  {_head(before)}\n", f"B  {_head(after)}\n"]
    for task in dict.fromkeys([*old, *new]):
        lines += _differences(workspace, stored, task, old.get(task), new.get(task))
    return "".join(lines if len(lines) > 2 else [*lines, "every task had the same key and went the same way\n"])


def _differences(workspace: Workspace, stored: Stored, task: str, old: Line | None, new: Line | None) -> Iterator[str]:
    if old is None or new is None:
        yield f"{task}: only in {'A' if new is None else 'B'}\n"
        return
    if old.get("key", "") == new.get("key", ""):
        if old.get("how") != new.get("how"):
            yield f"{task}: {old.get('how')} in A, {new.get('how')} in B, with the same key\n"
        return
    yield f"{task}: {old.get('how')} in A, {new.get('how')} in B\n"
    entries = [_entries(workspace, task, line) for line in (old, new)]
    tables = [{unit: stored.told(key) for unit, key in found.items()} for found in entries]
    rows = list(compared(*tables)) if all(tables) else ["  what its key was made of is not kept any more\n"]
    yield from rows[:_MOST]
    if len(rows) > _MOST:
        yield f"  ... and {len(rows) - _MOST} more\n"


def _entries(workspace: Workspace, task: str, line: Line) -> dict[str, str]:
    """A run in which the task was up to date has no more than its key."""
    match line.get("entries"):
        case [*rows] if rows:
            return {str(row[0]): str(row[1]) for row in rows if isinstance(row, list)}
        case _:
            return known_entries(workspace, task, str(line.get("key", "")))


def _tasks(lines: list[Line]) -> dict[str, Line]:
    return {str(line["task"]): line for line in lines if line.get("event") == "task"}


def _head(lines: list[Line]) -> str:
    for line in lines:
        match line:
            case {"event": "begin", "at": int(at)}:
                when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
                return f"{when}  {typed(line)}"
    return "a run without a beginning"
