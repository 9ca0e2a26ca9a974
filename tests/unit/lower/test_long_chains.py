"""Chains of one operator, however long, are one node that is made once."""

from __future__ import annotations

import pytest

from loom.lower.expressions.operators import arithmetic
from loom.parse import parse
from tests.kit.lowering import lower_files

MODEL = "context DeepField {{ aggregate RoverUnit {{ whole: int  part: decimal  derived total: {type} = {chain} }} }}"
CHAINS = {"int": ("1", "whole"), "decimal": ("part", "whole"), "string": ('"a"', "whole"), "money": ("5",)}


@pytest.mark.parametrize("kind", CHAINS)
def test_a_chain_takes_time_that_grows_with_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, chained = [], arithmetic.chained
    monkeypatch.setattr(arithmetic, "chained", lambda *given: made.append(1) or chained(*given))  # type: ignore[func-returns-value]
    first = 'money("1.00") + ' if kind == "money" else ""
    text = MODEL.format(type=kind, chain=first + " + ".join(CHAINS[kind] * 500))
    assert lower_files({"model.ddd": parse("model.ddd", text.encode()).ast}).diagnostics() == []
    assert len(made) == 1
