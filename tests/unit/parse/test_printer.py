"""Expressions print in one form, which reads back as the same expression."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from loom.parse import parse, show, tables
from loom.parse.ast import (
    Aggregate,
    Argument,
    Binary,
    BinaryOperator,
    BoolLiteral,
    Builder,
    Call,
    Context,
    DecimalLiteral,
    Derived,
    Expression,
    FieldValue,
    Hole,
    IntLiteral,
    Lambda,
    ListLiteral,
    Match,
    MatchArm,
    Member,
    Name,
    Node,
    NullLiteral,
    ObjectLiteral,
    StringLiteral,
    Template,
    Ternary,
    This,
    Unary,
    UnaryOperator,
)
from loom.parse.rules.expressions import CHAINING

GRAMMAR = tables()
NAMES = st.sampled_from(["unitPrice", "HTTPServer", "class", "end", "id", "when", "let"])
TEXTS = st.text(alphabet='ab"\\{}`\n\tß ', max_size=6)


def read(text: str) -> Expression:
    """The expression that `text` spells."""
    source = f"context A {{ aggregate B {{ derived c: int = {text} }} }}"
    result = parse("model.ddd", source.encode(), tables=GRAMMAR)
    assert result.diagnostics == (), (text, result.diagnostics)
    (context,) = result.ast.members
    assert isinstance(context, Context)
    (aggregate,) = context.members
    assert isinstance(aggregate, Aggregate)
    (derived,) = aggregate.members
    assert isinstance(derived, Derived)
    return derived.value


def placeless(node: Any) -> Any:  # noqa: ANN401 - any node
    """The node without the places that say where its tokens were."""
    if isinstance(node, tuple):
        return tuple(placeless(item) for item in node)
    if not isinstance(node, Node):
        return node
    changes = {name: placeless(getattr(node, name)) for name in node.__struct_fields__}
    return replace(node, **{**changes, "at": 0})


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("unitPrice>0&&!isOpen", "unitPrice > 0 && !isOpen"),
        ("((unitPrice))+(2*(3))", "unitPrice + 2 * 3"),
        ("(unitPrice+2)*3", "(unitPrice + 2) * 3"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("a-(b+c)", "a - (b + c)"),
        ("!(a||b)&&-(c).d>1", "!(a || b) && -c.d > 1"),
        ("(a==b)==c", "a == b == c"),
        ("(a?b:c)?d:(e?f:g)", "(a ? b : c) ? d : e ? f : g"),
        ('lines.all(line=>line.qty>0,"x")', 'lines.all(line => line.qty > 0, "x")'),
        ('Money{amount:1.50,currency:"E\\"R",}', 'Money { amount: 1.50, currency: "E\\"R" }'),
        ("Agg.create({})", "Agg.create({})"),
        ("`a {b+1, number} \\{c`", "`a {b + 1, number} \\{c`"),
        ("match{a=>1,else=>2}", "match { a => 1, else => 2 }"),
        ("[1,2,]", "[1, 2]"),
        ("[ ]", "[]"),
        ('money("1.00")*null', 'money("1.00") * null'),
    ],
)
def test_canonical_form(written: str, printed: str) -> None:
    assert show(read(written)) == printed


def _expressions(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    pairs = st.lists(st.builds(FieldValue, st.just(0), NAMES, inner), min_size=1, max_size=2).map(tuple)
    arguments = st.lists(st.builds(Argument, st.just(0), st.sampled_from(["", "page"]), inner), max_size=2).map(tuple)
    return st.one_of(
        st.builds(Member, st.just(0), inner, NAMES),
        st.builds(Call, st.just(0), st.builds(Member, st.just(0), inner, NAMES), arguments),
        st.builds(Builder, st.just(0), st.just("Money"), pairs),
        st.builds(ObjectLiteral, st.just(0), pairs),
        st.builds(ListLiteral, st.just(0), st.lists(inner, max_size=2).map(tuple)),
        st.builds(Unary, st.just(0), st.sampled_from(UnaryOperator), inner),
        st.builds(Binary, st.just(0), st.sampled_from(BinaryOperator), st.tuples(inner, inner)),
        st.builds(Ternary, st.just(0), inner, inner, inner),
        st.builds(Lambda, st.just(0), st.just("item"), inner).map(
            lambda body: Call(0, Name(0, "f"), (Argument(0, "", body),))
        ),
        st.builds(Template, st.just(0), st.tuples(st.just("x{"), st.builds(Hole, st.just(0), inner, st.just("date")))),
        st.builds(Match, st.just(0), st.tuples(st.builds(MatchArm, st.just(0), inner, inner)), st.none() | inner),
    )


LEAVES: st.SearchStrategy[Expression] = st.one_of(
    st.builds(IntLiteral, st.just(0), st.integers(0, 10**30)),
    st.builds(DecimalLiteral, st.just(0), st.sampled_from(["1.50", "0.0"])),
    st.builds(StringLiteral, st.just(0), TEXTS),
    st.builds(BoolLiteral, st.just(0), st.booleans()),
    st.builds(NullLiteral, st.just(0)),
    st.builds(This, st.just(0)),
    st.builds(Name, st.just(0), NAMES),
)


def flat(node: Any) -> Any:  # noqa: ANN401 - any node
    """The node with chains of one associative operator as one node, as the parser makes them."""
    if isinstance(node, tuple):
        return tuple(flat(item) for item in node)
    if not isinstance(node, Node):
        return node
    made: Any = replace(node, **{name: flat(getattr(node, name)) for name in node.__struct_fields__})
    if isinstance(made, Binary) and made.operator in CHAINING:
        first, *others = made.operands
        if isinstance(first, Binary) and first.operator is made.operator:
            return replace(made, operands=(*first.operands, *others))
    return made


@settings(deadline=None, max_examples=400)
@given(st.recursive(LEAVES, _expressions, max_leaves=12))
def test_what_is_printed_reads_back(expression: Expression) -> None:
    assert placeless(read(show(expression))) == flat(expression)
