"""A run as a trace that Chrome's and Perfetto's viewers draw: a bar each task with its phases below it, the critical
path in a row of its own.

In: the events of a run. Out: `.loom/traces/<run>.json`, the last five. Never: a run that fails for it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from loom.build.graph.critical import critical_path
from loom.build.housekeeping.journal import TaskEvent
from loom.build.housekeeping.run_files import KEPT
from loom.build.store.atomic import Json, write_disposable

_CRITICAL = 0
"""The row of the critical path; the others are as many as there were tasks at once."""


def write_trace(state: Path, run: str, events: Sequence[TaskEvent]) -> None:
    """Tasks that were up to date took no time and are not in it."""
    folder = state / "traces"
    with contextlib.suppress(OSError):
        folder.mkdir(exist_ok=True)
        write_disposable(str(folder / f"{run}.json"), json.dumps({"traceEvents": [*_bars(events)]}).encode())
        for old in sorted(folder.glob("*.json"), reverse=True)[KEPT:]:
            old.unlink()


def path_of(events: Sequence[TaskEvent]) -> tuple[TaskEvent, ...]:
    """What of a run took longest, one after the other."""
    by_name = {event.task: event for event in events}
    cost = {event.task: event.milliseconds for event in events}
    return tuple(by_name[name] for name in critical_path({name: one.needs for name, one in by_name.items()}, cost))


def _bars(events: Sequence[TaskEvent]) -> Iterator[Json]:
    done = sorted((event for event in events if event.how != "kept"), key=_span)
    path = path_of(done)
    rows: list[int] = []
    yield _named(_CRITICAL, "critical path")
    for event in done:
        begin, end = _span(event)
        row = next((at for at, last in enumerate(rows) if last <= begin), len(rows))
        rows[row:] = [end, *rows[row + 1 :]]
        yield _bar(event, row + 1, is_critical=event in path)
        yield from (_phase(one, row + 1) for one in event.phases[:-1])
    yield from (_named(row + 1, f"tasks {row + 1}") for row in range(len(rows)))
    yield from (_bar(event, _CRITICAL, is_critical=True) for event in path)


def _span(event: TaskEvent) -> tuple[int, int]:
    """In microseconds, as exactly as is known: viewers draw a phase that sticks out of its task elsewhere."""
    if event.phases:
        return event.phases[-1][1:]
    return event.began * 1000, (event.began + event.milliseconds) * 1000


def _bar(event: TaskEvent, row: int, *, is_critical: bool) -> Json:
    begin, end = _span(event)
    told: dict[str, Json] = {"how": event.how, "key": event.key, "critical": is_critical}
    return {
        "name": event.task, "cat": event.how, "ph": "X", "pid": 1, "tid": row,
        "ts": begin, "dur": end - begin, "args": told,
    }  # fmt: skip


def _phase(phase: tuple[str, int, int], row: int) -> Json:
    name, begin, end = phase
    return {"name": name, "cat": "phase", "ph": "X", "pid": 1, "tid": row, "ts": begin, "dur": end - begin}


def _named(row: int, name: str) -> Json:
    return {"name": "thread_name", "ph": "M", "pid": 1, "tid": row, "args": {"name": name}}
