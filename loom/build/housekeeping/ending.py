"""The end of a run: what is on its way to others arrives, the run is summed up and written down, the store tidied.

In: a workspace, what happened to each task. Out: the last lines for people. Never: a change of any result.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from loom.build.housekeeping.journal import Journal, TaskEvent
from loom.build.housekeeping.limits import shown
from loom.build.housekeeping.times import seconds
from loom.build.housekeeping.took import took
from loom.build.store.atomic import Json

if TYPE_CHECKING:
    from loom.build.workspace import Workspace

WORDS = (
    ("ran", "ran"),
    ("remote", "ran remotely"),
    ("restored", "restored"),
    ("shared", "from the shared cache"),
    ("kept", "up to date"),
    ("failed", "failed"),
    ("error", "broken"),
    ("skipped", "not run"),
    ("ignored", "ignored"),
)


class Run:
    """What happens in one run; `begun` is the moment of the clock that only goes on, in nanoseconds."""

    def __init__(self, workspace: Workspace, command: Sequence[str]) -> None:
        self._workspace = workspace
        self.begun = time.monotonic_ns()
        self.events: list[TaskEvent] = []
        self._restored: set[str] = set()
        self._journal = Journal(workspace.project.state)
        self._journal.begin(command)

    def note(self, event: TaskEvent) -> None:
        """`restored` becomes `shared` when part of it came from elsewhere."""
        shared = self._workspace.__dict__.get("shared")
        if event.how == "restored":
            found = {key for _, key in event.entries}
            self._restored |= found
            if shared is not None and not shared.traffic.fetched.isdisjoint(found):
                event = event._replace(how="shared")
        self.events.append(event)
        self._journal.task(event)

    def finish(self, *, interrupted: bool) -> str:
        """Waits for what is on its way, unless somebody is in a hurry."""
        traffic = self._close(interrupted)
        counts = {how: sum(event.how == how for event in self.events) for how, _ in WORDS}
        saved = self._saved()
        spent = (time.monotonic_ns() - self.begun) // 1_000_000
        self._journal.end(end_fields(counts, spent, saved, traffic, interrupted=interrupted))
        if not self.events:
            return ""
        self._trace()
        return summary(counts, spent, saved, traffic) + ("" if interrupted else self._tidied())

    def _close(self, interrupted: bool) -> tuple[int, int]:
        shared, executor = (self._workspace.__dict__.get(name) for name in ("shared", "executor"))
        if shared is not None:
            shared.close(abandon=interrupted)
        if executor is not None:
            executor.close(abandon=interrupted)
        return self.traffic()

    def traffic(self) -> tuple[int, int]:
        """Bytes that came from others so far, and that went to them."""
        others = filter(None, (self._workspace.__dict__.get(name) for name in ("shared", "executor")))
        totals = [other.traffic.totals for other in others]
        return sum(one.down for one in totals), sum(one.up for one in totals)

    def expected(self) -> dict[str, int]:
        """Milliseconds that each task took when it last ran here, where the store still tells."""
        last, results = self._workspace.last, self._workspace.results
        ran = last.ran if last else {}
        return {name: took(results, (key for _, key in known.entries)) for name, known in ran.items()}

    def _saved(self) -> int:
        """Milliseconds that the restored results took when they were made."""
        return took(self._workspace.results, self._restored)

    def _trace(self) -> None:
        """Nothing to do takes no time, so that there is nothing to draw."""
        if all(event.how == "kept" for event in self.events):
            return
        from loom.build.graph.trace import write_trace

        write_trace(self._workspace.project.state, self._journal.name, self.events)

    def _tidied(self) -> str:
        """Only a run that used the store, and nobody else uses now, tidies it."""
        workspace = self._workspace
        if workspace.lease is None:
            return ""
        from loom.build.housekeeping.automatic import tidied

        keys = {key for known in workspace.now_known() for _, key in known.entries}
        return tidied(workspace.project, workspace.lease, keys)


def end_fields(
    counts: Mapping[str, int], spent: int, saved: int, traffic: tuple[int, int], *, interrupted: bool
) -> dict[str, Json]:
    """What the last line of the log says."""
    down, up = traffic
    rest: dict[str, Json] = {"milliseconds": spent, "saved": saved, "down": down, "up": up}
    return {**counts, **rest, "interrupted": interrupted}


def summary(counts: dict[str, int], spent: int, saved: int, traffic: tuple[int, int]) -> str:
    """One line; what did not happen is not in it."""
    parts = [f"{counts[how]} {words}" for how, words in WORDS if counts.get(how)]
    line = f"{', '.join(parts)} in {seconds(spent)}"
    line += f"; {seconds(saved)} saved" if saved else ""
    down, up = traffic
    line += f"; {shown(down)} fetched, {shown(up)} given" if down or up else ""
    return line + "\n"
