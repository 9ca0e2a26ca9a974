"""Going through a body finds the statements of every block in it, and those of no expression."""

from __future__ import annotations

from typing import get_args

from loom.base import Value, descendants
from loom.ir import statements as st
from loom.ir.expressions import Literal
from loom.ir.types import BOOL, STRING
from loom.lower.bodies.nested import every_statement

TRUE = Literal(type=BOOL, text="true")


def let(name: str) -> st.Let:
    return st.Let(name=name, value=TRUE)


def body() -> tuple[st.Statement, ...]:
    case = st.MatchCase(variant=STRING, name="", body=(let("matched"),))
    return (
        st.If(condition=TRUE, then=(let("then"),), otherwise=(let("otherwise"),)),
        st.IfLet(name="found", source=TRUE, read=None, then=(let("class"),), otherwise=(let("none"),)),
        st.ForEach(name="item", source=TRUE, read=None, body=(st.AfterCommit(body=(let("later"),)),)),
        st.MatchVariants(subject=TRUE, cases=(case,), otherwise=(let("end"),)),
        st.ExpectThrow(attempt=let("refused")),
    )


def test_every_block_is_gone_into_in_reading_order() -> None:
    assert every_statement(body()) == [item for item in descendants(body()) if isinstance(item, get_args(st.Statement))]


def test_each_kind_that_holds_statements_is_among_them() -> None:
    """One that is new belongs into the body above."""
    declared = [item for item in vars(st).values() if isinstance(item, type) and issubclass(item, Value)]
    holding = [kind for kind in declared if any("Statement" in str(text) for text in kind.__annotations__.values())]
    assert {type(item) for item in descendants(body())} >= set(holding)
    assert len(holding) > 4
