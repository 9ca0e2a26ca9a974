"""The emit stage: one service's project.

In: its plan, the files that lock what it depends on. Out: all its files.
Never: a decision; the backend that the plan names has taken the last ones.
"""

from __future__ import annotations

from loom.base import Diagnostic
from loom.emit.backend import DepsLock, Emitted, backend, emit
from loom.plan.model import ServicePlan

Locked = tuple[tuple[str, bytes], ...]


def emit_service(plan: ServicePlan, lock: Locked) -> tuple[Emitted, tuple[Diagnostic, ...]]:
    files = DepsLock(files=tuple((name, data.decode()) for name, data in lock))
    return emit(backend(plan.platform), plan, files), ()
