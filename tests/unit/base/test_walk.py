"""Every Value of a tree is met once, in reading order, whatever fields it is in."""

from __future__ import annotations

from enum import StrEnum
from typing import get_args

from loom.base import Value, below, descendants
from loom.ir.expressions import Compare, Comparison, Domain, Field, FieldKind, Literal, This
from loom.ir.statements import If, Let, NotFound
from loom.ir.types import BOOL, INT, AggregateType, Ref, ScalarKind, Type, code_in
from loom.parse import ast
from tests.kit.seed_vault import seed_vault

ORDER = AggregateType(ref=Ref(context="CargoPort", name="HTTPOrder"))


def lines() -> Field:
    return Field(type=INT, receiver=This(type=ORDER), name="class", kind=FieldKind.PROPERTY)


def test_the_outer_ones_come_first_then_fields_in_their_order() -> None:
    field, ten = lines(), Literal(type=INT, text="10")
    less = Compare(type=BOOL, op=Comparison.LT, domain=Domain.INT, left=field, right=ten)
    body = (If(condition=less, then=(Let(name="end", value=ten),), otherwise=(NotFound(detail="no class"),)),)
    kinds = [type(item).__name__ for item in descendants(body)]
    assert [kind for kind in kinds if kind != "Scalar"] == [
        "If", "Compare", "Field", "This", "AggregateType", "Ref", "Literal", "Let", "Literal", "NotFound",
    ]  # fmt: skip


def test_roots_are_gone_through_in_their_order_and_what_is_no_value_is_passed_over() -> None:
    first, second = Ref(context="", name="first"), Ref(context="", name="second")
    assert descendants(first, "text", None, (7, second)) == [first, second]


def test_nodes_of_what_was_written_are_looked_through_too() -> None:
    named = ast.Name(1, "unitPrice")
    tree = ast.Unary(0, ast.UnaryOperator.NOT, named)
    assert below(ast.Node, tree) == [tree, named]
    assert below(Value, tree) == []


class Tide(StrEnum):
    NEAP = "neap"


class TideTable(Value):
    kind: Tide
    end: Tide | None
    shown: Tide | Ref
    class_: Ref | None


def test_a_field_that_may_hold_a_value_besides_a_word_is_looked_at() -> None:
    first, second = Ref(context="", name="first"), Ref(context="", name="second")
    table = TideTable(kind=Tide.NEAP, end=None, shown=first, class_=second)
    assert descendants(table) == [table, first, second]
    words = TideTable(kind=Tide.NEAP, end=Tide.NEAP, shown=Tide.NEAP, class_=None)
    assert descendants(words) == [words]


def test_code_is_all_that_is_no_type() -> None:
    kinds = {Ref, *get_args(Type)}
    vault = seed_vault()
    code = [item for item in descendants(vault) if type(item) not in kinds]
    assert code == [item for item in code_in(vault) if type(item) not in kinds] and len(code) > 100
    assert len(code_in(vault)) < len(descendants(vault))
    inside = {part for kind in kinds for of in kind.field_types().values() for part in (of, *get_args(of))}
    assert inside <= {str, ScalarKind, *kinds, Type, tuple[Type, ...], tuple[Ref, ...], ...}
