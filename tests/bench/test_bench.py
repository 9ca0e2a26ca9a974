"""What is measured is a run that works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import monorepo
from tests.bench.measure import Aim, Cost, by_turns, cost, least
from tests.bench.project import Bench
from tests.bench.run import Row, aims_table, table
from tests.bench.scan import scan
from tests.bench.synth import SIZES, Size


def test_projects_of_the_bench_are_generated_whole(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "small", Size(contexts=2, aggregates=2, deployables=2))
    bench.prepare()
    spent = bench.loom()
    made = bench.project / "out/quarry"
    assert {path.name for path in made.iterdir()} >= {"quarry_service0", "quarry_service1", "docker-compose.yml"}
    assert spent.seconds > 0 and spent.mebibytes > 1
    assert bench.files() > 20
    nothing, command, stock = by_turns(1, bench.loom, bench.command, bench.stock_doit)
    restore, copy = by_turns(1, bench.restored, bench.copied)
    assert (made / "docker-compose.yml").exists() and copy.seconds > 0
    text = "\n".join(
        table([Row(bench.size, 9, spent, _imports(bench), nothing, command, stock, spent, spent, restore, copy)])
    )
    assert "| cold `generate` (aim) |" in text and "of `cp -r` of the same |" in text
    assert "| an action | +5 ms | 20 ms |" in list(aims_table([Aim("an action", "+5 ms", "20 ms")]))


def test_a_cold_run_is_told_in_imports_too_as_its_aim_is() -> None:
    spent = Cost(3.9, 100.0, 4.0)
    row = Row(SIZES["510"], 9, spent, 0.1, spent, spent, spent, spent, spent, spent, spent)
    lines = list(table([row, row]))
    assert "| cold `generate` (aim) | 3.90 s (5 s) | 3.90 s (5 s) |" in lines
    assert "| … in imports of the packages (aim) | 39.0 (38.5) | 39.0 (38.5) |" in lines
    assert lines[-1].endswith("The imports cost 0.100 to 0.100 s.")


def _imports(bench: Bench) -> float:
    imported, bare = by_turns(1, bench.imports, bench.interpreter)
    return imported.seconds - bare.seconds


def test_other_builders_that_cannot_be_had_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monorepo, "INSTALL", ("sh", "-c", "echo 'no such package' >&2; exit 1"))
    with pytest.raises(monorepo.Absent, match="no such package"):
        monorepo.workspace(tmp_path)
    assert len(list(tmp_path.glob("packages/*/package.json"))) == monorepo.PACKAGES


def test_a_scan_of_no_folder_fails(tmp_path: Path) -> None:
    (tmp_path / "out/gauge").mkdir(parents=True)
    assert scan(tmp_path).seconds > 0
    with pytest.raises(subprocess.CalledProcessError):
        scan(tmp_path / "out")


def test_a_command_that_fails_is_not_measured(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        least(2, lambda: cost([sys.executable, "-c", "import sys; sys.exit('too dear')"], tmp_path, {}))
    assert "too dear" in failed.value.output
