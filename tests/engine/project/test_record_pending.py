"""What `loom migrate record` does to a planned service: one file, and then nothing is pending any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.base import Facts, Feature
from loom.base.pipeline import Deployed
from loom.build.migrations.history import history_folder, read_history
from loom.build.migrations.record import record_pending
from loom.build.project import ProjectProblem
from loom.ir.places import Places
from loom.ir.program import Deployable
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from loom.plan.model import ServicePlan
from loom.plan.service import plan_service
from tests.kit.seed_vault import CONTEXT, seed_vault, seed_vault_shared


def service(slug: str, history: History) -> tuple[Deployed, ServicePlan]:
    """The sample context on one deployable, planned against what is recorded."""
    facts = Facts(name="alpha", default_port=8000, internal_port=8000, supports=frozenset(Feature))
    context, problems = plan_context(
        seed_vault(), seed_vault_shared(), Places(entries=()), ContextFacts(schema_name="seed_vault"), history
    )
    assert not problems
    deployable = Deployable(name=slug, platform="alpha", contexts=(CONTEXT,), resources=(), serves=(), port=0)
    plan = plan_service("GeneBank", deployable, facts, [context], seed_vault_shared())
    return Deployed(slug, "alpha", "gene_bank"), plan


def test_pending_file_gets_its_name_and_nothing_is_pending_after_it(tmp_path: Path) -> None:
    deployed, plan = service("vault_api", History())
    [pending] = plan.contexts[0].migrations
    assert pending.pending
    [path] = record_pending(tmp_path, [(deployed, plan)], "first_tables")
    folder = history_folder(tmp_path, "gene_bank", CONTEXT)
    assert path == folder / "20260101000000_first_tables.sql"
    assert path.read_bytes() == pending.sql.encode()
    _, again = service("vault_api", read_history(folder))
    [recorded] = again.contexts[0].migrations
    assert not recorded.pending
    assert (recorded.name, recorded.sha256) == ("first_tables", pending.sha256)
    assert record_pending(tmp_path, [(deployed, again)], "nothing_new") == ()


def test_context_on_two_deployables_is_recorded_once(tmp_path: Path) -> None:
    services = [service("vault_api", History()), service("vault_twin", History())]
    assert len(record_pending(tmp_path, services, "initial")) == 1


def test_unfit_name_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ProjectProblem, match="`Add tables` is no name"):
        record_pending(tmp_path, [service("vault_api", History())], "Add tables")
    assert list(tmp_path.iterdir()) == []
