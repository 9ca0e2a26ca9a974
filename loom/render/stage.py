"""The render stage: what a system's output folder holds beside its services."""

from __future__ import annotations

from loom.base import Diagnostic, Facts
from loom.emit import Emitted
from loom.plan.model import SystemPlan
from loom.render.system import render


def render_system(plan: SystemPlan, facts: tuple[Facts, ...]) -> tuple[Emitted, tuple[Diagnostic, ...]]:
    return render(plan, facts), ()
