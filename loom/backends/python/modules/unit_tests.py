"""Unit tests of the model as functions of pytest.

In: `test` blocks. Out: one function each, named after its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from loom.backends.python import spelling
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.code.unit_test_steps import UnitTestSteps
from loom.backends.python.text.blocks import Function
from loom.backends.python.text.statements import Signature
from loom.emit.index import ServiceIndex
from loom.plan.model import TestPlan


def test_functions(index: ServiceIndex, plans: Sequence[TestPlan], needs: set[str]) -> Iterator[Function]:
    names = spelling.distinct(tuple(_function_name(plan.name) for plan in plans))
    for name, plan in zip(names, plans, strict=True):
        lines = UnitTestSteps(PythonRenderer(index, needs), {}).lines(plan.body)
        yield Function(head=Signature(f"def {name}", (), "None"), body=tuple(lines) or ("pass",))


def _function_name(sentence: str) -> str:
    words = re.findall(r"[a-z0-9]+", sentence.lower())
    return "_".join(["test", *words])
