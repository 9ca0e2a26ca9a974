"""Services in Python: FastAPI, SQLAlchemy Core and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

from loom.backends.python.project import PORT, files
from loom.base import LAYOUTS, Facts, Feature, Style
from loom.emit.backend import DepsLock, File
from loom.plan.model import ServicePlan

__all__ = ["BACKEND"]


class PythonBackend:
    """What the rest of Loom sees of this folder."""

    @property
    def facts(self) -> Facts:
        return Facts(
            name="python",
            default_port=PORT,
            internal_port=PORT,
            supports=frozenset(Feature),
            ready_probe=("python3", "-m", "app.probe", "/ready"),
            styles=(Style(persistence="sqlalchemy", layouts=LAYOUTS),),
        )

    def files(self, plan: ServicePlan, lock: DepsLock) -> Iterator[File]:
        return files(plan, lock)


BACKEND = PythonBackend()
