"""What a developer of a platform looks for has the name and the place that services of that platform give it."""

from __future__ import annotations

import pytest

from loom.emit.backend import DepsLock, backend, emit
from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned
from tests.kit.services import CONFORMANCE

LOCKS = (
    ("package.json", '{"engines": {}, "dependencies": {}, "devDependencies": {}}'),
    ("package-lock.json", '{"packages": {"": {}}}'),
    ("requirements.in", ""),
    ("requirements.lock", ""),
)
SHAPES = {
    "python": {
        "app/http/workflows_routes.py": (
            "class LiftSlotRequest(",
            "async def lift_slot_workflow(",
            "repository = RackSlot10Repository(work)",
            "slot = await ",
            "slot.lift(by)",
            ".save(slot)",
            'operation_id="liftSlotWorkflow"',
            "return Response(status_code=204)",
        ),
        "app/persistence/cooling_shed/rack_slot10_repository.py": (
            "async def get_by_id(",
            "AggregateNotFoundError(",
            "is None",
        ),
        "app/domain/cooling_shed/ids.py": ("RackSlot10Id",),
    },
    "node": {
        "src/http/workflows.ts": (
            "async function liftSlotWorkflow(",
            "new RackSlot10Repository(",
            "slot.lift(input.by)",
            ".save(slot)",
            "authorize(",
            "respondEmpty(c)",
        ),
        "src/db/cooling-shed/rack-slot10-repository.ts": (
            "async getById(",
            "AggregateNotFoundError(",
            "=== null",
        ),
        "src/domain/ids.ts": ("RackSlot10Id",),
    },
}


def emitted(platform: str) -> dict[str, str]:
    model = lowered({"main.ddd": (CONFORMANCE / "furnaces" / "main.ddd").read_bytes()})
    deployable = next(item for item in model.system.deployables if item.platform == platform)
    target = backend(platform)
    plan = plan_service(model.system.name, deployable, target.facts, list(planned(model).contexts), model.shared)
    return {file.path: file.text for file in emit(target, plan, DepsLock(files=LOCKS)).files}


@pytest.mark.parametrize("platform", SHAPES)
def test_files_and_names_are_those_that_a_developer_looks_for(platform: str) -> None:
    files = emitted(platform)
    missing = [
        (path, sign) for path, signs in SHAPES[platform].items() for sign in signs if sign not in files.get(path, "")
    ]
    assert missing == []
    assert '"operationId": "liftSlotWorkflow"' in files["openapi.json"]
