"""Expressions as TypeScript: tables for what data can say, methods for the rest.

In: IR expressions. Out: documents; `needs` collects `module:name` of what the file must import.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Self, assert_never

from loom.backends.node import spelling
from loom.backends.node.code.conversions import converted
from loom.backends.node.code.nodes import Leaf, flattened, is_literal, joined_texts, reads
from loom.backends.node.code.patterns import Pattern
from loom.backends.node.code.regex import javascript_regex
from loom.backends.node.code.tables import (
    ANY_AT_ALL,
    ARITHMETIC,
    CALL,
    COMPARE,
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
from loom.emit.layout import Doc, text_of
from loom.emit.renderer import ATOM, Code, Form, Op, Renderer, domain_of
from loom.ir import expressions as ir
from loom.ir.expressions import Arithmetic, Comparison, Domain, Expr, FieldKind, Fn, FunctionScope, Logic
from loom.ir.types import (
    AggregateType,
    ArrayType,
    EnumType,
    OptionalType,
    PartType,
    Ref,
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
    ELAPSED = ELAPSED
    INDENT = shapes.INDENT
    WIDTH = shapes.WIDTH

    def __init__(self, model: Model, this: str = "this", scope: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.needs: Needs = Needs(model.ids)
        self.model = model
        self.this = this
        self.scope = dict(scope or {})

    def at(self, this: str, scope: Mapping[str, str] | None = None) -> Self:
        """A renderer for another place of the same file."""
        other = type(self)(self.model, this, scope)
        other.needs = self.needs
        return other

    def need(self, module: str, name: str) -> str:
        return self.needs.value(module, name)

    def leaf(self, e: Leaf) -> Code:
        match e:
            case ir.Literal():
                return self.literal(e)
            case ir.Null():
                return shapes.atom("null")
            case ir.EnumLiteral():
                return shapes.atom(spelling.quoted(e.value))
            case ir.ListLiteral():
                return shapes.atom(shapes.listed([self.argument(item) for item in e.items]))
            case ir.This():
                return shapes.atom(self.this)
            case ir.Local():
                return shapes.atom(self.scope.get(e.name, spelling.local_name(e.name)))
            case ir.Now():
                return shapes.atom(f"{self.need('src/frame', 'now')}()")
            case _:
                return self.compound(e)

    def compound(
        self,
        e: ir.Field | ir.Negate | ir.Conditional | ir.Convert | ir.Lambda | ir.FunctionCall | ir.Construct,
    ) -> Code:
        match e:
            case ir.Field():
                return shapes.atom(self.field(e))
            case ir.Negate():
                return self.negate(e)
            case ir.Conditional():
                return self.conditional(e)
            case ir.Convert():
                return self.convert(e)
            case ir.Lambda():
                return self.arrow(e)
            case ir.FunctionCall():
                return self.function_call(e)
            case ir.Construct():
                return self.construct(e)
        assert_never(e)

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

    def field(self, e: ir.Field) -> Doc:
        receiver = self.inside(e.receiver, ATOM)
        match e.receiver.type:
            case AggregateType() if e.kind is FieldKind.DERIVED:
                return (receiver, f".{spelling.member_name(e.name)}")
            case AggregateType():
                return (receiver, f".state.{e.name}")
            case (PartType() | ValueObjectType()) as owner if e.kind is FieldKind.DERIVED:
                return (self.owned(owner, e.name), "(", self.argument(e.receiver), ")")
            case _:
                return (receiver, f".{e.name}")

    def owned(self, owner: PartType | ValueObjectType, name: str) -> str:
        """The function that stands for a member of a part or a value object."""
        match owner:
            case PartType(aggregate=aggregate, name=part):
                return self.need(spelling.domain_module(aggregate), spelling.joined(part, name))
            case ValueObjectType(ref=ref):
                return self.need(spelling.values_module(ref), spelling.joined(ref.name, name))
        assert_never(owner)

    def construct(self, e: ir.Construct) -> Code:
        items = [shapes.member(item.name, self.code(item.value)) for item in e.fields]
        match e.type:
            case PartType(aggregate=aggregate, name=name):
                new_id = self.need("src/domain/ids", "newId")
                given = {item.name for item in e.fields}
                empty = [
                    f"{item.name}: {'[]' if item.many else 'null'}"
                    for item in self.model.parts[aggregate, name].containments
                    if item.name not in given
                ]
                return shapes.atom(shapes.braces("{", [f"id: {new_id}()", *items, *empty]))
            case ValueObjectType(ref=ref):
                return shapes.atom(self.made(ref, shapes.braces("{", items)))
            case _:
                return shapes.atom(shapes.braces("{", items))

    def made(self, ref: Ref, literal: Doc) -> Doc:
        """A value object made of `literal`, its invariants checked when it has any."""
        if not self.model.value_objects[ref].invariants:
            return literal
        return (self.need(spelling.values_module(ref), spelling.joined("create", ref.name)), "(", literal, ")")

    def infix(self, op: Op, operands: tuple[Expr, ...]) -> Code:
        """Operators stand at the end of a line; a chain of `&&` inside `||` gets parentheses."""
        binds = shapes.EQUALITY if op.binds == shapes.OR else op.binds + 1
        return shapes.infix(op.text, op.binds, [self.inside(operand, binds) for operand in operands])

    def prefix(self, op: Op, operand: Expr) -> Code:
        return Code(shapes.negated(self.code(operand)), op.binds)

    def wrapped(self, code: Code, binds: int) -> Doc:
        if code.binds >= binds:
            return shapes.inline(code)
        is_receiver = binds == ATOM and code.binds == shapes.CONDITIONAL
        return shapes.receiver(code) if is_receiver else shapes.parenthesised(code)

    def argument(self, e: Expr) -> Doc:
        return shapes.inline(self.code(e))

    def all_of(self, operands: tuple[Code, ...]) -> list[Doc]:
        return [shapes.inline(operand) for operand in operands]

    def integers(self, e: ir.Arithmetics) -> Code:
        """Every step is checked, and so is every divisor."""
        name = self.need(*_CHECKED[e.domain])
        op = INTEGER_OPERATORS[e.op]
        first, *others = (self.code(operand) for operand in e.operands)
        for other in others:
            right = self.wrapped(other, op.binds + 1)
            if e.op is Arithmetic.REMAINDER:
                right = shapes.call(self.need("src/domain/values/integers", "nonZero"), [shapes.inline(other)])
            step = shapes.infix(op.text, op.binds, [self.wrapped(first, op.binds), right])
            first = shapes.atom(shapes.call(name, [shapes.inline(step)]))
        return first

    def truncated(self, dividend: Expr, divisor: Expr, domain: Domain) -> Code:
        """An integer quotient; that of longs is truncated by itself."""
        name = self.need(*_CHECKED[domain])
        non_zero = shapes.call(self.need("src/domain/values/integers", "nonZero"), [self.argument(divisor)])
        step = shapes.inline(shapes.infix("/", shapes.PRODUCT, [self.inside(dividend, shapes.PRODUCT), non_zero]))
        return shapes.atom(shapes.call(name, [step if domain is Domain.LONG else shapes.call("Math.trunc", [step])]))

    def negate(self, e: ir.Negate) -> Code:
        if isinstance(e.operand, ir.Literal) and e.domain in (Domain.INT, Domain.LONG):
            return shapes.atom(("-", self.code(e.operand).doc))
        is_negative = isinstance(e.operand, ir.Negate) and isinstance(e.operand.operand, ir.Literal)
        code = self.code(e.operand)
        operand = shapes.parenthesised(code) if is_negative or code.binds < ATOM else code.doc
        match e.domain:
            case Domain.INT | Domain.LONG | Domain.DURATION:
                return shapes.atom(shapes.call(self.need(*_CHECKED[e.domain]), [("-", operand)]))
            case _:
                return self.called(self.need("src/domain/values/decimals", "negated"), e.operand)

    def conditional(self, e: ir.Conditional) -> Code:
        if isinstance(e.condition, ir.Literal):
            return self.code(e.then if e.condition.text == "true" else e.otherwise)
        return shapes.choice(self.code(e.condition), self.code(e.then), self.code(e.otherwise))

    def compare(self, e: ir.Compare) -> Code:
        optional = isinstance(e.left.type, OptionalType) or isinstance(e.right.type, OptionalType)
        if optional and e.domain in _BY_REFERENCE:
            return self.form(DEEP_EQUAL if e.op is Comparison.EQ else DEEP_UNEQUAL, (e.left, e.right))
        spelled = self.COMPARE[e.op, e.domain]
        if is_literal(e.left) and is_literal(e.right) and e.op in _EQUALITIES:
            # The type checker refuses a comparison that can be decided by reading it.
            return shapes.atom("true" if (e.left == e.right) is (e.op is Comparison.EQ) else "false")
        if isinstance(spelled, Form) and isinstance(e.right, ir.Literal) and domain_of(e.right.type) in _NUMBERS:
            return Code(self.fill(spelled, (self.code(e.left), shapes.atom(f"'{e.right.text}'"))), spelled.binds)
        return self.spell(spelled, (e.left, e.right))

    def convert(self, e: ir.Convert) -> Code:
        return converted(self, e)

    def called(self, function: str, operand: Expr) -> Code:
        return shapes.atom(shapes.call(function, [self.argument(operand)]))

    def code(self, e: Expr) -> Code:
        match e:
            case ir.Arithmetics(domain=Domain.STRING):
                return shapes.atom(("`", *map(self.interpolated, joined_texts(e.operands)), "`"))
            case ir.Arithmetics(domain=Domain.INT | Domain.LONG | Domain.DURATION):
                return self.integers(e)
            case ir.Logical():
                return self.infix(self.LOGIC[e.op], tuple(flattened(e)))
            case ir.Call():
                return self.call(e)
            case _:
                return super().code(e)

    def typed_list(self, e: ir.Call) -> ir.Call:
        """A list literal that nothing else gives a type is spelled with one."""
        match e.arguments:
            case (ir.ListLiteral(type=ArrayType(of=element), items=items) as listed, *others) if (
                not items or isinstance(element, EnumType)
            ):
                name = f"Array.of<{Types(self.needs).text(element)}>"
                spelled = text_of(shapes.call(name, map(self.argument, items)), width=10**6)
                self.scope[spelled] = spelled
                return e.model_copy(update={"arguments": (ir.Local(type=listed.type, name=spelled), *others)})
            case _:
                return e

    def call(self, given: ir.Call) -> Code:
        """What a table cannot say of built-in functions."""
        e = self.typed_list(given)
        match e:
            case ir.Call(fn=Fn.MATCHES, arguments=(text, ir.Literal(text=pattern))):
                return self.called(f"{javascript_regex(pattern)}.test", text)
            case ir.Call(fn=Fn.SORT_BY, arguments=(items, key, ir.Literal(text="true"))):
                return self.form(SORTED_DOWN, (items, key))
            case ir.Call(fn=Fn.SORT_BY, arguments=(items, key, _)):
                return self.form(self.function(e), (items, key))
            case ir.Call(fn=Fn.ANY, arguments=(items,)):
                return self.form(ANY_AT_ALL, (items,))
            case ir.Call(fn=Fn.DIV_TRUNC, arguments=(dividend, divisor)):
                return self.truncated(dividend, divisor, domain_of(e.type))
            case ir.Call(arguments=(ir.Call() as inner, *_)) if self.is_method(e) and self.is_method(inner):
                return shapes.atom(self.method_chain(e))
            case _:
                return super().code(e)

    def is_method(self, e: Expr) -> bool:
        """Whether a call is spelled `receiver.name(…)`."""
        return isinstance(e, ir.Call) and e.fn is not Fn.MATCHES and bool(_METHOD.match(self.function(e).pattern))

    def method_chain(self, e: ir.Call) -> Doc:
        """Calls one after the other, which break as one."""
        links: list[Doc] = []
        receiver: Expr = e
        while isinstance(receiver, ir.Call) and self.is_method(receiver):
            form = self.function(receiver)
            operands = tuple(self.code(argument) for argument in receiver.arguments[1:])
            self.needs.update(form.needs)
            links.insert(0, self.fill(form._replace(pattern=form.pattern.removeprefix("{0!}")), (_NOTHING, *operands)))
            receiver = receiver.arguments[0]
        # Three calls, one of which takes a function, always take a line each.
        calls = len(links) + isinstance(receiver, ir.Call | ir.FunctionCall)
        is_long = calls > 2 and any(isinstance(link, shapes.Composed) for link in links)
        chain = shapes.chain(self.inside(receiver, ATOM), links, is_long=is_long)
        return shapes.Composed(chain) if isinstance(e.arguments[-1], ir.Lambda) else chain

    def interpolated(self, e: Expr) -> Doc:
        if isinstance(e, ir.Literal):
            return spelling.template_text(e.text)
        if isinstance(e, ir.Convert) and domain_of(e.operand.type) in (Domain.INT, Domain.LONG, Domain.BOOL):
            e = e.operand
        return "${" + text_of(self.argument(e), width=10**6) + "}"

    def arrow(self, e: ir.Lambda) -> Code:
        hidden = self.scope.pop(e.parameter, None)
        parameter = spelling.local_name(e.parameter) if reads(e.body, e.parameter) else f"_{e.parameter}"
        # Without a type of its own the result of a literal would be any text, any object.
        needs_type = domain_of(e.type) is Domain.ENUM or isinstance(e.body, ir.Construct)
        returns = f": {Types(self.needs).text(e.type)}" if needs_type else ""
        code = shapes.arrow(parameter, self.code(e.body), returns)
        if hidden is not None:
            self.scope[e.parameter] = hidden
        return Code(code, shapes.ARROW)

    def form(self, form: Form, operands: tuple[Expr, ...]) -> Code:
        """A form may end in an operator, and is then laid out like one."""
        if split := _OPERATOR.match(form.pattern):
            self.needs.update(form.needs)
            codes = tuple(map(self.code, operands))
            return shapes.infix(split[2], form.binds, [self.fill(Form(side), codes) for side in (split[1], split[3])])
        code = super().form(form, operands)
        is_chain = shapes.COALESCE <= code.binds <= shapes.PRODUCT
        return Code(shapes.Infix(code.doc, ()), code.binds) if is_chain else code

    def fill(self, form: Form, operands: tuple[Code, ...]) -> Doc:
        """A lambda as the last argument keeps its call on the line."""
        if operands and operands[-1].binds == shapes.ARROW:
            return self.fill_with_arrow(form.pattern, operands)
        laid_out = tuple(Code(shapes.inline(operand), operand.binds) for operand in operands)
        return Pattern(self, laid_out).sequence(form.pattern)[0]

    def fill_with_arrow(self, pattern: str, operands: tuple[Code, ...]) -> Doc:
        """A pattern that ends in a function, whose own hole is the last one."""
        function, _, listed = pattern.rpartition("(")
        head = tuple(self.pieces(function, operands))
        before = operands[:-1] if listed.startswith("{0}, ") else ()
        laid_out = [shapes.inline(operand) for operand in before]
        if any(isinstance(doc, shapes.Composed) for doc in laid_out):
            return (head, shapes.spread_list([*laid_out, operands[-1].doc]))
        return shapes.Composed(shapes.with_arrow(head, laid_out, operands[-1].doc))

    def function_call(self, e: ir.FunctionCall) -> Code:
        arguments = [self.argument(argument) for argument in e.arguments]
        match e.scope:
            case FunctionScope.AGGREGATE:
                receiver = self.this if e.receiver is None else self.inside(e.receiver, ATOM)
                return shapes.atom(shapes.call((receiver, f".{spelling.member_name(e.name)}"), arguments))
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


_NUMBERS = (Domain.DECIMAL, Domain.MONEY)
_CHECKED = {
    Domain.INT: ("src/domain/values/integers", "int32"),
    Domain.LONG: ("src/domain/values/integers", "int64"),
    Domain.DURATION: ("src/domain/values/instants", "duration"),
}
_EQUALITIES = (Comparison.EQ, Comparison.NE)
_OPERATOR = re.compile(r"(\S.*?) ([=!]==|[<>]=?|\?\?) (\S+)$")
_METHOD = re.compile(r"\{0!\}\.\w+\(.*\)$")
_NOTHING = Code((), ATOM)
