"""What is measured is a run that works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.measure import cost, least
from tests.bench.run import Bench, Row, table
from tests.bench.synth import Size


def test_projects_of_the_bench_are_generated_whole(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "small", Size(contexts=2, aggregates=2, deployables=2))
    bench.prepare()
    spent = bench.loom()
    made = bench.project / "out/quarry"
    assert {path.name for path in made.iterdir()} >= {"quarry_service0", "quarry_service1", "docker-compose.yml"}
    assert spent.seconds > 0 and spent.mebibytes > 1
    text = "\n".join(table([Row(bench.size, 9, *[spent] * 6)], 0.05))
    assert "| cold `generate` |" in text and "+5.0% in the sandbox" in text


def test_a_command_that_fails_is_not_measured(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        least(2, lambda: cost([sys.executable, "-c", "import sys; sys.exit('too dear')"], tmp_path, {}))
    assert "too dear" in failed.value.output
