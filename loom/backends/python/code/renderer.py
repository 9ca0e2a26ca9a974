"""Expressions of the model as Python.

In: IR expressions. Out: flat text of one line (`formatting.py` breaks what is too long), and `needs`.
Never: a semantic decision; functions whose meaning Python lacks are in `static/app/values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.order import order_matters
from loom.backends.python.code.regex import python_pattern
from loom.backends.python.code.tables import (
    ARITHMETIC,
    CALL,
    COMPARE,
    COMPARE_NONE,
    COMPARISON,
    CONDITIONAL,
    IN_ORDER,
    LOGIC,
    NOT,
    NOT_IN,
    OR,
    SUM,
    UNARY,
)
from loom.backends.python.index import Index
from loom.backends.python.text.formatting import quoted
from loom.emit.layout import Doc, Either, Group, IfBroken, Indent, Line
from loom.emit.renderer import ATOM, Code, Form, Op, Renderer
from loom.ir.expressions import (
    Call,
    Compare,
    Comparison,
    Conditional,
    Construct,
    Convert,
    Domain,
    EnumLiteral,
    Expr,
    Field,
    FieldKind,
    FieldValue,
    Fn,
    FunctionCall,
    FunctionScope,
    Lambda,
    ListLiteral,
    Literal,
    Local,
    Negate,
    Not,
    Now,
    Null,
    This,
)
from loom.ir.types import (
    EnumType,
    EventType,
    IdType,
    PartType,
    RecordType,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
)

_FLIPPED = {
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
}


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
    | Convert
    | Lambda
    | FunctionCall
    | Construct
    | Now
)


class PythonRenderer(Renderer):
    """`this` is the name of the instance whose members are read."""

    ARITHMETIC = ARITHMETIC
    COMPARE = COMPARE
    LOGIC = LOGIC
    NOT = Op("not ", NOT)
    CALL = CALL
    ELAPSED = Form("{0!} - {1!}", (), SUM)

    def __init__(self, index: Index, this: str = "self") -> None:
        super().__init__()
        self.index = index
        self.this = this
        self.locals: dict[str, str] = {}

    def line(self, e: Expr) -> str:
        """`e` as one line, however long."""
        return flat(self.code(e).doc)

    def inside_text(self, e: Expr) -> str:
        """`e` as the operand of a comparison."""
        return flat(self.inside(e, COMPARISON + 1))

    def negated(self, e: Expr) -> str:
        """The opposite of `e`."""
        match e:
            case Not(operand=operand):
                return self.line(operand)
            case _:
                return self.line(Not(type=e.type, operand=e))

    def compare(self, e: Compare) -> Code:
        if isinstance(e.left, Null) or isinstance(e.right, Null):
            operand = e.right if isinstance(e.left, Null) else e.left
            return Code((self.inside(operand, COMPARISON + 1), COMPARE_NONE[e.op]), COMPARISON)
        return super().compare(e)

    def spell_lambda(self, e: Call) -> Code:
        """Collection functions that take a lambda: comprehensions and generators."""
        receiver, function, *rest = e.arguments
        if not isinstance(function, Lambda):
            return self.spell(self.function(e), e.arguments)
        form = self.function(e)
        self.needs.update(form.needs)
        name = spelling.local_name(function.parameter)
        holes = {
            "xs": flat(self.inside(receiver, OR)),
            "x": name,
            "value": flat(self.inside(function.body, CONDITIONAL)),
            "test": flat(self.inside(function.body, OR)),
            "rest": self.line(rest[0]) if rest else "",
        }
        return Code(form.pattern.format(**holes), form.binds)

    def code(self, e: Expr) -> Code:
        match e:
            case Call(fn=Fn.MATCHES):
                return self.matches(e)
            case Call(fn=Fn.ANY, arguments=(collection,)):
                return Code(f"bool({self.line(collection)})", ATOM)
            case Call(arguments=(_, Lambda(), *_)):
                return self.spell_lambda(e)
            case Call(fn=fn, arguments=operands) if fn in IN_ORDER and order_matters(operands):
                return self.form(IN_ORDER[fn], operands)
            case Not(operand=Compare() | Call() as operand):
                return self.opposite(operand) or super().code(e)
            case _:
                return super().code(e)

    def opposite(self, e: Compare | Call) -> Code | None:
        """The negation of what has a spelling for it."""
        match e:
            case Compare():
                return self.code(e.model_copy(update={"op": _FLIPPED[e.op]}))
            case Call(fn=Fn.CONTAINS | Fn.STRING_CONTAINS) if not order_matters(e.arguments):
                return self.form(NOT_IN, e.arguments)
            case Call(fn=Fn.MATCHES):
                found = flat(self.matches(e).doc)
                return Code(f"{found.removesuffix('is not None')}is None", COMPARISON)
            case Call(fn=Fn.ANY, arguments=(collection,)):
                return self.prefix(self.NOT, collection)
            case _:
                return None

    def matches(self, e: Call) -> Code:
        self.needs.add("re")
        text, pattern = e.arguments
        assert isinstance(pattern, Literal)
        expression = quoted(python_pattern(pattern.text))
        return Code(f"re.search({expression}, {self.line(text)}, re.ASCII) is not None", COMPARISON)

    def leaf(self, e: Leaf) -> Code:
        match e:
            case Literal():
                return self.literal(e)
            case This():
                return Code(self.this, ATOM)
            case Local(name=name):
                return Code(self.local(name), ATOM)
            case Field():
                return Code(self.field(e), ATOM)
            case Negate() | Conditional() | Convert():
                return self.changed(e)
            case Null() | EnumLiteral() | ListLiteral() | Now():
                return Code(self.constant(e), ATOM)
            case Lambda() | FunctionCall() | Construct():
                return self.built(e)
        assert_never(e)

    def local(self, name: str) -> str:
        return self.locals.get(name) or spelling.local_name(name)

    def constant(self, e: Null | EnumLiteral | ListLiteral | Now) -> str:
        match e:
            case Null():
                return "None"
            case EnumLiteral(type=EnumType(ref=ref), value=value):
                return f"{types.enum(ref, self.needs)}.{spelling.constant_name(value)}"
            case EnumLiteral(value=value):
                raise TypeError(f"{value} is of no enum")
            case ListLiteral(items=items):
                return f"[{', '.join(map(self.line, items))}]"
            case Now():
                self.needs.add("app.request_frame:now")
                return "now()"
        assert_never(e)

    def literal(self, e: Literal) -> Code:
        kind = e.type.kind if isinstance(e.type, Scalar) else ScalarKind.STRING
        match kind:
            case ScalarKind.INT | ScalarKind.LONG:
                return Code(e.text, ATOM if not e.text.startswith("-") else UNARY)
            case ScalarKind.DECIMAL | ScalarKind.MONEY:
                self.needs.add("decimal:Decimal")
                return Code(f'Decimal("{e.text}")', ATOM)
            case ScalarKind.BOOL:
                return Code(e.text.capitalize(), ATOM)
            case _:
                return Code(quoted(e.text), ATOM)

    def field(self, e: Field) -> str:
        receiver = flat(self.inside(e.receiver, ATOM))
        if e.kind in (FieldKind.ID, FieldKind.VERSION):
            return f"{receiver}.{e.kind.value}"
        return f"{receiver}.{spelling.member_name(e.name)}"

    def changed(self, e: Negate | Conditional | Convert) -> Code:
        match e:
            case Negate(domain=Domain.INT | Domain.LONG as domain, operand=operand):
                bits = "int32" if domain is Domain.INT else "int64"
                self.needs.add("app.values:integers")
                return Code(f"integers.{bits}(-{flat(self.inside(operand, UNARY))})", ATOM)
            case Negate(domain=Domain.DECIMAL | Domain.MONEY, operand=operand):
                self.needs.add("app.values:decimals")
                return Code(f"decimals.negated({self.line(operand)})", ATOM)
            case Negate(operand=operand):
                return Code(f"-{flat(self.inside(operand, UNARY))}", UNARY)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                first, test = self.inside(then, OR), self.inside(condition, OR)
                last = self.inside(otherwise, CONDITIONAL)
                return Code((first, " if ", test, " else ", last), CONDITIONAL)
            case Convert(type=type_, operand=operand):
                return self.converted(type_, operand)
        assert_never(e)

    def converted(self, target: Type, operand: Expr) -> Code:
        pattern, needs = conversion(target, operand.type)
        self.needs.update(needs)
        if pattern == "{0}":
            return self.code(operand)
        return Code(pattern.format(self.line(operand)), ATOM)

    def built(self, e: Lambda | FunctionCall | Construct) -> Code:
        match e:
            case Lambda(parameter=parameter, body=body):
                return Code(f"lambda {spelling.local_name(parameter)}: {self.line(body)}", CONDITIONAL)
            case FunctionCall():
                return Code(self.called(e), ATOM)
            case Construct():
                return Code(self.constructed(e), ATOM)
        assert_never(e)

    def called(self, e: FunctionCall) -> str:
        arguments = ", ".join(self.line(argument) for argument in e.arguments)
        if e.receiver is not None:
            return f"{flat(self.inside(e.receiver, ATOM))}.{spelling.member_name(e.name)}({arguments})"
        if e.scope is FunctionScope.ROOT:
            self.needs.add(f"app.domain.{spelling.SHARED}:functions")
            return f"functions.{spelling.function_name(e.name)}({arguments})"
        return f"{workflow_function(e.owner.name, e.name)}({arguments})"

    def constructed(self, e: Construct) -> str:
        values = [f"{spelling.member_name(item.name)}={self.line(item.value)}" for item in e.fields]
        fields = ", ".join(values)
        match e.type:
            case ValueObjectType(ref=ref):
                create = ".create" * self.index.is_checked(ref)
                return f"{types.value_object(ref, self.needs)}{create}({fields})"
            case PartType():
                return self.part(e.type, e.fields, values)
            case EventType(ref=ref):
                return f"{types.event(ref, self.needs)}({fields})"
            case RecordType(ref=ref):
                return f"{types.record(ref, self.needs)}({fields})"
        raise TypeError(f"{type(e.type).__name__} is not built from fields")

    def part(self, type_: PartType, given: Sequence[FieldValue], fields: Sequence[str]) -> str:
        """A part under a new id, with nothing in it that is not given."""
        names = {item.name for item in given}
        plan = self.index.parts[type_.aggregate, type_.name]
        absent = [item for item in plan.containments if item.name not in names]
        identifier = types.identifier(IdType(aggregate=type_.aggregate, part=type_.name), self.needs)
        self.needs.add("app.identifiers:new_id")
        name = types.part(type_.aggregate, type_.name, self.needs)
        values = [f"id={identifier}(new_id())", *fields]
        values += [f"{spelling.member_name(item.name)}={'[]' if item.many else 'None'}" for item in absent]
        return f"{name}({', '.join(values)})"


def workflow_function(workflow: str, name: str) -> str:
    return spelling.function_name(f"{workflow}_{name}")


def flat(doc: Doc) -> str:
    """`doc` on one line, however long."""
    match doc:
        case str():
            return doc
        case tuple():
            return "".join(map(flat, doc))
        case Group(doc=inner) | Indent(doc=inner):
            return flat(inner)
        case Line() | IfBroken():
            return doc.flat if isinstance(doc.flat, str) else flat(doc.flat)
        case Either(first=first):
            return flat(first)
    assert_never(doc)


def conversion(target: Type, source: Type) -> tuple[str, tuple[str, ...]]:
    """A pattern around the operand, and what it needs."""
    to = target.kind if isinstance(target, Scalar) else None
    of = source.kind if isinstance(source, Scalar) else None
    match to, of:
        case ScalarKind.DECIMAL | ScalarKind.MONEY, ScalarKind.INT | ScalarKind.LONG:
            return "Decimal({0})", ("decimal:Decimal",)
        case ScalarKind.STRING, ScalarKind.INT | ScalarKind.LONG:
            return "str({0})", ()
        case ScalarKind.STRING, ScalarKind.DECIMAL:
            return "decimals.decimal_text({0})", ("app.values:decimals",)
        case ScalarKind.STRING, ScalarKind.MONEY:
            return "decimals.money_text({0})", ("app.values:decimals",)
        case ScalarKind.STRING, ScalarKind.BOOL:
            return "texts.bool_text({0})", ("app.values:texts",)
        case ScalarKind.STRING, None if isinstance(source, EnumType):
            return "str({0})", ()
        case _:  # widening of integers, ids and guids as text: the same value
            return "{0}", ()
