"""What to say of a task whose key is that of its last run, though it would run, or ran again.

In: a task, why doit would run it. Out: a line or two. Never: a look at what its key is made of.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loom.build.housekeeping.journal import events, runs, typed
from loom.build.state import Known
from loom.build.work.generate import GenerateWork
from loom.build.work.work import Work

_FAILED = ("failed", "error")
_DONE = ("ran", "remote")
_DONE_OR_RESTORED = (*_DONE, "restored", "shared")


class _Time(NamedTuple):
    """One time that a task was not up to date, and the command that it was run by."""

    how: str
    key: str
    command: str


def never_done(work: Work) -> str:
    """Of a task that no run here has finished."""
    if _has_failed(work):
        return f"{work.name} was never done here: it failed, see `loom log what-failed`\n"
    return f"{work.name} was not run here before: nothing changed, everything is new\n"


def unchanged(work: Work, ran: Known, due: str) -> str:
    """`due` is why doit would run it, empty when it would not."""
    if not due:
        return f"{work.name} is as it was; its key has not changed here\n{_again(work, ran)}"
    return f"{work.name} would run, though its key has not changed here: {_reason(work, ran, due)}\n"


def is_rearranged(work: Work, ran: Known) -> bool:
    """Whether its key is other although its steps have the keys that they had."""
    known = work.known()
    return known is not None and known.key != ran.key


def rearranged(work: Work) -> str:
    """Besides the keys of its steps, the key of `generate` holds where each is written."""
    told = "in loom.yaml, the systems or their `out`" if isinstance(work, GenerateWork) else "the order of its parts"
    return f"{work.name} would run, though its parts are as they were\nroot cause: {told}\n"


def _reason(work: Work, ran: Known, due: str) -> str:
    if _has_failed(work):
        return "it failed the last time, see `loom log what-failed`"
    if not work.missing():
        return "doit has forgotten that it was done (`doit forget`, or .loom/doit.sqlite is lost)"
    return due


def _again(work: Work, ran: Known) -> str:
    """That it ran once more with the key that it had is told with the command that did it."""
    times = list(_times(work))
    done = [time for time in times if time.how in _DONE_OR_RESTORED and time.key == ran.key]
    if len(done) < 2 or times[0].how not in _DONE or times[0].key != ran.key:
        return ""
    return f"`{times[0].command}` ran it again, with that key\n"


def _has_failed(work: Work) -> bool:
    return next((time.how in _FAILED for time in _times(work)), False)


def _times(work: Work) -> Iterator[_Time]:
    """The newest first."""
    for run in runs(work.workspace.project.state):
        lines = list(events(run))
        command = next(filter(None, map(typed, lines)), "")
        for line in lines:
            if line.get("event") == "task" and line.get("task") == work.name and line.get("how") != "kept":
                yield _Time(str(line.get("how")), str(line.get("key", "")), command)
