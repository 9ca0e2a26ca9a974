"""Every row of the table of semantics is worth the same on the reference and on each backend."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loom.ir.expressions import Expr
from loom.ir.statements import Return
from tests.kit.expression_model import LOCALS, SOURCE, type_text
from tests.kit.expression_runs import Outcome, Target, reference
from tests.kit.node_expressions import NODE, mistyped
from tests.kit.planned import lowered
from tests.kit.python_expressions import PYTHON

CORPUS = Path(__file__).parents[1] / "corpus" / "expr.toml"
TARGETS = {target.name: target for target in (PYTHON, NODE)}
# Topics of the semantics that an expression can show; input, columns and the wire are in the recordings.
TOPICS = {
    "int", "long", "division", "decimal", "money", "equality", "text", "matches", "datetime", "duration", "empty",
    "order", "null", "rounding", "collection", "conversion", "prelude",
}  # fmt: skip


class Row(NamedTuple):
    topic: str
    does: str
    expression: str
    type: str
    expected: Outcome


def rows() -> list[Row]:
    tables: dict[str, list[dict[str, Any]]] = tomllib.loads(CORPUS.read_text(encoding="utf-8"))
    return [
        Row(topic, row["does"], row["expression"], row["type"], expected(row))
        for topic, table in tables.items()
        for row in table
    ]


def expected(row: dict[str, Any]) -> Outcome:
    if "refusal" in row:
        return {"refusal": row["refusal"]}
    return None if "null" in row else row.get("values", row.get("value"))


@cache
def expressions() -> tuple[Expr, ...]:
    """The rows, lowered as functions of one model."""
    source = SOURCE.replace("PLATFORM", "python") + "\n".join(map(function, range(len(ROWS)), ROWS))
    model = lowered({"main.ddd": source.encode()})
    assert not model.diagnostics, "\n".join(problem.text() for problem in model.diagnostics)
    bodies = [item.body[0] for item in model.shared.functions]
    return tuple(statement.value for statement in bodies if isinstance(statement, Return))


def function(number: int, row: Row) -> str:
    """A row as a function of the locals that it names."""
    names = set(re.findall(r"\w+", row.expression))
    parameters = ", ".join(f"{name}: {type_text(type_)}" for name, (type_, _) in LOCALS.items() if name in names)
    return f"function case{number}({parameters}): {row.type} = {row.expression}"


ROWS = rows()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Outcome]]:
    def run(target: Target) -> list[Outcome]:
        folder = tmp_path_factory.mktemp(target.name)
        target.prepare(folder)
        return target.run(folder, target.module(expressions(), LOCALS), expressions())

    return {"reference": reference(expressions()), **{name: run(target) for name, target in TARGETS.items()}}


@pytest.mark.parametrize("where", ["reference", *TARGETS])
@pytest.mark.parametrize("number", range(len(ROWS)), ids=[f"{row.topic}: {row.does}" for row in ROWS])
def test_an_expression_is_worth(number: int, where: str, outcomes: dict[str, list[Outcome]]) -> None:
    assert outcomes[where][number] == ROWS[number].expected, ROWS[number].expression


def test_rows_have_types_that_typescript_can_prove(tmp_path: Path) -> None:
    NODE.prepare(tmp_path)
    module = NODE.module(expressions(), LOCALS)
    assert not mistyped(tmp_path, module)
    assert "is not assignable" in mistyped(tmp_path, module + "\nexport const wrong: number = isOpen;\n")


def test_every_topic_has_rows() -> None:
    assert {row.topic for row in ROWS} == TOPICS
