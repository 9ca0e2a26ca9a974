"""Steps of bodies as lines of Python.

In: Plan steps, in the Plan's order. Out: lines, indented by four blanks a level; a long one is broken later.
Never: another order, another text, a save that the Plan does not name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.text.formatting import quoted
from loom.ir.expressions import Expr
from loom.ir.statements import (
    Append,
    Assign,
    Cardinality,
    CreateInstance,
    Emit,
    Expect,
    Invoke,
    Let,
    Load,
    Matcher,
    NotFound,
    Read,
    ReadKind,
    Remove,
    Return,
)
from loom.ir.types import AggregateType, ArrayType, OptionalType, PartType, Ref, Type, ValueObjectType
from loom.plan.code.walk import descendants
from loom.plan.model import WorkflowCreatePlan
from loom.plan.steps import (
    Authorize,
    DeleteStep,
    ExpectRefused,
    ForEachStep,
    Guard,
    IfPresentStep,
    IfStep,
    Save,
    Step,
)

INDENT = "    "

_MATCHERS = {
    Matcher.TO_BE: ("==", "!="),
    Matcher.TO_BE_SAME_INSTANT: ("==", "!="),
    Matcher.TO_BE_GREATER_THAN: (">", "<="),
    Matcher.TO_BE_GREATER_THAN_OR_EQUAL: (">=", "<"),
    Matcher.TO_BE_LESS_THAN: ("<", ">="),
    Matcher.TO_BE_LESS_THAN_OR_EQUAL: ("<=", ">"),
}


def block(lines: Iterable[str]) -> list[str]:
    """The lines one level deeper; a block of nothing says so."""
    return [INDENT + line for line in lines] or [INDENT + "pass"]


class Steps:
    """Bodies of domain classes and functions."""

    def __init__(self, renderer: PythonRenderer, fields: Mapping[str, Type]) -> None:
        """`fields` are those of the instance whose body it is."""
        self.renderer = renderer
        self.needs = renderer.needs
        self.fields = fields
        self.bound: dict[str, Type | None] = {}

    def lines(self, steps: Iterable[Step]) -> list[str]:
        return [line for step in steps for line in self.step(step)]

    def step(self, step: Step) -> Iterable[str]:
        match step:
            case Let() | Guard() | Authorize() | Return():
                return self.plain(step)
            case ForEachStep() | IfStep() | IfPresentStep():
                return self.nested(step)
            case Assign() | Append() | Remove() | Emit() | Invoke():
                return self.change(step)
            case Load() | CreateInstance() | Save() | DeleteStep() | NotFound():
                return self.stored(step)
            case Expect() | ExpectRefused():
                return self.expected(step)
        assert_never(step)

    def plain(self, step: Let | Guard | Authorize | Return) -> list[str]:
        match step:
            case Let(name=name, value=value):
                text = self.text(value)
                return [f"{self.bind(name, value.type)} = {text}"]
            case Guard(condition=condition, detail=detail):
                return self.refuse(condition, "DomainError", detail)
            case Authorize(condition=condition, detail=detail):
                return self.refuse(condition, "ForbiddenError", detail)
            case Return(value=value):
                return [f"return {self.text(value)}"]
        assert_never(step)

    def text(self, e: Expr) -> str:
        return self.renderer.line(e)

    def refuse(self, condition: Expr, error: str, detail: str) -> list[str]:
        """Raises `error` unless the condition holds."""
        self.needs.add(f"app.errors:{error}")
        return [f"if {self.renderer.negated(condition)}:", f"{INDENT}raise {error}({quoted(detail)})"]

    def nested(self, step: ForEachStep | IfStep | IfPresentStep) -> Iterable[str]:
        match step:
            case ForEachStep(name=name, source=source, read=read, body=body):
                items = self.source(source, read)
                variable = self.bind(name, _element(source, read))
                lines = block([*self.noted(name), *self.scoped(body)])
                yield f"for {_loop_variable(variable, lines)} in {items}:"
                yield from lines
            case IfStep(condition=condition, then=then, otherwise=otherwise):
                yield f"if {self.text(condition)}:"
                yield from block(self.scoped(then))
                yield from self.otherwise(otherwise)
            case IfPresentStep(name=name, source=source, read=read, then=then, otherwise=otherwise):
                value = self.source(source, read)
                variable = self.bind(name, _optional(source, read))
                yield f"{variable} = {value}"
                yield f"if {variable} is not None:"
                yield from block([*self.noted(name), *self.scoped(then)])
                yield from self.otherwise(otherwise)

    def scoped(self, steps: Iterable[Step]) -> list[str]:
        """A block of its own: what it binds is not seen after it."""
        outer = self.renderer.locals
        self.renderer.locals = dict(outer)
        lines = self.lines(steps)
        self.renderer.locals = outer
        return lines

    def bind(self, name: str, kind: Type) -> str:
        """The spelling of a local: with a number where another block has one of that name and another type."""
        spelled = spelling.local_name(name)
        chosen = next(item for item in _numbered(spelled) if self.bound.get(item, kind) == kind)
        self.bound[chosen] = kind
        self.renderer.locals[name] = chosen
        return chosen

    def noted(self, name: str) -> Iterable[str]:
        """What a body that binds an aggregate has to note; nothing outside workflows."""
        return ()

    def otherwise(self, steps: tuple[Step, ...]) -> Iterator[str]:
        if steps:
            yield "else:"
            yield from block(self.scoped(steps))

    def source(self, source: Expr | None, read: Read | None) -> str:
        if source is not None:
            return self.text(source)
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
                return [f"{self.target(field)} = [*{self.target(field)}, {self.text(value)}]"]
            case Remove():
                return [self.remove(step)]
            case Emit(event=event, fields=fields):
                values = ", ".join(f"{spelling.member_name(item.name)}={self.text(item.value)}" for item in fields)
                return [self.emitted(f"{types.event(event, self.needs)}({values})")]
            case Invoke():
                return [self.invoke(step)]
        assert_never(step)

    def target(self, name: str) -> str:
        return f"{self.renderer.this}.{spelling.member_name(name)}"

    def assign(self, step: Assign) -> list[str]:
        first, *rest = step.path
        target = self.target(first)
        line = f"{target} = {self.replaced(target, tuple(rest), self.text(step.value))}"
        return [line, *reversed(list(self.checks(target, self.fields.get(first), rest)))]

    def checks(self, target: str, kind: Type | None, path: list[str]) -> Iterator[str]:
        """The rules of the value objects that a change of one of their members makes anew."""
        kind = kind.of if isinstance(kind, OptionalType) else kind
        if path and isinstance(kind, ValueObjectType):
            plan = self.renderer.index.value_objects[kind.ref]
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
        return f"replace({target}, {inner}={self.replaced(f'{target}.{inner}', path[1:], value)})"

    def remove(self, step: Remove) -> str:
        target = self.target(step.field)
        key = ".id" if isinstance(step.element, PartType) else ""
        value = self.renderer.inside_text(step.value) + key * _is_part(step.value.type)
        return f"{target} = [item for item in {target} if item{key} != {value}]"

    def emitted(self, event: str) -> str:
        return f"{self.renderer.this}.events.append({event})"

    def invoke(self, step: Invoke) -> str:
        receiver = self.renderer.local(step.receiver) if step.receiver else self.renderer.this
        arguments = ", ".join(map(self.text, step.arguments))
        bound = f"{self.bind(step.bind, self.result(step))} = " if step.bind else ""
        return f"{bound}{receiver}.{spelling.member_name(step.operation)}({arguments})"

    def result(self, step: Invoke) -> Type:
        operations = self.renderer.index.aggregates[step.aggregate].operations
        return next(item.returns for item in operations if item.name == step.operation)

    def stored(self, step: Load | CreateInstance | Save | DeleteStep | NotFound) -> Iterable[str]:
        if isinstance(step, CreateInstance):
            return [self.created(step)]
        raise TypeError(f"{type(step).__name__} stands in workflows only")

    def created(self, step: CreateInstance) -> str:
        name = types.aggregate(step.aggregate, self.needs)
        values = ", ".join(f"{spelling.local_name(item.name)}={self.text(item.value)}" for item in step.arguments)
        return f"{self.bind(step.name, AggregateType(ref=step.aggregate))} = {name}.create({values})"

    def expected(self, step: Expect | ExpectRefused) -> Iterable[str]:
        raise TypeError("expectations stand in tests only")


def _numbered(name: str) -> Iterator[str]:
    """`name`, then with the numbers from 2 on."""
    yield name
    yield from (f"{name}{number}" for number in count(2))


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


def _is_part(type_: Type) -> bool:
    return isinstance(type_, PartType)


class CheckedSteps(Steps):
    """Bodies of operations that change an aggregate with rules: they are checked before it answers."""

    def plain(self, step: Let | Guard | Authorize | Return) -> list[str]:
        check = ["self.check_invariants()"] if isinstance(step, Return) else []
        return [*check, *super().plain(step)]


class WorkflowSteps(Steps):
    """Bodies of workflows: they read and store aggregates through repositories."""

    def __init__(self, renderer: PythonRenderer, plan: WorkflowCreatePlan) -> None:
        super().__init__(renderer, {})
        self.commits = not plan.transactional
        self.pending = {item.name for item in descendants(plan.body) if isinstance(item, Save) and item.conditional}
        self.bound.update({spelling.local_name(item.name): None for item in plan.parameters})
        self.repositories: dict[Ref, str] = {}
        self.flags: dict[str, str] = {}

    def repository(self, aggregate: Ref) -> str:
        if aggregate not in self.repositories:
            self.repositories[aggregate] = self.fresh(f"{spelling.module_name(aggregate.name)}_repository")
        return self.repositories[aggregate]

    def flag(self, name: str) -> str:
        """What tells whether the aggregate called `name` was changed."""
        if name not in self.flags:
            self.flags[name] = self.fresh(f"{spelling.local_name(name).rstrip('_')}_changed")
        return self.flags[name]

    def fresh(self, name: str) -> str:
        """A name of our own, or one near it that the model does not use."""
        chosen = next(item for item in _numbered(name) if item not in self.bound)
        self.bound[chosen] = None
        return chosen

    def read(self, read: Read) -> str:
        arguments = ", ".join(map(self.text, read.arguments))
        return f"await {self.repository(read.aggregate)}.{read_method(read)}({arguments})"

    def note(self, name: str, changed: bool) -> list[str]:
        return [f"{self.flag(name)} = {changed}"] if name in self.pending else []

    def noted(self, name: str) -> Iterable[str]:
        return self.note(name, changed=False)

    def stored(self, step: Load | CreateInstance | Save | DeleteStep | NotFound) -> Iterable[str]:
        match step:
            case Load(name=name, read=read):
                text, one = self.read(read), AggregateType(ref=read.aggregate)
                kind = OptionalType(of=one) if read.cardinality is Cardinality.OPTIONAL else one
                return [f"{self.bind(name, kind)} = {text}", *self.note(name, changed=False)]
            case CreateInstance(name=name):
                return [self.created(step), *self.note(name, changed=True)]
            case Save():
                return self.save(step)
            case DeleteStep(name=name, aggregate=aggregate):
                line = f"await {self.repository(aggregate)}.delete({self.renderer.local(name)})"
                return [line, *self.commit(), *self.note(name, changed=False)]
            case NotFound(detail=detail):
                self.needs.add("app.errors:NotFoundError")
                return [f"raise NotFoundError({quoted(detail)})"]
        assert_never(step)

    def save(self, step: Save) -> list[str]:
        line = f"await {self.repository(step.aggregate)}.save({self.renderer.local(step.name)})"
        if step.conditional:
            return [f"if {self.flag(step.name)}:", *block([line, *self.commit()])]
        return [line, *self.commit()]

    def commit(self) -> list[str]:
        return ["await work.commit()"] if self.commits else []

    def change(self, step: Assign | Append | Remove | Emit | Invoke) -> Iterable[str]:
        lines = [*super().change(step)]
        if isinstance(step, Invoke) and step.mutates:
            lines += self.note(step.receiver, changed=True)
        return lines

    def emitted(self, event: str) -> str:
        return f"work.emit({event})"


def read_method(read: Read) -> str:
    """The repository method that a read calls."""
    optional = read.cardinality is Cardinality.OPTIONAL
    match read.kind:
        case ReadKind.BY_ID:
            return "find_by_id" if optional else "get_by_id"
        case ReadKind.BY_KEY:
            return key_method(read.key, optional=optional)
        case ReadKind.FIND:
            return find_method(read.name)
    assert_never(read.kind)


def key_method(fields: tuple[str, ...], *, optional: bool) -> str:
    return f"{'find' if optional else 'get'}_by_{'_and_'.join(map(spelling.module_name, fields))}"


def find_method(name: str) -> str:
    """A declared find, apart from the methods that every repository has."""
    spelled = spelling.function_name(name)
    return f"{spelled}_" if spelled in ("save", "delete", "page", "get_by_id", "find_by_id") else spelled


class UnitTestSteps(Steps):
    """Bodies of unit tests."""

    def expected(self, step: Expect | ExpectRefused) -> Iterable[str]:
        match step:
            case Expect():
                return [f"assert {self.comparison(step)}"]
            case ExpectRefused(attempt=attempt):
                self.needs.update(["pytest", "app.errors:ServiceError"])
                return ["with pytest.raises(ServiceError):", *block(map(_unbound, self.step(attempt)))]
        assert_never(step)

    def comparison(self, step: Expect) -> str:
        operator = _MATCHERS[step.matcher][step.negated]
        actual, expected = self.renderer.inside_text(step.actual), self.renderer.inside_text(step.expected)
        if expected in ("True", "False", "None"):
            holds = (operator == "==") == (expected != "False")
            if expected == "None":
                return f"{actual} is {'' if operator == '==' else 'not '}None"
            return actual if holds else self.renderer.negated(step.actual)
        return f"{actual} {operator} {expected}"


def _unbound(line: str) -> str:
    """An attempt that must fail leaves nothing to name."""
    name, bound, value = line.partition(" = ")
    return value if bound and name.isidentifier() else line


def _loop_variable(name: str, body: list[str]) -> str:
    """`name`, marked as unused where the body does not read it."""
    return name if any(re.search(rf"\b{name}\b", line) for line in body) else f"_{name}"
