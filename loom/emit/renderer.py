"""Expressions into a target language: one recursion and one rule for parentheses, tables per language.

In: IR expressions. Out: `Code`, a document and how tightly it binds. A language is a subclass: tables say what
data can say, methods the rest. A context (inside an entity, against a request) is a subclass of that.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import ClassVar, NamedTuple, assert_never

from loom.emit.layout import LINE, Doc, Group, Indent, bracketed, join, text_of
from loom.ir.expressions import (
    Arithmetic,
    Arithmetics,
    Call,
    Claim,
    Compare,
    Comparison,
    Conditional,
    Construct,
    Convert,
    Domain,
    EnumLiteral,
    Expr,
    Field,
    Fn,
    FunctionCall,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Logic,
    Logical,
    Negate,
    Not,
    Now,
    Null,
    ServiceCall,
    This,
    Variant,
    VariantMatch,
    domain_of,
)
from loom.ir.types import OptionalType, Type
from loom.plan.unplanned import unplanned

ATOM = 100
# A chain of more operands is told in portions, lest what reads it, or prints it, goes down as deep as it is long.
LONGEST = 50


class Code(NamedTuple):
    doc: Doc
    binds: int


class Op(NamedTuple):
    """An infix (or prefix) operator. `chains` False: the language reads `a < b < c` in its own way."""

    text: str
    binds: int
    chains: bool = True


class Form(NamedTuple):
    """A pattern: `{0}` an argument, `{0!}` one that a postfix follows, `{*}` all of them, comma-separated.

    `needs` names what the file must import for it; the meaning of the name is the backend's.
    """

    pattern: str
    needs: tuple[str, ...] = ()
    binds: int = ATOM


Spelling = Op | Form
Leaf = (
    Literal
    | Null
    | EnumLiteral
    | ListLiteral
    | This
    | Local
    | Field
    | Negate
    | Conditional
    | Lambda
    | FunctionCall
    | Construct
    | Now
)

_NUMBERS = (Domain.INT, Domain.LONG, Domain.DECIMAL)
_ORDERED = (*_NUMBERS, Domain.MONEY, Domain.STRING, Domain.DATETIME, Domain.DURATION)
_ORDERINGS = (Comparison.LT, Comparison.LE, Comparison.GT, Comparison.GE)

ARITHMETIC_KEYS: frozenset[tuple[Arithmetic, Domain]] = frozenset(
    [(op, domain) for op in Arithmetic for domain in _NUMBERS if (op, domain) != (Arithmetic.DIVIDE, Domain.INT)]
    + [(op, Domain.MONEY) for op in Arithmetic if op is not Arithmetic.REMAINDER]
    + [(Arithmetic.ADD, Domain.STRING)]
    + [(op, domain) for op in (Arithmetic.ADD, Arithmetic.SUBTRACT) for domain in (Domain.DATETIME, Domain.DURATION)]
    + [(Arithmetic.MULTIPLY, Domain.DURATION)]
) - {(Arithmetic.DIVIDE, Domain.LONG)}
COMPARE_KEYS: frozenset[tuple[Comparison, Domain]] = frozenset(
    [(op, domain) for op in (Comparison.EQ, Comparison.NE) for domain in Domain]
    + [(op, domain) for op in _ORDERINGS for domain in _ORDERED]
)

_FRACTIONS = (Domain.DECIMAL, Domain.MONEY)
CONVERT_KEYS: frozenset[tuple[Domain, Domain]] = frozenset(
    [(source, target) for source in (Domain.INT, Domain.LONG) for target in _FRACTIONS]
    + [(source, Domain.STRING) for source in (*_NUMBERS, Domain.MONEY, Domain.BOOL, Domain.DATETIME)]
)

_HOLE = re.compile(r"\{(\d+|\*)(!?)\}")


class Renderer(ABC):
    """Make one per emitted file; `needs` collects what that file must import.

    CALL is looked up by (function, domain of the first argument's elements) first, then by function. CONVERT is from
    one domain to another; what it does not name is the same value in both.
    """

    ARITHMETIC: ClassVar[Mapping[tuple[Arithmetic, Domain], Spelling]]
    COMPARE: ClassVar[Mapping[tuple[Comparison, Domain], Spelling]]
    LOGIC: ClassVar[Mapping[Logic, Op]]
    NOT: ClassVar[Op]
    CALL: ClassVar[Mapping[Fn | tuple[Fn, Domain], Form]]
    CONVERT: ClassVar[Mapping[tuple[Domain, Domain], Form]]
    ELAPSED: ClassVar[Spelling]  # datetime - datetime
    INDENT: ClassVar[int] = 4
    WIDTH: ClassVar[int] = 100

    def __init__(self) -> None:
        self.needs: set[str] = set()

    def __init_subclass__(cls) -> None:
        """A language whose tables have holes cannot be imported."""
        called = {key if isinstance(key, Fn) else key[0] for key in cls.CALL}
        missing = [
            *sorted(map(str, ARITHMETIC_KEYS - set(cls.ARITHMETIC))),
            *sorted(map(str, COMPARE_KEYS - set(cls.COMPARE))),
            *sorted(map(str, set(Logic) - set(cls.LOGIC))),
            *sorted(map(str, set(Fn) - called)),
            *sorted(map(str, CONVERT_KEYS - set(cls.CONVERT))),
        ]
        if missing:
            raise TypeError(f"{cls.__name__} cannot render {missing}")

    def text(self, e: Expr, *, column: int = 0, indent: int = 0) -> str:
        """`e` laid out from `column` on, continued lines at `indent`."""
        return text_of(self.code(e).doc, width=self.WIDTH, column=column, indent=indent)

    def code(self, e: Expr) -> Code:  # noqa: C901 - one arm a kind
        match e:
            case Logical() | Arithmetics(domain=Domain.STRING) if len(e.operands) > LONGEST:
                return self.code(in_portions(e))
            case Arithmetics() if len(e.operands) > LONGEST:
                return self.folded(e)
            case Logical():
                return self.infix(self.LOGIC[e.op], e.operands)
            case Arithmetics():
                return self.spell(self.arithmetic(e), e.operands)
            case Compare():
                return self.compare(e)
            case Not():
                return self.prefix(self.NOT, e.operand)
            case Call():
                return self.spell(self.function(e), self.call_arguments(e))
            case Convert():
                return self.convert(e)
            case Claim() | Variant() | VariantMatch() | ServiceCall():
                unplanned(e)
            case _:
                return self.leaf(e)

    def leaf(self, e: Leaf) -> Code:  # noqa: C901 - one arm a kind
        """What no table can say: a method each."""
        match e:
            case Literal():
                return self.literal(e)
            case Local():
                return self.variable(e)
            case Field():
                return self.member(e)
            case This():
                return self.instance()
            case Null():
                return self.null()
            case EnumLiteral():
                return self.enum_value(e)
            case ListLiteral():
                return self.listed(e)
            case Construct():
                return self.built(e)
            case FunctionCall():
                return self.called(e)
            case Lambda():
                return self.anonymous(e)
            case Conditional():
                return self.conditional(e)
            case Negate():
                return self.negate(e)
            case Now():
                return self.now()
        assert_never(e)

    @abstractmethod
    def folded(self, e: Arithmetics) -> Code:
        """A long chain as a call that takes one step after the other, each operand only when it is its turn."""

    @abstractmethod
    def literal(self, e: Literal) -> Code: ...
    @abstractmethod
    def variable(self, e: Local) -> Code: ...
    @abstractmethod
    def member(self, e: Field) -> Code: ...
    @abstractmethod
    def instance(self) -> Code: ...
    @abstractmethod
    def null(self) -> Code: ...
    @abstractmethod
    def enum_value(self, e: EnumLiteral) -> Code: ...
    @abstractmethod
    def listed(self, e: ListLiteral) -> Code: ...
    @abstractmethod
    def built(self, e: Construct) -> Code: ...
    @abstractmethod
    def called(self, e: FunctionCall) -> Code: ...
    @abstractmethod
    def anonymous(self, e: Lambda) -> Code: ...
    @abstractmethod
    def conditional(self, e: Conditional) -> Code: ...
    @abstractmethod
    def negate(self, e: Negate) -> Code: ...
    @abstractmethod
    def now(self) -> Code: ...

    def arithmetic(self, e: Arithmetics) -> Spelling:
        elapsed = e.op is Arithmetic.SUBTRACT and e.domain is Domain.DATETIME and domain_of(e.type) is Domain.DURATION
        return self.ELAPSED if elapsed else self.ARITHMETIC[e.op, e.domain]

    def compare(self, e: Compare) -> Code:
        return self.spell(self.COMPARE[e.op, e.domain], (e.left, e.right))

    def function(self, e: Call) -> Form:
        """The form of `e.fn` for the domain that it works on, else for any domain."""
        return self.CALL.get((e.fn, self.domain_of_call(e))) or self.CALL[e.fn]

    def domain_of_call(self, e: Call) -> Domain:
        """What the function works on: a lambda's result where there is one, else the receiver's elements."""
        last = e.arguments[-1]
        if isinstance(last, Lambda) and e.fn not in (Fn.MAP, Fn.WHERE, Fn.ALL, Fn.ANY):
            return domain_of(last.type)
        if e.fn is Fn.SORT_BY and isinstance(e.arguments[1], Lambda):
            return domain_of(e.arguments[1].type)
        return domain_of(e.arguments[0].type)

    def convert(self, e: Convert) -> Code:
        form = self.CONVERT.get((domain_of(e.operand.type), domain_of(e.type)))
        if form is None:
            return self.code(e.operand)
        if isinstance(e.operand.type, OptionalType):
            return self.convert_present(e.operand, e.operand.type.of, form)
        return self.form(form, (e.operand,))

    def convert_present(self, operand: Expr, inner: Type, form: Form) -> Code:
        """A conversion of what may be absent, which then stays so; `inner` is the type of what is there."""
        raise TypeError(f"{type(self).__name__} has no optional values")

    def call_arguments(self, e: Call) -> tuple[Expr, ...]:
        return e.arguments

    def spell(self, spelling: Spelling, operands: tuple[Expr, ...]) -> Code:
        if isinstance(spelling, Op):
            return self.infix(spelling, operands)
        return self.form(spelling, operands)

    def infix(self, op: Op, operands: tuple[Expr, ...]) -> Code:
        """`a op b op c`, broken before the operators when it does not fit."""
        first = self.inside(operands[0], op.binds if op.chains else op.binds + 1)
        rest = tuple((LINE, f"{op.text} ", self.inside(operand, op.binds + 1)) for operand in operands[1:])
        return Code(self.broken_infix(first, rest), op.binds)

    def broken_infix(self, first: Doc, rest: tuple[Doc, ...]) -> Doc:
        """How the language breaks an operator chain; by default the operators line up below."""
        return Group((first, *rest))

    def prefix(self, op: Op, operand: Expr) -> Code:
        return Code((op.text, self.inside(operand, op.binds)), op.binds)

    def form(self, form: Form, operands: tuple[Expr, ...]) -> Code:
        """`form` filled in; more than two operands of a two-hole form are folded from the left."""
        self.needs.update(form.needs)
        if "{1" in form.pattern and "{2" not in form.pattern and len(operands) > 2:
            folded = self.form(form, operands[:2])
            for operand in operands[2:]:
                folded = Code(self.fill(form, (folded, self.code(operand))), form.binds)
            return folded
        return Code(self.fill(form, tuple(self.code(operand) for operand in operands)), form.binds)

    def fill(self, form: Form, operands: tuple[Code, ...]) -> Doc:
        """The pattern with its holes filled; a final argument list breaks one argument a line."""
        head, opening, tail = form.pattern.partition("(")
        if not opening or not tail.endswith(")") or "(" in tail:
            return tuple(self.pieces(form.pattern, operands))
        arguments = [
            doc
            for part in tail[:-1].split(", ")
            for doc in (self.all_of(operands) if part == "{*}" else [tuple(self.pieces(part, operands))])
            if doc != ()
        ]
        return (*self.pieces(head, operands), bracketed("(", arguments, ")", indent=self.INDENT))

    def all_of(self, operands: tuple[Code, ...]) -> list[Doc]:
        return [operand.doc for operand in operands]

    def pieces(self, pattern: str, operands: tuple[Code, ...]) -> Iterator[Doc]:
        end = 0
        for hole in _HOLE.finditer(pattern):
            if before := pattern[end : hole.start()]:
                yield before
            end = hole.end()
            if hole[1] == "*":
                yield join(", ", self.all_of(operands))
            elif int(hole[1]) < len(operands):  # an optional last argument may be absent
                operand = operands[int(hole[1])]
                yield operand.doc if not hole[2] else self.wrapped(operand, ATOM)
        if after := pattern[end:]:
            yield after

    def inside(self, e: Expr, binds: int) -> Doc:
        """The document of `e`, in parentheses when its surroundings bind tighter than it does."""
        return self.wrapped(self.code(e), binds)

    def wrapped(self, code: Code, binds: int) -> Doc:
        return code.doc if code.binds >= binds else ("(", Indent(code.doc, self.INDENT), ")")


def in_portions(e: Logical | Arithmetics) -> Logical | Arithmetics:
    """The chain as one of shorter chains, worth the same: the operator is associative and nothing overflows."""
    operands: tuple[Expr, ...] = e.operands
    while len(operands) > LONGEST:
        portions = (operands[at : at + LONGEST] for at in range(0, len(operands), LONGEST))
        operands = tuple(e.model_copy(update={"operands": portion}) for portion in portions)
    return e.model_copy(update={"operands": operands})


def step_of(e: Arithmetics) -> Arithmetics:
    """One step of a chain: what is so far, `left`, and the next operand, `right`."""
    first, second, *_ = e.operands
    operands = (Local(type=first.type, name="left"), Local(type=second.type, name="right"))
    return e.model_copy(update={"operands": operands})
