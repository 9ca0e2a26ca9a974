"""Comparisons that mypy can decide are spelled so that it does not, and no others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from loom.backends.python import BACKEND
from loom.emit import DepsLock, emit
from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned

SOURCE = """
enum GateState { Open, HalfOpen, Shut }
system Locks {
    storage primaryDatabase { type: postgres }
    resource gates { for: Canal, kind: state, use: primaryDatabase }
    deployable Service { platform: python, contexts: [Canal], dataSources: [gates], port: 8100 }
    context Canal { aggregate LockGate with crudish(updateOnly: true) {
        state: GateState  inner: GateState  wish: GateState?  isLocked: bool  steps: int = 0  states: GateState[]
        %s
    } }
}
"""
LOCK = DepsLock(files=(("requirements.in", ""), ("requirements.lock", "")))
HOME = "app/domain/canal/lock_gate.py"

REFUSED = {
    "within a chain": "derived never: bool = state == Open && state == Shut",
    "the written value first": "derived never: bool = state == Open && Shut == state",
    "after a guard": "operation go() { precondition state == Open  if state == Shut { steps := 1 } }",
    "after what is left": "operation go(): int { if state == Open { return 1 }  if state == Open { return 2 }"
    "  return 3 }",
    "after what is narrowed": "operation go(next: GateState) { if next == Open { state := next"
    "  if state == Shut { steps := 1 } } }",
    "in a list": "operation go() { if [Open, Shut].contains(state) && state == HalfOpen { steps := 1 } }",
    "of a choice": "operation go() { if state == Open { if (isLocked ? state : Shut) == HalfOpen { steps := 1 } } }",
    "where nothing else comes": "operation go(next: GateState) { precondition state == Open"
    "  if state != Open { state := next }  if state == Shut { steps := 1 } }",
    "in the first round of a loop": "operation go() { precondition state == Open"
    "  for each in states { if isLocked || state == Shut { steps := 1 }  state := each } }",
    "between two of them": "operation go() { if state == Open && inner == Shut { if state == inner { steps := 1 } } }",
    "in a function of an element": "operation go() { precondition state == Open"
    "  steps := states.where(one => state == Shut).count }",
    "of two locals of a name": "operation go(next: GateState) { if next == Open { let now = next  state := now }"
    " else { let now = next  inner := now } }",
}
PLAIN = {
    "assigned": "operation go() { state := Open  if state == Shut { steps := 1 } }",
    "assigned anew": "operation go(next: GateState) { precondition state == Open  state := next"
    "  if state == Shut { steps := 1 } }",
    "another one": "derived perhaps: bool = state == Open && inner == Shut",
    "absent": "operation go() { if wish == null { if wish == null { steps := 1 } } }",
    "a truth": "operation go() { if isLocked { if isLocked == false { steps := 1 } } }",
    "one of those left": "derived perhaps: bool = state != Open && state == Shut",
    "another element": "derived perhaps: bool = states.any(one => one == Open) && states.any(one => one == Shut)",
}


def emitted(members: str) -> dict[str, str]:
    model = lowered({"main.ddd": (SOURCE % members).encode()})
    plans = planned(model)
    assert not [*model.diagnostics, *plans.diagnostics]
    (deployable,) = model.system.deployables
    plan = plan_service(model.system.name, deployable, BACKEND.facts, list(plans.contexts), model.shared)
    return {file.path: file.text for file in emit(BACKEND, plan, LOCK).files}


def mistyped(files: dict[str, str], folder: Path) -> list[str]:
    """What the type checker says of the aggregate; the service around it lacks its dependencies here."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-incremental", HOME]
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    return [line for line in told.splitlines() if line.startswith(HOME)]


def numbered(members: dict[str, str]) -> str:
    """All in one aggregate, each under a name of its own."""
    names = r"(operation go|derived never|derived perhaps)"
    return "\n".join(re.sub(names, rf"\g<1>{at}", text) for at, text in enumerate(members.values()))


def test_mypy_accepts_them_all(tmp_path: Path) -> None:
    assert mistyped(emitted(numbered(REFUSED | PLAIN)), tmp_path) == []


def test_it_refuses_each_as_it_would_be_written_by_hand(tmp_path: Path) -> None:
    files = emitted(numbered(REFUSED))
    by_hand = re.sub(r"GateState\(([\w.]+)\)", r"\1", files[HOME])
    told = mistyped({**files, HOME: by_hand.replace("GateState(self.state if", "(self.state if")}, tmp_path)
    assert len(told) == len(REFUSED), "\n".join(told)


@pytest.mark.parametrize("case", PLAIN)
def test_what_it_accepts_stays_as_it_is(case: str) -> None:
    assert "GateState(" not in emitted(PLAIN[case])[HOME]


@pytest.mark.parametrize("case", REFUSED)
def test_what_it_refuses_is_of_any_value_again(case: str) -> None:
    assert "GateState(" in emitted(REFUSED[case])[HOME]
