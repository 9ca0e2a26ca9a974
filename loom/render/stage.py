"""The render stage: what a system's output folder holds beside its services."""

from __future__ import annotations

from loom.base import Diagnostic, Facts
from loom.base.files import Laid, laid
from loom.plan.model import SystemPlan
from loom.render.system import render


def render_system(plan: SystemPlan, facts: tuple[Facts, ...]) -> tuple[Laid, tuple[Diagnostic, ...]]:
    return laid(render(plan, facts).files), ()
