"""What the driver reports of a failed run, told of the lines of the model.

In: a workspace, a deployable's slug, the driver's standard error. Out: text. Never: a report that lacks a line of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from loom.build.workspace import Workspace
from loom.e2e.problems import ScenarioFailed
from loom.ir.deployment import System
from loom.ir.places import Places

_FAILED = "FAILED "
_STEP = re.compile(r": step ([1-9][0-9]*): (.*)")


def told(workspace: Workspace, slug: str, stderr: bytes) -> str:
    """Each line of the driver, in its order; one about a step is a diagnostic at the statement that it was made of."""
    system, places = _declared(workspace, slug)
    lines = stderr.decode("utf-8", "replace").splitlines(keepends=True)
    if system is None or places is None:
        return "".join(lines)
    names = [scenario.name for scenario in system.scenarios]
    return "".join(_told(workspace, line, names, places) for line in lines)


def _told(workspace: Workspace, line: str, names: Iterable[str], places: Places) -> str:
    failed = step_of(line, names)
    if failed is None:
        return line
    name, number, reason = failed
    return workspace.report((ScenarioFailed(at=places.at(name, str(number - 1)), scenario=name, reason=reason),))


def step_of(line: str, names: Iterable[str]) -> tuple[str, int, str] | None:
    """Scenario, number of the step and reason, if the line is about the failure of a step of one of `names`."""
    for name in names:
        found = _STEP.match(line, len(_FAILED + name)) if line.startswith(_FAILED + name) else None
        if found is not None:
            return name, int(found[1]), found[2]
    return None


def _declared(workspace: Workspace, slug: str) -> tuple[System | None, Places | None]:
    products = workspace.products
    owner = next(deployed.system for deployed in products.deployables if deployed.slug == slug)
    system, places = (products.value(products.part("system", owner, name)) for name in ("system", "places"))
    return system if isinstance(system, System) else None, places if isinstance(places, Places) else None
