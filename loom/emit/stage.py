"""The emit stage: one service's project.

In: its plan in parts, the files that lock what it depends on. Out: all its files, laid end to end.
Never: a decision; the backend that the plan names has taken the last ones.
"""

from __future__ import annotations

from loom.base import Diagnostic
from loom.base.files import Laid, laid
from loom.emit.backend import DepsLock, backend, emit
from loom.plan.model import ContextPlan, ServiceFrame, ServicePlan

Locked = tuple[tuple[str, bytes], ...]


def emit_service(
    frame: ServiceFrame, contexts: tuple[ContextPlan, ...], lock: Locked
) -> tuple[Laid, tuple[Diagnostic, ...]]:
    plan = ServicePlan.joined(frame, contexts)
    files = DepsLock(files=tuple((name, data.decode()) for name, data in lock))
    return laid(emit(backend(plan.platform), plan, files).files), ()
