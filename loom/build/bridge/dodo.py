"""What a dodo.py needs: the configuration and the task generator of the project it lies in.

In: a folder (doit makes the dodo.py's the working one) and a compiler. Out: both.
Never: a traceback for a mistake in `loom.yaml`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from doit.exceptions import InvalidDodoFile

from loom.build.bridge.config import doit_config
from loom.build.project.load import find_root, load_project
from loom.build.project.problem import ProjectProblem
from loom.build.project.settings import Project
from loom.build.tasks import TaskDict, engine_tasks
from loom.build.workspace import Workspace

if TYPE_CHECKING:
    from loom.base.pipeline import Pipeline


def project_config(start: Path) -> dict[str, object]:
    """The configuration of the project at or above `start`; without one nothing is written anywhere."""
    try:
        return doit_config(find_root(start) / ".loom")
    except ProjectProblem:
        return {"backend": "sqlite3", "dep_file": ":memory:"}  # `open_workspace` says it, when doit can print it


def open_workspace(start: Path, compiler: Callable[[], Pipeline]) -> Workspace:
    """InvalidDodoFile, which doit prints as one line, when there is no sound project."""
    try:
        return Workspace(_ready(load_project(find_root(start))), compiler)
    except ProjectProblem as problem:
        raise InvalidDodoFile(str(problem)) from None
    except OSError as error:
        raise InvalidDodoFile(f"{error.filename or 'the store'}: {error.strerror}") from error


def _ready(project: Project) -> Project:
    """A shared cache or an executor that cannot be asked is told before the first task."""
    if project.remote.cache or project.remote.execution != "off":
        from loom.build.remote.ready import refuse_unready

        refuse_unready(project, os.environ)
    return project


def project_tasks(workspace: Workspace) -> Iterator[TaskDict]:
    """The engine's tasks; a mistake in a project file is one line here too."""
    try:
        yield from engine_tasks(workspace)
    except ProjectProblem as problem:
        raise InvalidDodoFile(str(problem)) from None
    except OSError as error:
        raise InvalidDodoFile(f"{error.filename or 'the store'}: {error.strerror}") from error
