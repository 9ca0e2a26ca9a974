"""What a backend is to the rest of Loom, and how backends are found."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Protocol

from loom.base import Facts, Value
from loom.plan.model import ServicePlan


class File(Value):
    """One emitted file: a relative path with `/`, its text, and whether it may be executed."""

    path: str
    text: str
    executable: bool = False


class DepsLock(Value):
    """What generated services depend on: the lock files of the backend's ecosystem, by file name."""

    files: tuple[tuple[str, str], ...]

    def text(self, name: str) -> str:
        """The text of the lock file `name`; KeyError when the backend's rule has none."""
        return dict(self.files)[name]


class Emitted(Value):
    """All files of one service's project, sorted by path."""

    files: tuple[File, ...]


class Backend(Protocol):
    """A target: a folder below `loom/backends` whose package has a `BACKEND`."""

    @property
    def facts(self) -> Facts: ...

    def files(self, plan: ServicePlan, lock: DepsLock) -> Iterator[File]:
        """The project of `plan`; pure, and already as the target's formatter leaves it."""
        ...


def emit(backend: Backend, plan: ServicePlan, lock: DepsLock) -> Emitted:
    """The whole project that `backend` makes of `plan`."""
    return Emitted(files=tuple(sorted(backend.files(plan, lock), key=lambda file: file.path)))


@cache
def backend_names(package: str = "loom.backends") -> tuple[str, ...]:
    """Names of the backends there are, found by looking, sorted."""
    found = importlib.import_module(package)
    return tuple(sorted(module.name for module in pkgutil.iter_modules(found.__path__) if module.ispkg))


def backend(name: str, package: str = "loom.backends") -> Backend:
    """The backend called `name`; ModuleNotFoundError when there is none."""
    module = importlib.import_module(f"{package}.{name}")
    loaded: Backend = module.BACKEND
    return loaded
