"""The grammar has no conflicts but known ones, and its tables are the same everywhere."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import lark  # importing it sets the level of its logger
import pytest

from loom.parse import tables
from loom.parse.rules import RULES
from loom.parse.tables import CALL, compiled, digest, grammar, load, ready

# Each is resolved as the longer reading, which is the one that is meant.
KNOWN = {
    ("COMMA", "full"): "`ignoring A, B` goes on although an argument list would end here",
    ("IGNORING", "full"): "of a default before it, although a projection could go on with one of its own",
    ("BOPEN", "simple"): "a builder, although an arm of a `match` without commas could begin with an object",
    ("BEMPTY", "simple"): "the same, empty",
    ("MINUS", "ternary{full}"): "a subtraction, although such an arm could begin with a sign",
    ("MINUS", "operators{full}"): "the same, after an operator",
    ("LPAR", "plain"): "a call, although such an arm could begin with a parenthesis",
}


def test_shift_reduce_conflicts_are_the_known_ones(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        grammar()
    lines = [record.getMessage() for record in caplog.records]
    found = {
        (conflict.split("terminal ")[1].split(":")[0], rule.split("<")[1].split(" :")[0])
        for conflict, rule in pairwise(lines)
        if conflict.startswith("Shift/Reduce")
    }
    assert found == set(KNOWN)


def test_every_alias_has_a_function_and_every_function_an_alias() -> None:
    aliases = {item.alias for item in compiled().reductions if item.does == CALL}
    helpers = {"Clause", "Clauses", "names", "sort"}
    assert aliases == set(RULES) - helpers


def test_tables_read_back_equal() -> None:
    assert load(tables()) == compiled()


@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_tables_are_the_same_in_another_process(seed: str) -> None:
    script = "import sys; from loom.parse import tables; sys.stdout.buffer.write(tables())"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, env=environment)
    assert run.stdout == tables()


def test_tables_that_are_kept_ready_are_those_of_the_grammar(request: pytest.FixtureRequest) -> None:
    place = Path(str(files("loom.parse").joinpath("ddd.tables")))
    if request.config.getoption("--update"):
        place.write_bytes(digest() + tables())
    assert place.read_bytes() == digest() + tables(), "run this file with --update"
    assert ready() == tables()


def test_tables_of_another_grammar_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["loom.parse.tables"]
    monkeypatch.setattr(module, "digest", lambda: b"of a grammar with one more rule")
    monkeypatch.setattr(module, "tables", lambda: b"its own tables")
    assert ready() == b"its own tables"


def test_parsing_with_kept_tables_needs_no_lark() -> None:
    script = (
        "import sys\nfrom loom.parse import parse\n"
        "result = parse('m.ddd', b'enum RoomState { Free }', tables=sys.stdin.buffer.read())\n"
        "assert result.ast.members and not result.diagnostics\n"
        "sys.exit('lark' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], input=tables(), check=False).returncode == 0
