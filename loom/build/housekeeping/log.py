"""`loom log last|what-ran|what-failed`: what the last run did, and how to do it again.

In: a project, a word. Out: text. Never: a run.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.build.graph.trace import path_of
from loom.build.housekeeping.ending import summary
from loom.build.housekeeping.journal import events, runs, task_events, typed
from loom.build.housekeeping.times import seconds
from loom.build.project.problem import ProjectProblem
from loom.build.project.settings import Project
from loom.build.store.atomic import Json

_MARKS = {"ran": ".  ", "remote": ".  ", "restored": "=  ", "shared": "=  ", "kept": "-- "}
_FAILED = ("failed", "error", "skipped")


def log(project: Project, word: str) -> str:
    """ProjectProblem when there was no run yet."""
    found = runs(project.state)
    if not found:
        raise ProjectProblem("nothing was run here yet")
    lines = list(events(found[0]))
    match word:
        case "last":
            return "".join(_last(lines))
        case "what-ran":
            return "".join(_chosen(lines, ("ran", "remote", *_FAILED[:2]))) or "nothing ran\n"
        case _:
            return ("".join(_chosen(lines, _FAILED)) or "nothing failed\n") + _unended(lines)


def _last(lines: list[dict[str, Json]]) -> Iterator[str]:
    for line in lines:
        match line:
            case {"event": "begin"}:
                yield f"{typed(line)}\n"
            case {"event": "task"}:
                yield _task(line)
            case {"event": "end"}:
                counts = {name: value for name, value in line.items() if isinstance(value, int)}
                yield _longest(lines)
                yield summary(counts, counts["milliseconds"], counts["saved"], (counts["down"], counts["up"]))
    yield _unended(lines)


def _unended(lines: list[dict[str, Json]]) -> str:
    """Why there may be tasks of which nothing is said; empty when there are none."""
    if not lines or lines[-1].get("event") != "end":
        return "this run did not come to its end\n"
    return "this run was interrupted; what it had not done yet is not listed\n" if lines[-1].get("interrupted") else ""


def _longest(lines: list[dict[str, Json]]) -> str:
    """Where the time went; nothing of tasks that took none."""
    path = path_of(list(task_events(lines)))
    told = " > ".join(f"{event.task} {seconds(event.milliseconds)}" for event in path)
    return f"critical path, {seconds(sum(event.milliseconds for event in path))}: {told}\n" if path else ""


def _task(line: dict[str, Json]) -> str:
    how, spent = str(line.get("how")), line.get("milliseconds")
    mark = _MARKS.get(how, "!! ")
    told = {"shared": " (shared)", "remote": " (remote)", "kept": "", "ran": "", "restored": ""}.get(how, f" {how}")
    return f"{mark}{line.get('task')}{told}" + (f"  {spent} ms" if spent else "") + "\n"


def _chosen(lines: list[dict[str, Json]], hows: tuple[str, ...]) -> Iterator[str]:
    """Each with the command that does it, and nothing else, again."""
    for line in lines:
        if line.get("event") != "task" or line.get("how") not in hows:
            continue
        yield _task(line)
        if line.get("how") != "skipped":
            yield f"   again: loom run -a -s {line.get('task')}\n"
        if line.get("sandboxed") and line.get("how") != "skipped":
            yield f"   by hand: loom reproduce {line.get('task')}\n"
        yield "".join(f"   {text}\n" for text in str(line.get("said", "")).splitlines())
