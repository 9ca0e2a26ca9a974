"""Loops in loops are emitted in a time that grows with their depth, whatever each of them changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.backends import node, python
from loom.emit import Backend, DepsLock, emit
from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned

DEPTH = 24
SOURCE = """
enum GateState {{ Open, HalfOpen, Shut }}
system Locks {{
    storage primaryDatabase {{ type: postgres }}
    resource gates {{ for: Canal, kind: state, use: primaryDatabase }}
    deployable Service {{ platform: {name}, contexts: [Canal], dataSources: [gates], port: 8100 }}
    context Canal {{ aggregate LockGate with crudish(updateOnly: true) {{
        {fields}
        states: GateState[]
        operation passThrough() {{ {body} }}
    }} }}
}}
"""
RULES = Path(__file__).parents[3] / "rules" / "deps"


def source(name: str) -> bytes:
    """Each loop changes a field of its own, of which something was known before."""
    gates = [f"gate{number}" for number in range(DEPTH)]
    body = f"{gates[-1]} := Shut"
    for number, gate in reversed(list(enumerate(gates))):
        body = f"for each{number} in states {{ if {gate} == Shut {{ {gate} := each{number} }} {body} }}"
    known = " ".join(f"precondition {gate} == Open" for gate in gates)
    fields = " ".join(f"{gate}: GateState" for gate in gates)
    return SOURCE.format(name=name, fields=fields, body=f"{known} {body}").encode()


@pytest.mark.parametrize("backend", [python.BACKEND, node.BACKEND], ids=lambda backend: backend.facts.name)
def test_loops_in_loops_are_emitted(backend: Backend) -> None:
    model = lowered({"main.ddd": source(backend.facts.name)})
    plans = planned(model)
    assert not [*model.diagnostics, *plans.diagnostics]
    (deployable,) = model.system.deployables
    plan = plan_service(model.system.name, deployable, backend.facts, list(plans.contexts), model.shared)
    found = (RULES / backend.facts.name).iterdir()
    lock = DepsLock(files=tuple((path.name, path.read_text()) for path in sorted(found) if path.is_file()))
    files = {file.path: file.text for file in emit(backend, plan, lock).files}
    loops = {path: sum(line.lstrip().startswith("for ") for line in text.splitlines()) for path, text in files.items()}
    assert DEPTH in loops.values()
