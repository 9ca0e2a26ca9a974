"""Expressions of the model as Python.

In: IR expressions. Out: shapes, and `needs`.
Never: a semantic decision; functions whose meaning Python lacks are in `static/app/values`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.narrowing import PythonNarrowing
from loom.backends.python.code.regex import python_pattern
from loom.backends.python.code.tables import ARITHMETIC, CALL, COMPARE, COMPARE_NONE, CONVERT, IN_ORDER, LOGIC, NOT_IN
from loom.backends.python.text import shapes
from loom.backends.python.text.patterns import filled, or_none
from loom.backends.python.text.shapes import (
    COMPARISON,
    CONDITIONAL,
    NOT,
    OR,
    SUM,
    UNARY,
    behind,
    keyword,
    member,
    quoted,
)
from loom.emit.index import ServiceIndex
from loom.emit.layout import Doc
from loom.emit.narrowing import Known
from loom.emit.renderer import ATOM, LONGEST, Code, Form, Op, Renderer, step_of
from loom.ir.expressions import (
    Arithmetics,
    Call,
    Compare,
    Comparison,
    Conditional,
    Construct,
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
    Logic,
    Logical,
    Negate,
    Not,
    Null,
)
from loom.ir.types import (
    EnumType,
    EventType,
    IdType,
    OptionalType,
    PartType,
    RecordType,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
    bare,
)
from loom.plan.code.refusable import order_matters

_EQUALITIES = (Comparison.EQ, Comparison.NE)
_FLIPPED = {
    Comparison.EQ: Comparison.NE,
    Comparison.NE: Comparison.EQ,
    Comparison.LT: Comparison.GE,
    Comparison.LE: Comparison.GT,
    Comparison.GT: Comparison.LE,
    Comparison.GE: Comparison.LT,
}


class PythonRenderer(Renderer):
    """`this` is the name of the instance whose members are read; `needs` collects what the module imports."""

    ARITHMETIC = ARITHMETIC
    COMPARE = COMPARE
    LOGIC = LOGIC
    NOT = Op("not ", NOT)
    CALL = CALL
    CONVERT = CONVERT
    ELAPSED = Form("{0!} - {1!}", (), SUM)

    def __init__(self, index: ServiceIndex, needs: set[str] | None = None, this: str = "self") -> None:
        super().__init__()
        self.needs = set() if needs is None else needs
        self.index = index
        self.this = this
        self.locals: dict[str, str] = {}
        self.narrowing = PythonNarrowing(index.enums, self.line)
        self.known: Known = {}

    def line(self, e: Expr) -> str:
        """`e` as a value that ends a statement or stands in brackets."""
        return text(self.code(e).doc)

    def operand(self, e: Expr, binds: int = COMPARISON + 1) -> str:
        """`e` beside an operator, a comparison unless `binds` says how tight another is."""
        return text(self.inside(e, binds))

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
            return Code(filled(COMPARE_NONE[e.op], self.operand(operand)), COMPARISON)
        if e.op in _EQUALITIES and self.narrowing.is_decided(e, self.known):
            return self.decided(e)
        return super().compare(e)

    def decided(self, e: Compare) -> Code:
        """A comparison that mypy refuses: one side, none that may be null if there is another, is any value again."""
        if self.narrowing.refused is not None:
            self.narrowing.refused.add((e.left, e.right))
        by_preference = sorted((e.left, e.right), key=lambda side: (is_optional(side), isinstance(side, EnumLiteral)))
        left, right = (
            text(self.wrapped(self.widened(side), COMPARISON + 1)) if side is by_preference[0] else self.operand(side)
            for side in (e.left, e.right)
        )
        return Code(shapes.Operators([("", left), (f"{e.op.value} ", right)], COMPARISON), COMPARISON)

    def widened(self, e: Expr) -> Code:
        """A value of an enum as one that mypy takes for any of them."""
        kind = bare(e.type)
        assert isinstance(kind, EnumType)
        code = self.code(e)
        whole = shapes.Call(types.enum(kind.ref, self.needs), [text(code.doc)])
        if not is_optional(e):
            return Code(whole, ATOM)
        return Code(or_none(text(self.wrapped(code, COMPARISON + 1)), whole), CONDITIONAL)

    def kept(self, e: Expr) -> str:
        """`e` where it gives something its type: that is not what is known of it here."""
        return text(self.widened(e).doc) if self.narrowing.has_lost_values(e, self.known) else self.line(e)

    def spell_lambda(self, e: Call) -> Code:
        """Collection functions that take a lambda: comprehensions and generators."""
        receiver, function, *rest = e.arguments
        if not isinstance(function, Lambda):
            return self.spell(self.function(e), e.arguments)
        form = self.function(e)
        self.needs.update(form.needs)
        holes = [self.operand(receiver, OR), spelling.local_name(function.parameter)]
        holes += self.body(function, CONDITIONAL, OR)
        return Code(filled(form.pattern, *holes, *map(self.line, rest)), form.binds)

    def body(self, e: Lambda, *binds: int) -> list[str]:
        """What a lambda gives, beside operators that bind so tight; its parameter hides what has the same name."""
        outer = self.known
        self.known = self.narrowing.assigned(spelling.local_name(e.parameter), None, outer)
        code = self.code(e.body)
        self.known = outer
        return [text(self.wrapped(code, each)) for each in binds]

    def logical(self, e: Logical) -> Code:
        """Each operand where those before it have let it be read."""
        op, outer, operands = self.LOGIC[e.op], self.known, list[str]()
        for before, operand in zip((None, *e.operands), e.operands, strict=False):
            if before is not None:
                self.known = self.narrowing.given(before, e.op is Logic.AND, self.known)
            operands.append(self.operand(operand, op.binds + bool(operands)))
        self.known = outer
        first, *rest = operands
        return Code(shapes.Operators([("", first), *[(f"{op.text} ", each) for each in rest]], op.binds), op.binds)

    def infix(self, op: Op, operands: tuple[Expr, ...]) -> Code:
        first = self.operand(operands[0], op.binds if op.chains else op.binds + 1)
        rest = [(f"{op.text} ", self.operand(each, op.binds + 1)) for each in operands[1:]]
        return Code(shapes.Operators([("", first), *rest], op.binds), op.binds)

    def prefix(self, op: Op, operand: Expr) -> Code:
        return Code(shapes.Operators([(op.text, self.operand(operand, op.binds))], op.binds), op.binds)

    def fill(self, form: Form, operands: tuple[Code, ...]) -> str:
        pattern, receivers = _pattern(form.pattern, len(operands))
        codes = enumerate(operands)
        return filled(pattern, *[text(self.wrapped(code, ATOM * (at in receivers))) for at, code in codes])

    def wrapped(self, code: Code, binds: int) -> Doc:
        return code.doc if code.binds >= binds else shapes.Parenthesized("", [text(code.doc)])

    def code(self, e: Expr) -> Code:
        match e:
            case Logical() if len(e.operands) <= LONGEST:
                return self.logical(e)
            case Call(fn=Fn.MATCHES):
                return self.matches(e)
            case Call(fn=Fn.ANY, arguments=(collection,)):
                return Code(filled("bool({})", self.line(collection)), ATOM)
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
                return self.code(opposite(e))
            case Call(fn=Fn.CONTAINS | Fn.STRING_CONTAINS) if not order_matters(e.arguments):
                return self.form(NOT_IN, e.arguments)
            case Call(fn=Fn.MATCHES):
                return self.matches(e, "is")
            case Call(fn=Fn.ANY, arguments=(collection,)):
                return self.prefix(self.NOT, collection)
            case _:
                return None

    def matches(self, e: Call, test: str = "is not") -> Code:
        self.needs.add("re")
        subject, pattern = e.arguments
        assert isinstance(pattern, Literal)
        expression = quoted(python_pattern(pattern.text))
        search = f"re.search({{}}, {{}}, re.ASCII) {test} None"
        return Code(filled(search, expression, self.line(subject)), COMPARISON)

    def variable(self, e: Local) -> Code:
        return Code(self.local(e.name), ATOM)

    def local(self, name: str) -> str:
        return self.locals.get(name) or spelling.local_name(name)

    def instance(self) -> Code:
        return Code(self.this, ATOM)

    def null(self) -> Code:
        return Code("None", ATOM)

    def enum_value(self, e: EnumLiteral) -> Code:
        assert isinstance(e.type, EnumType)
        return Code(f"{types.enum(e.type.ref, self.needs)}.{spelling.constant_name(e.value)}", ATOM)

    def listed(self, e: ListLiteral) -> Code:
        return Code(shapes.Brackets("", map(self.kept, e.items), "[]"), ATOM)

    def now(self) -> Code:
        self.needs.add("app.request_frame:now")
        return Code("now()", ATOM)

    def literal(self, e: Literal) -> Code:
        kind = e.type.kind if isinstance(e.type, Scalar) else ScalarKind.STRING
        match kind:
            case ScalarKind.INT | ScalarKind.LONG:
                return Code(e.text, ATOM if not e.text.startswith("-") else UNARY)
            case ScalarKind.DECIMAL | ScalarKind.MONEY:
                self.needs.add("decimal:Decimal")
                return Code(shapes.Call("Decimal", [f'"{e.text}"']), ATOM)
            case ScalarKind.BOOL:
                return Code(e.text.capitalize(), ATOM)
            case _:
                return Code(quoted(e.text), ATOM)

    def member(self, e: Field) -> Code:
        return Code(self.field(e), ATOM)

    def field(self, e: Field) -> str:
        is_own = e.kind in (FieldKind.ID, FieldKind.VERSION)
        return member(self.operand(e.receiver, ATOM), e.kind.value if is_own else spelling.member_name(e.name))

    def negate(self, e: Negate) -> Code:
        match e:
            case Negate(domain=Domain.INT | Domain.LONG as domain, operand=operand):
                checked = "integers.int32(-{})" if domain is Domain.INT else "integers.int64(-{})"
                self.needs.add("app.values:integers")
                return Code(filled(checked, self.operand(operand, UNARY)), ATOM)
            case Negate(domain=Domain.DECIMAL | Domain.MONEY, operand=operand):
                self.needs.add("app.values:decimals")
                return Code(filled("decimals.negated({})", self.line(operand)), ATOM)
            case _:
                return self.prefix(Op("-", UNARY), e.operand)

    def folded(self, e: Arithmetics) -> Code:
        self.needs.add("app.values:sequences")
        step = PythonRenderer(self.index, self.needs).line(step_of(e))
        first, *rest = map(self.line, e.operands)
        later = [shapes.Lambda("lambda: ", operand) for operand in rest]
        return Code(shapes.Call("sequences.folded", [shapes.Lambda("lambda left, right: ", step), first, *later]), ATOM)

    def conditional(self, e: Conditional) -> Code:
        condition, outer = self.operand(e.condition, OR), self.known
        self.known = self.narrowing.given(e.condition, True, outer)
        then = self.operand(e.then, OR)
        self.known = self.narrowing.given(e.condition, False, outer)
        otherwise = self.operand(e.otherwise, CONDITIONAL)
        self.known = outer
        return Code(filled("{} if {} else {}", then, condition, otherwise), CONDITIONAL)

    def convert_present(self, operand: Expr, inner: Type, form: Form) -> Code:
        value = self.line(operand)
        return Code(or_none(value, text(self.form(form, (operand,)).doc)), CONDITIONAL)

    def anonymous(self, e: Lambda) -> Code:
        (body,) = self.body(e, 0)
        return Code(shapes.Lambda(f"lambda {spelling.local_name(e.parameter)}: ", body), CONDITIONAL)

    def called(self, e: FunctionCall) -> Code:
        return Code(shapes.Call(self.function_called(e), map(self.line, e.arguments)), ATOM)

    def built(self, e: Construct) -> Code:
        return Code(self.constructed(e), ATOM)

    def function_called(self, e: FunctionCall) -> str:
        if e.receiver is not None:
            return member(self.operand(e.receiver, ATOM), spelling.member_name(e.name))
        if e.scope is FunctionScope.ROOT:
            self.needs.add(f"app.domain.{spelling.SHARED}:functions")
            return f"functions.{spelling.function_name(e.name)}"
        return workflow_function(e.owner.name, e.name)

    def constructed(self, e: Construct) -> str:
        values = self.members(e.fields)
        match e.type:
            case ValueObjectType(ref=ref):
                create = ".create" * bool(self.index.value_objects[ref].invariants)
                return shapes.Call(f"{types.value_object(ref, self.needs)}{create}", values)
            case PartType():
                own_id = behind("id=", new_id(IdType(aggregate=e.type.aggregate, part=e.type.name), self.needs))
                return shapes.Call(types.part(e.type.aggregate, e.type.name, self.needs), [own_id, *values])
            case EventType(ref=ref):
                return shapes.Call(types.event(ref, self.needs), values)
            case RecordType(ref=ref):
                return shapes.Call(types.record(ref, self.needs), values)
        raise TypeError(f"{type(e.type).__name__} is not built from fields")

    def members(self, fields: Iterable[FieldValue], spelled: Callable[[str], str] = spelling.member_name) -> list[str]:
        """Arguments that give values to members."""
        return [keyword(spelled(item.name), self.line(item.value)) for item in fields]


def opposite(e: Compare) -> Compare:
    """What holds where the comparison does not."""
    return e.model_copy(update={"op": _FLIPPED[e.op]})


def is_optional(e: Expr) -> bool:
    return isinstance(e.type, OptionalType)


def new_id(kind: IdType, needs: set[str]) -> str:
    """The id of a new entity."""
    needs.add("app.identifiers:new_id")
    return filled("{}(new_id())", types.identifier(kind, needs))


def workflow_function(workflow: str, name: str) -> str:
    return spelling.function_name(f"{workflow}_{name}")


def text(doc: Doc) -> str:
    """The document of a code of this language, which is always a text or a shape."""
    assert isinstance(doc, str)
    return doc


@lru_cache(1 << 8)
def _pattern(pattern: str, count: int) -> tuple[str, frozenset[int]]:
    """The pattern for `count` operands, and those of them that a postfix follows."""
    every = ", ".join(f"{{{number}}}" for number in range(count))
    receivers = frozenset(map(int, re.findall(r"\{(\d+)!\}", pattern)))
    return pattern.replace("{*}", every).replace("!}", "}"), receivers
