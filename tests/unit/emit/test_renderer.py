"""One recursion for every language: parentheses where a table says so, calls as a pattern says."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import ClassVar

import pytest

from loom.base import Value
from loom.emit.renderer import (
    ARITHMETIC_KEYS,
    ATOM,
    COMPARE_KEYS,
    CONVERT_KEYS,
    LONGEST,
    Code,
    Form,
    Op,
    Renderer,
    Spelling,
    step_of,
)
from loom.ir.expressions import (
    Arithmetic,
    Arithmetics,
    Call,
    Compare,
    Comparison,
    Conditional,
    Convert,
    Domain,
    Expr,
    Fn,
    Lambda,
    Local,
    Logic,
    Logical,
    Negate,
    Not,
    domain_of,
)
from loom.ir.types import BOOL, INT, LONG, MONEY, STRING, ArrayType, OptionalType

_BINDS = {Arithmetic.ADD: 5, Arithmetic.SUBTRACT: 5}


class Plain(Renderer):
    """A language like most."""

    ARITHMETIC: ClassVar[Mapping[tuple[Arithmetic, Domain], Spelling]] = {
        **{key: Op(key[0].value, _BINDS.get(key[0], 6)) for key in ARITHMETIC_KEYS},
        (Arithmetic.ADD, Domain.MONEY): Form("plus({0}, {1})", ("money:plus",)),
    }
    COMPARE: ClassVar[Mapping[tuple[Comparison, Domain], Spelling]] = {
        key: Op(key[0].value, 4, chains=False) for key in COMPARE_KEYS
    }
    LOGIC: ClassVar[Mapping[Logic, Op]] = {Logic.AND: Op("and", 2), Logic.OR: Op("or", 1)}
    NOT = Op("not ", 3)
    CALL: ClassVar[Mapping[Fn | tuple[Fn, Domain], Form]] = {
        **{fn: Form(f"{fn.name.lower()}({{*}})") for fn in Fn},
        Fn.TO_UPPER: Form("{0!}.upper()"),
        Fn.SUBSTRING: Form("part({0}, {1}, {2})"),
        (Fn.SUM, Domain.MONEY): Form("total({0}, {1})"),
    }
    CONVERT: ClassVar[Mapping[tuple[Domain, Domain], Form]] = {
        key: Form(f"{key[1].name.lower()}({{0}})") for key in CONVERT_KEYS
    }
    ELAPSED = Op("-", 5)
    WIDTH = 30

    def variable(self, e: Local) -> Code:
        return Code(e.name, ATOM)

    def anonymous(self, e: Lambda) -> Code:
        return Code((f"{e.parameter} -> ", self.code(e.body).doc), 0)

    def conditional(self, e: Conditional) -> Code:
        return Code(("if ", *[self.code(part).doc for part in (e.condition, e.then, e.otherwise)]), 0)

    def negate(self, e: Negate) -> Code:
        return self.prefix(Op("-", 7), e.operand)

    def folded(self, e: Arithmetics) -> Code:
        return Code(f"fold({len(e.operands)}, {self.text(step_of(e))})", ATOM)

    def _shown(self, e: Value) -> Code:
        return Code(type(e).__name__, ATOM)

    literal = member = enum_value = listed = built = called = _shown

    def instance(self) -> Code:
        return Code("it", ATOM)

    null = now = instance


def test_a_language_that_lacks_a_kind_of_leaf_has_no_renderer() -> None:
    lacking = type("Lacking", (Plain,), {"member": Renderer.member})
    with pytest.raises(TypeError, match="abstract method member"):
        lacking()


class Wide(Plain):
    WIDTH = 1000


A, B, C = (Local(type=INT, name=name) for name in ("orderCount", "class", "X2"))
YES, NO = (Local(type=BOOL, name=name) for name in ("isOpen", "from"))
TEXT = Local(type=STRING, name="title")


def operation(op: Arithmetic, *operands: Expr) -> Expr:
    return Arithmetics(type=INT, op=op, domain=Domain.INT, operands=operands)


def less(left: Expr, right: Expr) -> Expr:
    return Compare(type=BOOL, op=Comparison.LT, domain=Domain.INT, left=left, right=right)


def both(op: Logic, *operands: Expr) -> Expr:
    return Logical(type=BOOL, op=op, operands=operands)


PRINTED = [
    (operation(Arithmetic.SUBTRACT, operation(Arithmetic.SUBTRACT, A, B), C), "orderCount - class - X2"),
    (operation(Arithmetic.SUBTRACT, A, operation(Arithmetic.SUBTRACT, B, C)), "orderCount - (class - X2)"),
    (operation(Arithmetic.MULTIPLY, operation(Arithmetic.ADD, A, B), C), "(orderCount + class) * X2"),
    (both(Logic.OR, YES, both(Logic.AND, NO, YES)), "isOpen or from and isOpen"),
    (both(Logic.AND, both(Logic.OR, YES, NO), YES), "(isOpen or from) and isOpen"),
    (less(A, B), "orderCount < class"),
    (
        Compare(type=BOOL, op=Comparison.EQ, domain=Domain.BOOL, left=less(A, B), right=YES),
        "(orderCount < class) == isOpen",
    ),
    (Not(type=BOOL, operand=both(Logic.AND, YES, NO)), "not (isOpen and from)"),
    (Call(type=STRING, fn=Fn.TO_UPPER, arguments=(TEXT,)), "title.upper()"),
    (Call(type=STRING, fn=Fn.SUBSTRING, arguments=(TEXT, A)), "part(title, orderCount)"),
]


@pytest.mark.parametrize(("expression", "text"), PRINTED, ids=[text for _, text in PRINTED])
def test_parentheses_stand_where_they_are_needed(expression: Expr, text: str) -> None:
    assert Wide().text(expression) == text


def test_a_long_chain_is_told_in_portions() -> None:
    truths = Wide().text(both(Logic.OR, *[YES] * LONGEST, *[NO] * 2))
    assert truths == " or ".join(["isOpen"] * LONGEST) + " or (from or from)"
    texts = Arithmetics(type=STRING, op=Arithmetic.ADD, domain=Domain.STRING, operands=(TEXT,) * LONGEST * LONGEST * 2)
    assert max(accumulate((char == "(") - (char == ")") for char in Wide().text(texts))) == 2


def test_one_that_may_overflow_is_told_in_steps() -> None:
    assert Wide().text(operation(Arithmetic.ADD, *[A] * LONGEST)).startswith("orderCount + orderCount + ")
    assert Wide().text(operation(Arithmetic.ADD, *[A] * LONGEST, B)) == f"fold({LONGEST + 1}, left + right)"


def test_a_postfix_wraps_an_operator() -> None:
    joined = Arithmetics(type=STRING, op=Arithmetic.ADD, domain=Domain.STRING, operands=(TEXT, TEXT))
    assert Plain().text(Call(type=STRING, fn=Fn.TO_UPPER, arguments=(joined,))) == "(title + title).upper()"


def test_a_form_of_two_holes_is_folded_and_says_what_it_needs() -> None:
    renderer = Plain()
    prices = tuple(Local(type=MONEY, name=name) for name in ("price", "tax", "tip"))
    total = Arithmetics(type=MONEY, op=Arithmetic.ADD, domain=Domain.MONEY, operands=prices)
    assert renderer.text(total) == "plus(plus(price, tax), tip)"
    assert renderer.needs == {"money:plus"}


def test_a_function_is_looked_up_by_what_its_lambda_gives() -> None:
    lines = Local(type=ArrayType(of=INT), name="lines")
    price = Lambda(type=MONEY, parameter="line", parameter_type=INT, body=Local(type=MONEY, name="price"))
    count = Lambda(type=INT, parameter="line", parameter_type=INT, body=A)
    assert Plain().text(Call(type=MONEY, fn=Fn.SUM, arguments=(lines, price))).startswith("total(")
    assert Plain().text(Call(type=INT, fn=Fn.SUM, arguments=(lines, count))).startswith("sum(")


def test_a_long_chain_breaks_before_its_operators() -> None:
    broken = "isOpen\nand from\nand isOpen\nand from"
    assert Plain().text(both(Logic.AND, YES, NO, YES, NO)) == broken


def test_a_language_with_a_hole_in_a_table_cannot_be_defined() -> None:
    with pytest.raises(TypeError, match="trim"):
        type("Holed", (Plain,), {"CALL": {fn: form for fn, form in Plain.CALL.items() if fn is not Fn.TRIM}})


def test_an_optional_collection_has_the_domain_of_its_elements() -> None:
    assert domain_of(OptionalType(of=ArrayType(of=MONEY))) is Domain.MONEY


def test_a_conversion_is_spelled_where_the_value_changes() -> None:
    assert Plain().text(Convert(type=MONEY, operand=A)) == "money(orderCount)"
    assert Plain().text(Convert(type=LONG, operand=A)) == "orderCount"


def test_a_language_that_misses_a_conversion_cannot_be_imported() -> None:
    with pytest.raises(TypeError, match=r"cannot render .*MONEY"):
        type(
            "Holed",
            (Plain,),
            {"CONVERT": {key: form for key, form in Plain.CONVERT.items() if key[1] is not Domain.MONEY}},
        )
