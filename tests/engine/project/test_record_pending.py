"""What `loom migrate record` does to a planned service: one file, and then nothing is pending any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.build.migrations.history import history_folder, read_history
from loom.build.migrations.record import record_pending
from loom.build.project import ProjectProblem
from loom.ir.places import Places
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from loom.plan.model import ContextPlan
from tests.kit.seed_vault import CONTEXT, seed_vault, seed_vault_shared


def planned(history: History) -> tuple[str, ContextPlan]:
    """The sample context, planned against what is recorded."""
    context, problems = plan_context(
        seed_vault(), seed_vault_shared(), Places(entries=()), ContextFacts(schema_name="seed_vault"), history
    )
    assert not problems
    return "gene_bank", context


def test_pending_file_gets_its_name_and_nothing_is_pending_after_it(tmp_path: Path) -> None:
    system, context = planned(History())
    [pending] = context.migrations
    assert pending.pending
    [path] = record_pending(tmp_path, [(system, context)], "first_tables")
    folder = history_folder(tmp_path, "gene_bank", CONTEXT)
    assert path == folder / "20260101000000_first_tables.sql"
    assert path.read_bytes() == pending.sql.encode()
    _, again = planned(read_history(folder))
    [recorded] = again.migrations
    assert not recorded.pending
    assert (recorded.name, recorded.sha256) == ("first_tables", pending.sha256)
    assert record_pending(tmp_path, [(system, again)], "nothing_new") == ()


def test_context_of_each_system_is_recorded_in_a_folder_of_its_own(tmp_path: Path) -> None:
    _, context = planned(History())
    found = record_pending(tmp_path, [("seed_trial", context), ("gene_bank", context)], "initial")
    folders = [history_folder(tmp_path, system, CONTEXT) for system in ("gene_bank", "seed_trial")]
    assert [path.parent for path in found] == folders


def test_unfit_name_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ProjectProblem, match="`Add tables` is no name"):
        record_pending(tmp_path, [planned(History())], "Add tables")
    assert list(tmp_path.iterdir()) == []
