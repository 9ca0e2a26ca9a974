"""Names that emitted Python uses itself, and parts of one kind in several places: nothing hides or repeats another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from loom.backends.python import BACKEND
from loom.emit import DepsLock, emit
from loom.plan.service import plan_service
from tests.kit.planned import lowered, planned

LOCK = DepsLock(files=(("requirements.in", "fastapi>=0.165,<0.166\n"), ("requirements.lock", "fastapi==0.165.0\n")))
MODEL = b"""
system Typing {
    storage primaryDatabase { type: postgres }
    resource literalState { for: Rows, kind: state, use: primaryDatabase }
    deployable PythonTyping { platform: python contexts: [Rows] dataSources: [literalState] port: 8190 }
}

subdomain Selecting {
    context Rows {
        aggregate DeleteRoot with crudish {
            destroyed: bool
            contains row: RowMapping?
            contains rows: RowMapping[]
            contains session: Selector

            entity RowMapping { label: string }
            entity Selector { label: string contains row: RowMapping? }

            operation recount() {
                for annotations in rows {
                    destroyed := annotations.label == ""
                }
                for raise in rows {
                    destroyed := true
                }
            }
        }

        aggregate CheckVersion {
            len: int
            cls: int
            max: int?

            create(title: string) {
                if title.length > 3 { len := 1 cls := 2 } else { len := 2 cls := 3 }
                precondition len + cls > 0 message "both count"
                max := len
            }

            destroy {}
        }

        aggregate WantedId with crudish { iter: int operation assert(iter: int[]): int? { return iter.firstOrNull } }
        aggregate EntityTag with crudish { typing: Typing id }
        aggregate Typing with crudish { tuple: Tuple? }
        valueobject Tuple { cls: int self: int invariant cls > self }
        repository DeleteRoots for DeleteRoot { }
    }
}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = lowered({"main.ddd": MODEL})
    plans = planned(model)
    assert not plans.diagnostics, [problem.text() for problem in plans.diagnostics]
    (deployable,) = model.system.deployables
    plan = plan_service(model.system.name, deployable, BACKEND.facts, list(plans.contexts), model.shared)
    folder = tmp_path_factory.mktemp("project")
    for file in emit(BACKEND, plan, LOCK).files:
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_text(file.text, encoding="utf-8")
    return folder


def test_the_formatter_and_the_linter_find_nothing(project: Path) -> None:
    for command in (["format", "--diff", "."], ["check", "."]):
        told = subprocess.run([sys.executable, "-m", "ruff", *command], cwd=project, capture_output=True, text=True)
        assert told.returncode == 0, told.stdout + told.stderr


def test_a_part_in_several_places_has_one_reader(project: Path) -> None:
    text = next((project / "app" / "persistence").rglob("delete_root_repository.py")).read_text(encoding="utf-8")
    assert text.count("def _row_mapping(") == 1


def test_no_context_takes_the_place_of_a_module(project: Path) -> None:
    assert {path.name for path in (project / "app" / "persistence").iterdir()} >= {"rows.py", "rows_"}
