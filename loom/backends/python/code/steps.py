"""Steps of bodies as lines of Python.

In: Plan steps, in the Plan's order. Out: statements, each on one line.
Never: another order, another text, a save that the Plan does not name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.text.blocks import block, loop
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import Call, keyword, member, quoted
from loom.backends.python.text.statements import Statement
from loom.base import numbered
from loom.emit.narrowing import NOWHERE, either, taken
from loom.ir.expressions import Compare, Comparison, Domain, Expr, ListLiteral, Local, Null
from loom.ir.statements import (
    Append,
    Assign,
    CreateInstance,
    Emit,
    Invoke,
    Let,
    Load,
    NotFound,
    Read,
    Remove,
    Return,
)
from loom.ir.types import BOOL, AggregateType, ArrayType, OptionalType, PartType, Type, ValueObjectType, bare
from loom.plan.code.walk import mentions
from loom.plan.model import GatePlan, InvariantPlan
from loom.plan.steps import (
    Authorize,
    CheckRules,
    DeleteStep,
    ExpectCompared,
    ExpectRefused,
    ForEachStep,
    Guard,
    IfPresentStep,
    IfStep,
    Save,
    Step,
    Track,
)


class Steps:
    """Bodies of domain classes and functions."""

    def __init__(self, renderer: PythonRenderer, fields: Mapping[str, Type]) -> None:
        """`fields` are those of the instance whose body it is."""
        self.renderer = renderer
        self.needs = renderer.needs
        self.fields = fields
        self.bound: dict[str, Type | None] = {}
        self.renderer.known = {}

    def lines(self, steps: Iterable[Step]) -> list[str]:
        return [line for step in steps for line in self.step(step)]

    def step(self, step: Step) -> Iterable[str]:
        match step:
            case Let() | Guard() | Authorize() | CheckRules() | Return():
                return self.plain(step)
            case ForEachStep() | IfStep() | IfPresentStep():
                return self.nested(step)
            case Assign() | Append() | Remove() | Emit() | Invoke():
                return self.change(step)
            case Load() | CreateInstance() | Save() | Track() | DeleteStep() | NotFound():
                return self.stored(step)
            case ExpectCompared() | ExpectRefused():
                return self.expected(step)
        assert_never(step)

    def plain(self, step: Let | Guard | Authorize | CheckRules | Return) -> list[str]:
        match step:
            case Let(name=name, value=value):
                text, variable = self.renderer.kept(value), self.bind(name, value.type, value)
                if taken(value) == ListLiteral(type=value.type, items=()):
                    return [Statement(f"{variable}: ", types.annotation(value.type, self.needs), " = ", text)]
                return [Statement(f"{variable} = ", text)]
            case Guard(condition=condition, detail=detail):
                return self.refuse(condition, "DomainError", detail)
            case Authorize(condition=condition, detail=detail):
                return self.refuse(condition, "ForbiddenError", detail)
            case CheckRules():
                return [f"{self.renderer.this}.check_invariants()"]
            case Return(value=value):
                text = self.text(value)
                self.renderer.known = NOWHERE
                return [Statement("return ", text)]
        assert_never(step)

    def text(self, e: Expr) -> str:
        return self.renderer.line(e)

    def refuse(self, condition: Expr, error: str, detail: str) -> list[str]:
        """Raises `error` unless the condition holds."""
        test = Statement("if ", self.renderer.negated(condition), after=":")
        self.renderer.known = self.renderer.narrowing.given(condition, True, self.renderer.known)
        return [test, *block([raised(error, detail, self.needs)])]

    def refusals(self, rules: Iterable[GatePlan | InvariantPlan], error: str) -> list[str]:
        return [line for item in rules for line in self.refuse(item.condition, error, item.detail)]

    def nested(self, step: ForEachStep | IfStep | IfPresentStep) -> Iterable[str]:
        match step:
            case ForEachStep(name=name, source=source, read=read, body=body):
                items = self.source(source, read)
                variable = self.bind(name, _element(source, read))
                lines = block(self.repeated(body))
                yield loop(variable if mentions(body, name) else f"_{variable.rstrip('_')}", items)
                yield from lines
            case IfStep(condition=condition, then=then, otherwise=otherwise):
                yield Statement("if ", self.text(condition), after=":")
                yield from self.branches(condition, then, otherwise)
            case IfPresentStep(name=name, source=source, read=read, then=then, otherwise=otherwise):
                value = self.source(source, read)
                kind = _optional(source, read)
                variable = self.bind(name, kind, source)
                yield Statement(f"{variable} = ", value)
                yield Statement("if ", filled("{} is not None", variable), after=":")
                yield from self.branches(_is_there(name, kind), then, otherwise)

    def scoped(self, steps: Iterable[Step]) -> list[str]:
        """A block of its own: what it binds is not seen after it."""
        outer = self.renderer.locals
        self.renderer.locals = dict(outer)
        lines = self.lines(steps)
        self.renderer.locals = outer
        return lines

    def repeated(self, steps: Iterable[Step]) -> list[str]:
        """A block that may run again: what its end leaves is known at its beginning too."""
        body, needs, head, narrowing = tuple(steps), set(self.needs), self.renderer.known, self.renderer.narrowing
        is_outermost = narrowing.refused is None
        refused = narrowing.refused = set() if narrowing.refused is None else narrowing.refused
        is_settled = False
        while not is_settled:
            before, count = head, len(refused)
            self.needs.intersection_update(needs)
            self.renderer.known = before
            lines = self.scoped(body)
            head = either(before, self.renderer.known)
            is_settled = head == before and len(refused) == count
        self.renderer.known = head
        narrowing.refused = None if is_outermost else refused
        return lines

    def bind(self, name: str, kind: Type, value: Expr | None = None) -> str:
        """The spelling of a local: with a number where another block has one of that name and another type.

        `value` is what it gets, where that is an expression.
        """
        spelled = spelling.local_name(name)
        chosen = next(item for item in numbered(spelled) if self.bound.get(item, kind) == kind)
        self.bound[chosen] = kind
        self.renderer.locals[name] = chosen
        self.renderer.known = self.renderer.narrowing.bound(chosen, value, self.renderer.known)
        return chosen

    def changes(self, target: str, value: Expr | None) -> None:
        """Follows what the type checker believes of the target from now on."""
        self.renderer.known = self.renderer.narrowing.assigned(target, value, self.renderer.known)

    def branches(self, test: Expr, then: tuple[Step, ...], otherwise: tuple[Step, ...]) -> Iterator[str]:
        """What is done where the test holds, and where it does not."""
        before = self.renderer.known
        self.renderer.known = self.renderer.narrowing.given(test, True, before)
        yield from block(self.scoped(then))
        after = self.renderer.known
        self.renderer.known = self.renderer.narrowing.given(test, False, before)
        if otherwise:
            yield "else:"
            yield from block(self.scoped(otherwise))
        self.renderer.known = either(after, self.renderer.known)

    def source(self, source: Expr | None, read: Read | None) -> str:
        if source is not None:
            return self.renderer.kept(source)
        if read is None:
            raise TypeError("a step that binds something has a source or a read")
        return self.read(read)

    def read(self, read: Read) -> str:
        raise TypeError("only workflows read repositories")

    def change(self, step: Assign | Append | Remove | Emit | Invoke) -> Iterable[str]:
        match step:
            case Assign():
                return self.assign(step)
            case Append(field=field, value=value):
                # A new list: a loop over the old one, or another name of it, does not see the element.
                target = self.target(field)
                return [Statement(f"{target} = ", filled("[*{}, {}]", target, self.text(value)))]
            case Remove():
                return [self.remove(step)]
            case Emit(event=event, fields=fields):
                values = self.renderer.members(fields)
                return [Statement("", self.emitted(Call(types.event(event, self.needs), values)))]
            case Invoke():
                return [self.invoke(step)]
        assert_never(step)

    def target(self, name: str) -> str:
        return f"{self.renderer.this}.{spelling.member_name(name)}"

    def assign(self, step: Assign) -> list[str]:
        first, *rest = step.path
        target = self.target(first)
        line = Statement(f"{target} = ", self.replaced(target, tuple(rest), self.text(step.value)))
        self.changes(target, None if rest else step.value)
        return [line, *reversed(list(self.checks(target, self.fields.get(first), rest)))]

    def checks(self, target: str, kind: Type | None, path: list[str]) -> Iterator[str]:
        """The rules of the value objects that a change of one of their members makes anew."""
        owner = None if kind is None else bare(kind)
        if path and isinstance(owner, ValueObjectType):
            plan = self.renderer.index.value_objects[owner.ref]
            if plan.invariants:
                yield f"{target}.check_invariants()"
            inner = next((item.type for item in plan.fields if item.name == path[0]), None)
            yield from self.checks(f"{target}.{spelling.member_name(path[0])}", inner, path[1:])

    def replaced(self, target: str, path: tuple[str, ...], value: str) -> str:
        """`value`, or a copy of the value object at `target` with `value` at `path`."""
        if not path:
            return value
        self.needs.add("dataclasses:replace")
        inner = spelling.member_name(path[0])
        return Call("replace", [target, keyword(inner, self.replaced(f"{target}.{inner}", path[1:], value))])

    def remove(self, step: Remove) -> str:
        target = self.target(step.field)
        key = ".id" if isinstance(step.element, PartType) else ""
        value = self.renderer.operand(step.value)
        if key and isinstance(step.value.type, PartType):
            value = member(value, "id")
        kept = filled(f"[item for item in {{}} if item{key} != {{}}]", target, value)
        return Statement(f"{target} = ", kept)

    def emitted(self, event: str) -> str:
        return filled("{}.events.append({})", self.renderer.this, event)

    def invoke(self, step: Invoke) -> str:
        receiver = self.renderer.local(step.receiver) if step.receiver else self.renderer.this
        called = Call(f"{receiver}.{spelling.member_name(step.operation)}", map(self.text, step.arguments))
        return Statement(f"{self.bind(step.bind, self.result(step))} = " if step.bind else "", called)

    def result(self, step: Invoke) -> Type:
        return self.renderer.index.aggregates[step.aggregate].operation(step.operation).returns

    def stored(self, step: Load | CreateInstance | Save | Track | DeleteStep | NotFound) -> Iterable[str]:
        if isinstance(step, CreateInstance):
            return [self.created(step)]
        raise TypeError(f"{type(step).__name__} stands in workflows only")

    def created(self, step: CreateInstance) -> str:
        name = types.aggregate(step.aggregate, self.needs)
        values = self.renderer.members(step.arguments, spelling.local_name)
        return Statement(
            f"{self.bind(step.name, AggregateType(ref=step.aggregate))} = ", Call(f"{name}.create", values)
        )

    def expected(self, step: ExpectCompared | ExpectRefused) -> Iterable[str]:
        raise TypeError("expectations stand in tests only")


def raised(error: str, detail: str, needs: set[str]) -> Statement:
    """Raises an error of the service with this text."""
    needs.add(f"app.errors:{error}")
    return Statement("raise ", Call(error, [quoted(detail)]))


def _is_there(name: str, kind: Type) -> Compare:
    """Whether the local has a value."""
    left, right = Local(type=kind, name=name), Null(type=kind)
    return Compare(type=BOOL, op=Comparison.NE, domain=Domain.NULL, left=left, right=right)


def _element(source: Expr | None, read: Read | None) -> Type:
    """What a loop binds."""
    if source is not None and isinstance(source.type, ArrayType):
        return source.type.of
    if read is None:
        raise TypeError("a loop goes over an array or what a find answers")
    return AggregateType(ref=read.aggregate)


def _optional(source: Expr | None, read: Read | None) -> Type:
    """What `if let` binds before it is known to be there."""
    if source is not None:
        return source.type
    if read is None:
        raise TypeError("`if let` binds an optional or a read")
    return OptionalType(of=AggregateType(ref=read.aggregate))
