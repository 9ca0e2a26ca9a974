"""Expressions as TypeScript: tables for what data can say, methods for the rest.

In: IR expressions. Out: texts; `needs` collects `module:name` of what the file must import.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Self, assert_never

from loom.backends.node import spelling
from loom.backends.node.code.nodes import flattened, is_literal, joined_texts, reads
from loom.backends.node.code.regex import javascript_regex
from loom.backends.node.code.tables import (
    ANY_AT_ALL,
    ARITHMETIC,
    CALL,
    COMPARE,
    CONVERT,
    DEEP_EQUAL,
    DEEP_UNEQUAL,
    ELAPSED,
    INTEGER_OPERATORS,
    SORTED_DOWN,
)
from loom.backends.node.code.types import Types
from loom.backends.node.model import Model
from loom.backends.node.needs import Needs
from loom.backends.node.text import shapes
from loom.emit.narrowing import Known, Narrowing, taken
from loom.emit.renderer import ATOM, LONGEST, Code, Form, Op, Renderer, step_of
from loom.ir import expressions as ir
from loom.ir.expressions import Arithmetic, Comparison, Domain, Expr, FieldKind, Fn, FunctionScope, Logic, domain_of
from loom.ir.types import (
    AggregateType,
    ArrayType,
    EnumType,
    OptionalType,
    PartType,
    Ref,
    Type,
    ValueObjectType,
)

_BY_REFERENCE = frozenset({Domain.DECIMAL, Domain.MONEY, Domain.DATETIME})


class NodeRenderer(Renderer):
    """Make one per emitted file. `this` is how the instance at hand is spelled, `scope` how parameters are."""

    ARITHMETIC = ARITHMETIC
    COMPARE = COMPARE
    LOGIC: ClassVar[Mapping[Logic, Op]] = {Logic.AND: Op("&&", shapes.AND), Logic.OR: Op("||", shapes.OR)}
    NOT = Op("!", shapes.UNARY)
    CALL = CALL
    CONVERT = CONVERT
    ELAPSED = ELAPSED

    def __init__(self, model: Model, this: str = "this", scope: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.needs: Needs = Needs(model.ids)
        self.model = model
        self.this = this
        self.scope = dict(scope or {})
        self.narrowing = Narrowing(model.enums, self.argument)
        self.known: Known = {}

    def at(self, this: str, scope: Mapping[str, str] | None = None) -> Self:
        """A renderer for another place of the same file."""
        other = type(self)(self.model, this, scope)
        other.needs = self.needs
        other.known = self.known
        return other

    def need(self, module: str, name: str) -> str:
        return self.needs.value(module, name)

    def variable(self, e: ir.Local) -> Code:
        return shapes.atom(self.scope.get(e.name, spelling.local_name(e.name)))

    def instance(self) -> Code:
        return shapes.atom(self.this)

    def null(self) -> Code:
        return shapes.atom("null")

    def enum_value(self, e: ir.EnumLiteral) -> Code:
        return shapes.atom(spelling.quoted(e.value))

    def listed(self, e: ir.ListLiteral) -> Code:
        return shapes.atom(shapes.listed(map(self.argument, e.items)))

    def now(self) -> Code:
        return shapes.atom(f"{self.need('src/frame', 'now')}()")

    def literal(self, e: ir.Literal) -> Code:
        match domain_of(e.type):
            case Domain.STRING | Domain.ID | Domain.ENUM:
                return shapes.atom(spelling.quoted(e.text))
            case Domain.LONG:
                return shapes.atom(f"{e.text}n")
            case Domain.DECIMAL | Domain.MONEY:
                self.need("src/domain/values/decimals", "Decimal")
                return shapes.atom(f"new Decimal('{e.text}')")
            case _:
                return shapes.atom(e.text)

    def member(self, e: ir.Field) -> Code:
        return shapes.atom(self.field(e))

    def field(self, e: ir.Field) -> str:
        receiver = self.inside(e.receiver, ATOM)
        match e.receiver.type:
            case AggregateType() if e.kind is FieldKind.DERIVED:
                return f"{receiver}.{spelling.member_name(e.name)}"
            case AggregateType():
                return f"{receiver}.state.{e.name}"
            case (PartType() | ValueObjectType()) as owner if e.kind is FieldKind.DERIVED:
                return shapes.call(self.owned(owner, e.name), [self.argument(e.receiver)])
            case _:
                return f"{receiver}.{e.name}"

    def owned(self, owner: PartType | ValueObjectType, name: str) -> str:
        """The function that stands for a member of a part or a value object."""
        match owner:
            case PartType(aggregate=aggregate, name=part):
                return self.need(spelling.domain_module(aggregate), spelling.joined(part, name))
            case ValueObjectType(ref=ref):
                return self.need(spelling.values_module(ref), spelling.joined(ref.name, name))
        assert_never(owner)

    def built(self, e: ir.Construct) -> Code:
        items = [shapes.member(item.name, self.code(item.value)) for item in e.fields]
        match e.type:
            case PartType():
                return shapes.atom(shapes.braces([f"id: {self.need('src/domain/ids', 'newId')}()", *items]))
            case ValueObjectType(ref=ref):
                return shapes.atom(self.made(ref, shapes.braces(items)))
            case _:
                return shapes.atom(shapes.braces(items))

    def made(self, ref: Ref, literal: str) -> str:
        """A value object made of `literal`, its invariants checked when it has any."""
        if not self.model.value_objects[ref].invariants:
            return literal
        return shapes.call(self.need(spelling.values_module(ref), spelling.joined("create", ref.name)), [literal])

    def infix(self, op: Op, operands: tuple[Expr, ...]) -> Code:
        return shapes.infix(op.text, op.binds, [self.inside(operand, op.binds + 1) for operand in operands])

    def prefix(self, op: Op, operand: Expr) -> Code:
        return Code(f"{op.text}{self.wrapped(self.condition(operand), op.binds)}", op.binds)

    def inside(self, e: Expr, binds: int) -> str:
        return self.wrapped(self.code(e), binds)

    def wrapped(self, code: Code, binds: int) -> str:
        return shapes.wrapped(code, binds)

    def argument(self, e: Expr) -> str:
        return shapes.text(self.code(e))

    def integers(self, e: ir.Arithmetics) -> Code:
        """Every step is checked, and so is every divisor."""
        name = self.need(*_CHECKED[e.domain])
        op = INTEGER_OPERATORS[e.op]
        first, *others = (self.code(operand) for operand in e.operands)
        for other in others:
            right = self.wrapped(other, op.binds + 1)
            if e.op is Arithmetic.REMAINDER:
                right = shapes.call(self.need("src/domain/values/integers", "nonZero"), [shapes.text(other)])
            step = shapes.infix(op.text, op.binds, [self.wrapped(first, op.binds), right])
            first = shapes.atom(shapes.call(name, [shapes.text(step)]))
        return first

    def folded(self, e: ir.Arithmetics) -> Code:
        first, *rest = e.operands
        step = shapes.arrow("left, right", self.at(self.this).code(step_of(e)))
        later = shapes.listed(shapes.arrow("", self.code(operand)) for operand in rest)
        folded = self.need("src/domain/values/collections", "folded")
        return shapes.atom(shapes.call(folded, [step, self.argument(first), later]))

    def truncated(self, dividend: Expr, divisor: Expr, domain: Domain) -> Code:
        """An integer quotient; that of longs is truncated by itself."""
        name = self.need(*_CHECKED[domain])
        non_zero = shapes.call(self.need("src/domain/values/integers", "nonZero"), [self.argument(divisor)])
        step = shapes.text(shapes.infix("/", shapes.PRODUCT, [self.inside(dividend, shapes.PRODUCT), non_zero]))
        return shapes.atom(shapes.call(name, [step if domain is Domain.LONG else shapes.call("Math.trunc", [step])]))

    def negate(self, e: ir.Negate) -> Code:
        if isinstance(e.operand, ir.Literal) and e.domain in (Domain.INT, Domain.LONG):
            return shapes.atom(f"-{self.argument(e.operand)}")
        is_negative = isinstance(e.operand, ir.Negate) and isinstance(e.operand.operand, ir.Literal)
        code = self.code(e.operand)
        operand = shapes.wrapped(code, ATOM + is_negative)
        match e.domain:
            case Domain.INT | Domain.LONG | Domain.DURATION:
                return shapes.atom(shapes.call(self.need(*_CHECKED[e.domain]), [f"-{operand}"]))
            case _:
                return self.applied(self.need("src/domain/values/decimals", "negated"), e.operand)

    def conditional(self, e: ir.Conditional) -> Code:
        if isinstance(e.condition, ir.Literal):
            return self.code(taken(e))
        then, otherwise = (
            self.code_given(e.condition, truth, branch) for truth, branch in ((True, e.then), (False, e.otherwise))
        )
        return shapes.choice(self.condition(e.condition), then, otherwise)

    def condition(self, e: Expr) -> Code:
        """`e` where something depends on it: behind a written truth the type checker narrows nothing."""
        return self.widened(e) if isinstance(taken(e), ir.Literal) else self.code(e)

    def code_given(self, condition: Expr, truth: bool, e: Expr) -> Code:
        """`e` where the condition has that truth."""
        outer = self.known
        self.known = self.narrowing.given(condition, truth, outer)
        code = self.code(e)
        self.known = outer
        return code

    def widened(self, e: Expr) -> Code:
        """`e` as of its whole type again."""
        return self.cast(e, self.code(e))

    def cast(self, e: Expr, code: Code) -> Code:
        cast = f"{shapes.wrapped(code, shapes.RELATION + 1)} as {Types(self.needs).text(e.type)}"
        return Code(cast, shapes.CONDITIONAL)

    def compare(self, e: ir.Compare) -> Code:
        optional = isinstance(e.left.type, OptionalType) or isinstance(e.right.type, OptionalType)
        if optional and e.domain in _BY_REFERENCE:
            return self.form(DEEP_EQUAL if e.op is Comparison.EQ else DEEP_UNEQUAL, (e.left, e.right))
        spelled = self.COMPARE[e.op, e.domain]
        left, right = taken(e.left), taken(e.right)
        if is_literal(left) and is_literal(right) and e.op in _EQUALITIES:
            # The type checker refuses a comparison that can be decided by reading it.
            return shapes.atom("true" if (left == right) is (e.op is Comparison.EQ) else "false")
        if isinstance(spelled, Op):
            return self.infix_compare(e, spelled)
        if isinstance(spelled, Form) and isinstance(e.right, ir.Literal) and domain_of(e.right.type) in _NUMBERS:
            return Code(self.fill(spelled, (self.code(e.left), shapes.atom(f"'{e.right.text}'"))), spelled.binds)
        return self.spell(spelled, (e.left, e.right))

    def infix_compare(self, e: ir.Compare, op: Op) -> Code:
        """One side is of its whole type again where the checkers see that the comparison can have one answer alone."""
        left, right = self.code(e.left), self.code(e.right)
        is_decided = e.op in _EQUALITIES and self.narrowing.is_decided(e, self.known)
        if is_decided or shapes.text(left) == shapes.text(right):
            if is_literal(taken(e.left)):
                right = self.cast(e.right, right)
            else:
                left = self.cast(e.left, left)
        return shapes.infix(op.text, op.binds, [self.wrapped(side, op.binds + 1) for side in (left, right)])

    def convert(self, e: ir.Convert) -> Code:
        if isinstance(e.operand, ir.Literal) and domain_of(e.type) in _NUMBERS:
            return self.literal(e.operand.model_copy(update={"type": e.type}))
        return super().convert(e)

    def convert_present(self, operand: Expr, inner: Type, form: Form) -> Code:
        present = self.need("src/domain/values/collections", "whenPresent")
        made = self.at(self.this).form(form, (ir.Local(type=inner, name="value"),))
        return shapes.atom(shapes.call(present, [self.argument(operand), shapes.arrow("value", made)]))

    def applied(self, function: str, operand: Expr) -> Code:
        return shapes.atom(shapes.call(function, [self.argument(operand)]))

    def code(self, e: Expr) -> Code:
        match e:
            case ir.Arithmetics(domain=Domain.STRING):
                return shapes.atom(f"`{''.join(map(self.interpolated, joined_texts(e.operands)))}`")
            case ir.Arithmetics(domain=Domain.INT | Domain.LONG | Domain.DURATION) if len(e.operands) <= LONGEST:
                return self.integers(e)
            case ir.Logical():
                return self.logical(e)
            case ir.Call():
                return self.call(e)
            case _:
                return super().code(e)

    def logical(self, e: ir.Logical) -> Code:
        """Each operand where those before it have let it be read; `&&` inside `||` gets parentheses."""
        op, outer, found = self.LOGIC[e.op], self.known, tuple(flattened(e))
        if len(found) > _DEEPEST:
            return self.in_functions(e, found)
        binds = shapes.EQUALITY if op.binds == shapes.OR else op.binds + 1
        operands: list[str] = []
        for operand in found:
            operands.append(self.wrapped(self.condition(operand), binds))
            self.known = self.narrowing.given(operand, e.op is Logic.AND, self.known)
        self.known = outer
        return shapes.infix(op.text, op.binds, operands)

    def in_functions(self, e: ir.Logical, operands: tuple[Expr, ...]) -> Code:
        """Portions of a chain, each a function that is called when it is its turn."""
        name = self.need("src/domain/values/collections", "allOf" if e.op is Logic.AND else "anyOf")
        portions = (operands[at : at + _DEEPEST] for at in range(0, len(operands), _DEEPEST))
        parts = (self.logical(e.model_copy(update={"operands": portion})) for portion in portions)
        return shapes.atom(shapes.call(name, [shapes.listed(shapes.arrow("", part) for part in parts)]))

    def typed_list(self, e: Expr) -> Expr:
        """A list literal that nothing else gives a type is spelled with one."""
        match taken(e):
            case ir.Conditional(then=then, otherwise=otherwise) as choice if isinstance(e.type, ArrayType):
                typed = {"then": self.typed_list(then), "otherwise": self.typed_list(otherwise)}
                return choice.model_copy(update=typed)
            case ir.ListLiteral(type=ArrayType(of=element), items=items) if not items or isinstance(element, EnumType):
                name = f"Array.of<{Types(self.needs).text(element)}>"
                spelled = shapes.call(name, map(self.argument, items))
                self.scope[spelled] = spelled
                return ir.Local(type=e.type, name=spelled)
            case _:
                return e

    def call(self, given: ir.Call) -> Code:
        """What a table cannot say of built-in functions."""
        first, *others = given.arguments
        e = given.model_copy(update={"arguments": (self.typed_list(first), *others)})
        match e:
            case ir.Call(fn=Fn.MATCHES, arguments=(text, ir.Literal(text=pattern))):
                return self.applied(f"{javascript_regex(pattern)}.test", text)
            case ir.Call(fn=Fn.SORT_BY, arguments=(items, key, ir.Literal(text="true"))):
                return self.form(SORTED_DOWN, (items, key))
            case ir.Call(fn=Fn.SORT_BY, arguments=(items, key, _)):
                return self.form(self.function(e), (items, key))
            case ir.Call(fn=Fn.ANY, arguments=(items,)):
                return self.form(ANY_AT_ALL, (items,))
            case ir.Call(fn=Fn.DIV_TRUNC, arguments=(dividend, divisor)):
                return self.truncated(dividend, divisor, domain_of(e.type))
            case _:
                return super().code(e)

    def interpolated(self, e: Expr) -> str:
        if isinstance(e, ir.Literal):
            return spelling.template_text(e.text)
        if isinstance(e, ir.Convert) and domain_of(e.operand.type) in (Domain.INT, Domain.LONG, Domain.BOOL):
            e = e.operand
        return f"${{{self.argument(e)}}}"

    def anonymous(self, e: ir.Lambda) -> Code:
        hidden = self.scope.pop(e.parameter, None)
        parameter = spelling.local_name(e.parameter) if reads(e.body, e.parameter) else f"_{e.parameter}"
        # Without a type of its own the result of a literal would be any text, any object.
        needs_type = domain_of(e.type) is Domain.ENUM or isinstance(e.body, ir.Construct)
        returns = f": {Types(self.needs).text(e.type)}" if needs_type else ""
        code = shapes.arrow(parameter, self.code(e.body), returns)
        if hidden is not None:
            self.scope[e.parameter] = hidden
        return Code(code, shapes.ARROW)

    def fill(self, form: Form, operands: tuple[Code, ...]) -> str:
        """The pattern with its holes filled; an optional last argument may be absent."""
        return _HOLE.sub(lambda hole: self.filled(hole, operands), form.pattern)

    def filled(self, hole: re.Match[str], operands: tuple[Code, ...]) -> str:
        comma, place, is_receiver = hole.groups(default="")
        if int(place) >= len(operands):
            return ""
        return comma + (
            shapes.wrapped(operands[int(place)], ATOM) if is_receiver else shapes.text(operands[int(place)])
        )

    def called(self, e: ir.FunctionCall) -> Code:
        arguments = [self.argument(argument) for argument in e.arguments]
        match e.scope:
            case FunctionScope.AGGREGATE:
                receiver = self.this if e.receiver is None else self.inside(e.receiver, ATOM)
                return shapes.atom(shapes.call(f"{receiver}.{spelling.member_name(e.name)}", arguments))
            case FunctionScope.PART | FunctionScope.VALUE_OBJECT:
                assert e.receiver is not None and isinstance(e.receiver.type, PartType | ValueObjectType)
                name = self.owned(e.receiver.type, e.name)
                return shapes.atom(shapes.call(name, [self.argument(e.receiver), *arguments]))
            case FunctionScope.WORKFLOW:
                return shapes.atom(shapes.call(spelling.joined(e.owner.name, e.name), arguments))
            case FunctionScope.ROOT:
                name = self.need("src/domain/shared/functions", spelling.local_name(e.name))
                return shapes.atom(shapes.call(name, arguments))
        assert_never(e.scope)


# The formatter reads no text that nests deeper than 3,072, and to it each operator of a chain is one level.
_DEEPEST = 1000
_NUMBERS = (Domain.DECIMAL, Domain.MONEY)
_CHECKED = {
    Domain.INT: ("src/domain/values/integers", "int32"),
    Domain.LONG: ("src/domain/values/integers", "int64"),
    Domain.DURATION: ("src/domain/values/instants", "duration"),
}
_EQUALITIES = (Comparison.EQ, Comparison.NE)
_HOLE = re.compile(r"(, )?\{(\d+)(!?)\}")
