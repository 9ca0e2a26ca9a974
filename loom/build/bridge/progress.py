"""How far a run is: what is running, what came of the rest, and how long it may still take.

In: events of a run. Out: lines of text. Never: a clock of its own, or a stream.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from loom.build.housekeeping.ending import WORDS
from loom.build.housekeeping.limits import shown
from loom.build.housekeeping.times import seconds

Clock = Callable[[], float]
"""Seconds, from anywhere."""


class Sources(NamedTuple):
    """What is asked while it goes on: bytes that came and went, and how long each task took when it last ran."""

    traffic: Callable[[], tuple[int, int]]
    expected: Callable[[], Mapping[str, int]]
    """Milliseconds, for the tasks of this run that have run before."""


class Progress:
    """Told by the run's own thread, read by another."""

    def __init__(self, clock: Clock, total: int, sources: Sources) -> None:
        self._clock = clock
        self._total = total
        self._sources = sources
        self._running: dict[str, float] = {}
        self._done: dict[str, str] = {}
        self._expected: Mapping[str, int] | None = None

    def begin(self, task: str) -> None:
        self._running[task] = self._clock()

    def end(self, task: str, how: str) -> None:
        self._running.pop(task, None)
        self._done[task] = how

    def running(self) -> list[tuple[str, float]]:
        """Each with its seconds, the longest first."""
        now = self._clock()
        return [(task, now - begun) for task, begun in list(self._running.items())]

    def area(self, width: int) -> list[str]:
        """What a terminal shows while tasks run, cut to its width."""
        counts = self._counts()
        told = [f"{counts[how]} {words}" for how, words in WORDS if counts.get(how)]
        down, up = self._sources.traffic()
        told += [f"{shown(down)} fetched, {shown(up)} given"] if down or up else []
        left = self.left()
        told += [f"about {seconds(left)} left"] if left >= 1000 else []
        running = ", ".join(f"{task} {spent:.0f} s" for task, spent in self.running())
        head = f"{len(self._done)} of {self._total} tasks" + "".join(f", {part}" for part in told)
        return [line[: width - 1] for line in (f"running {running}" if running else "", head) if line]

    def left(self) -> int:
        """Milliseconds that what is left took when it last ran, shared by as many as run now.

        Of those that were met so far some did not have to run; of the others, as many will not have to.
        """
        if self._expected is None:
            self._expected = self._sources.expected()
        running = {task: int(spent * 1000) for task, spent in self.running()}
        waiting = sum(took for task, took in self._expected.items() if task not in self._done and task not in running)
        counts = self._counts()
        share = (counts.get("ran", 0) + counts.get("remote", 0) + len(running)) / max(1, len(self._done) + len(running))
        going = [max(0, self._expected.get(task, 0) - spent) for task, spent in running.items()]
        return max([int(sum(going) + waiting * share) // max(1, len(running)), *going])

    def _counts(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for how in list(self._done.values()):
            counts[how] = counts.get(how, 0) + 1
        return counts
