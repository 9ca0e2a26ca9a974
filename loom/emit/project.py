"""Files of a project that no backend makes: the contract, and what lies ready in a folder of its own.

In: a ServicePlan; the `static` folder of a backend. Out: files, texts by path.
Never: a change to either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from loom.emit.backend import File
from loom.plan.environment import settings
from loom.plan.model import ServicePlan


def contract(plan: ServicePlan) -> Iterator[File]:
    """What every backend serves and applies as it is: the description of the API and the migrations."""
    yield File(path="openapi.json", text=plan.openapi)
    for context in plan.contexts:
        for item in context.migrations:
            yield File(path=f"migrations/{item.context}/{item.version}_{item.name}.sql", text=item.sql)


def settings_rows(plan: ServicePlan, port: int) -> tuple[str, ...]:
    """What the page of a service says of its settings: rows of a table."""
    return tuple(
        f"| {' or '.join(f'`{name}`' for name in item.variables)} | {item.meaning} |"
        for item in settings(plan.limits, port)
    )


def probe_options(plan: ServicePlan) -> str:
    """How a Dockerfile says when the health of the service is asked."""
    probe = plan.probe
    return f"--interval={probe.alive_interval}s --timeout={probe.timeout}s --start-period={probe.start}s"


@cache
def static_files(folder: Path) -> Mapping[str, str]:
    """The text of every file below `folder` by its path, sorted."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in found}
