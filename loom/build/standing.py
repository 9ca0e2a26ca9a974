"""The answer of `loom generate` that still stands: given again without doit when nothing has changed since.

In: what a run of `generate` said of its tasks; later, a project. Out: the same lines, or none, and then doit decides.
Never: doit, the compiler or pydantic; an answer of which any part is not exactly as it was recorded.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from loom.build.housekeeping.ending import Run
from loom.build.housekeeping.journal import TaskEvent
from loom.build.project.settings import Project
from loom.build.store.atomic import write_disposable
from loom.build.terminal import painted
from loom.build.work.generate import GENERATE, unsettled
from loom.build.work.work import Work
from loom.build.workspace import Workspace

_FORMAT = "loom.answer/1"


class Said(NamedTuple):
    """One task of the answer: its key, and the warnings that are told every time."""

    name: str
    key: str
    text: str


def record(project: Project, works: Iterable[Work]) -> None:
    """Keeps the answer of a run that has done all of these, once doit has written its database."""
    known = [(work, known) for work in works if (known := work.known()) is not None]
    said = [(work.name, now.key, work.replay() if now.warnings else "") for work, now in known]
    write_disposable(_place(project), marshal.dumps((_FORMAT, _doits(project), said)))


def repeat(workspace: Workspace, command: Sequence[str], stream: TextIO) -> bool:
    """Says it all again, as doit would; False, and not a word, when doit has to be asked. `command` is for the log."""
    said = _standing(workspace)
    if not said:
        return False
    run = Run(workspace, command)
    for each in said:
        stream.write(f"-- {each.name}\n" + painted(each.text, stream))
        run.note(TaskEvent(each.name, "kept", key=each.key))
    stream.write(run.finish(interrupted=False))
    return True


def _standing(workspace: Workspace) -> tuple[Said, ...]:
    """Empty unless every stamp, key and digest is as it was."""
    project, said = workspace.project, _recorded(workspace.project)
    state = workspace.state if said and workspace.read else None
    if state is None or any(each.name not in state.known or state.known[each.name].key != each.key for each in said):
        return ()
    key = next((each.key for each in said if each.name == GENERATE), "")
    return () if unsettled(project, key) else said


def _recorded(project: Project) -> tuple[Said, ...]:
    try:
        form, doits, said = marshal.loads(Path(_place(project)).read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return ()
    return tuple(Said(*each) for each in said) if form == _FORMAT and doits == _doits(project) else ()


def _place(project: Project) -> str:
    return str(project.state / "answer.marshal")


def _doits(project: Project) -> tuple[str, ...]:
    """What doit would read besides: what it knows of the tasks, and its own settings."""
    return tuple(
        map(_digest, (project.state / "doit.sqlite", project.root / "pyproject.toml", project.root / "doit.cfg"))
    )


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
