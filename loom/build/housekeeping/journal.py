"""What happened in a run, a JSON line each, in `.loom/runs`; of them, the last few are kept.

In: events. Out: a file that is complete up to the last work of a run that was killed; the events again.
Never: a run that fails because it could not be written down.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from loom.build.housekeeping.run_files import first_line, forget_old, newest, run_name
from loom.build.store.atomic import Json

_ALWAYS = ("milliseconds",)
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode


class TaskEvent(NamedTuple):
    """One task. `how` is ran, remote, restored, shared, kept, failed, error, skipped or ignored.

    `began` counts milliseconds from the beginning of the run. `entries` are the keys of its steps or its action, unless
    it was kept: then an earlier run has them. `needs` are the tasks before it; `sandboxed` is true of actions. `phases`
    are for the trace alone: what it spent its time on, from when to when, in microseconds; the last is the task itself.
    """

    task: str
    how: str
    milliseconds: int = 0
    key: str = ""
    said: str = ""
    began: int = 0
    entries: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()
    sandboxed: bool = False
    phases: tuple[tuple[str, int, int], ...] = ()


class Journal:
    """Of one run. Its file is made with the first line."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "runs"
        self._stream: TextIO | None = None
        self.name = ""

    def begin(self, command: Sequence[str]) -> None:
        """With the program in front, whatever folder it lies in and however Python was told to run it."""
        at = time.time()
        self.name = run_name(at)
        with contextlib.suppress(OSError):
            os.makedirs(self._folder, exist_ok=True)
            self._stream = open(self._folder / f"{self.name}.jsonl", "x", encoding="utf-8")  # noqa: SIM115 - see `end`
        program = "loom" if os.path.basename(command[0]) == "loom" else "doit"
        self._write(first_line(at, program, _ENCODE([*command[1:]])))
        self._flush()

    def _write(self, line: str) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.write(line)

    def task(self, event: TaskEvent) -> None:
        self._write(task_line(event))
        if event.how != "kept":  # of those, thousands come at once
            self._flush()

    def _flush(self) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.flush()

    def end(self, fields: dict[str, Json]) -> None:
        self._write(end_line(fields))
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
        forget_old(str(self._folder))


def task_line(event: TaskEvent) -> str:
    """What is nothing is not said, but for how long it took."""
    fields = event._replace(phases=())._asdict()
    said = {name: value for name, value in fields.items() if value or name in _ALWAYS}
    return _ENCODE({"event": "task", **said}) + "\n"


def end_line(fields: dict[str, Json]) -> str:
    return _ENCODE({"event": "end", **fields}) + "\n"


def runs(state: Path) -> list[Path]:
    """The newest first."""
    with contextlib.suppress(OSError):
        return [state / "runs" / name for name in newest(str(state / "runs"))]
    return []


def events(path: Path) -> Iterator[dict[str, Json]]:
    """All lines that are whole; a run that was killed may have left half of one."""
    for line in path.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                yield found


def typed(line: dict[str, Json]) -> str:
    """The command of a `begin`, as a shell takes it again; empty for any other line."""
    match line:
        case {"event": "begin", "program": str(program), "words": [*words]}:
            return shlex.join([program, *map(str, words)])
        case _:
            return ""


def task_events(lines: Iterable[dict[str, Json]]) -> Iterator[TaskEvent]:
    """The tasks of a run again, as they were written down."""
    for line in lines:
        match line:
            case {"event": "task", "task": str(task), "how": str(how)}:
                took, began, needs = line.get("milliseconds"), line.get("began"), line.get("needs")
                yield TaskEvent(
                    task, how,
                    milliseconds=took if isinstance(took, int) else 0,
                    began=began if isinstance(began, int) else 0,
                    needs=tuple(map(str, needs)) if isinstance(needs, list) else (),
                )  # fmt: skip


def past_keys(state: Path, task: str) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """The key of `task` and those of its steps, for every kept run in which it was not up to date; the newest first."""
    for run in runs(state):
        for line in events(run):
            match line:
                case {"event": "task", "task": str(name), "key": str(key), "entries": [*entries]} if name == task:
                    yield key, tuple((str(row[0]), str(row[1])) for row in entries if isinstance(row, list))
