"""The factory of an aggregate, written as its author would: values first, then the instance, then the rest.

In: the create of an aggregate. Out: a class method.

A field that the create always assigns has no initial value, so the instance can only be made once all of
these are known. Until then fields are locals; the Plan promises that nothing reads one before it is assigned,
and that nothing uses the instance as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer, new_id
from loom.backends.python.code.steps import Steps
from loom.backends.python.text.blocks import Function
from loom.backends.python.text.shapes import Call, keyword
from loom.backends.python.text.statements import Signature, Statement
from loom.base import descendants
from loom.emit.index import ServiceIndex
from loom.ir.expressions import EnumLiteral, Expr, Field, FieldKind, ListLiteral, Literal, Local, Null, This
from loom.ir.statements import Append, Assign, CreateInstance, Invoke, Let, Remove
from loom.ir.types import IdType, Type
from loom.plan.code.walk import every_step, reads_instance
from loom.plan.model import AggregatePlan, CreatePlan
from loom.plan.steps import ForEachStep, IfPresentStep, Step


def create_method(index: ServiceIndex, plan: AggregatePlan, needs: set[str]) -> Function:
    """`create`, with the parameters of the model as keywords."""
    if plan.create is None:
        raise TypeError(f"{plan.ref.name} has no create")
    needs.add("typing:Self")
    parameters = types.parameters(plan.create.parameters, needs)
    return Function(
        decorators=("@classmethod",),
        head=Signature("def create", ["cls", *["*"][: len(parameters)], *parameters], "Self"),
        body=tuple(_Factory(index, plan, plan.create, needs).lines()),
    )


@dataclass
class _Factory:
    index: ServiceIndex
    plan: AggregatePlan
    create: CreatePlan
    needs: set[str]
    inline: dict[str, str] = field(default_factory=dict)
    bound: dict[str, Type | None] = field(default_factory=dict)
    locals: dict[str, str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        before, after = self._halves()
        this = _instance_name(self.plan, self.create)
        lines = self._gates()
        lines += self._before(before)
        made = Call("cls", self._values())
        rest = self._steps(this).lines(after)
        if not rest:
            return [*lines, Statement("return ", made)]
        return [*lines, Statement(f"{this} = ", made), *rest, Statement("return ", this)]

    def _halves(self) -> tuple[Sequence[Step], Sequence[Step]]:
        """The body up to the last assignment that the instance must wait for, and the rest."""
        awaited = {item.name for item in self.plan.fields if item.initial is None}
        body = self.create.body
        last = max((at for at, step in enumerate(body) if assigned(step) & awaited), default=-1)
        while last + 1 < len(body) and _whole(body[last + 1]):
            last += 1
        return body[: last + 1], body[last + 1 :]

    def _gates(self) -> list[str]:
        return self._steps("cls").refusals(self.create.requires, "ForbiddenError")

    def _steps(self, this: str) -> Steps:
        renderer = PythonRenderer(self.index, self.needs, this)
        renderer.locals = self.locals
        steps = Steps(renderer, self._members())
        steps.bound = self.bound
        return steps

    def _members(self) -> dict[str, Type]:
        return {item.name: item.type for item in (*self.plan.fields, *self.plan.containments)}

    def _before(self, steps: Sequence[Step]) -> list[str]:
        """Statements before the instance exists; an assignment that nobody waits for moves into its call."""
        locals_ = self._local_fields(steps)
        renderer = _FieldsAsLocals(self.index, self.needs, locals_)
        renderer.locals = self.locals
        early = _LocalSteps(renderer, locals_, self._members())
        early.bound = self.bound
        early.bound.update(dict.fromkeys(locals_.values()))
        lines: list[str] = [early.declared(name, value) for name, value in self._initial(steps) if name in locals_]
        for step in steps:
            if isinstance(step, Assign) and step.path[0] not in locals_:
                self.inline[step.path[0]] = early.text(step.value)
            else:
                lines += early.step(step)
        self.inline.update(locals_)
        return lines

    def _initial(self, steps: Sequence[Step]) -> Iterable[tuple[str, Expr]]:
        """What fields and parts hold before the first step; a part that the first step for it sets needs nothing."""
        yield from ((item.name, item.initial) for item in self.plan.fields if item.initial is not None)
        for part in self.plan.containments:
            first = next((step for step in steps if part.name in assigned(step) | fields_read(step)), None)
            is_set = isinstance(first, Assign) and part.name not in fields_read(first)
            if part.initial is not None and (part.many or not is_set):
                yield part.name, part.initial

    def _local_fields(self, steps: Sequence[Step]) -> dict[str, str]:
        """Fields that must be locals: assigned in a branch or twice, read again, or computed before a guard."""
        reads = [fields_read(step) for step in steps]
        found: set[str] = set()
        seen: set[str] = set()
        for at, step in enumerate(steps):
            names = assigned(step)
            stays = isinstance(step, Assign) and _moves(step, steps[at + 1 :])
            found |= reads[at] | (names & seen.union(*reads[at:]) if stays else names)
            seen |= names
        taken = {spelling.local_name(item.name) for item in self.create.parameters} | set(_locals(steps))
        return {name: _free(spelling.local_name(name), taken) for name in sorted(found)}

    def _values(self) -> Iterable[str]:
        yield new_id(IdType(aggregate=self.plan.ref), self.needs)
        steps = self._steps("cls")
        for item in (*self.plan.fields, *self.plan.containments):
            value = self.inline.get(item.name)
            if value is None:
                value = "None" if item.initial is None else steps.text(item.initial)
            yield keyword(spelling.member_name(item.name), value)


class _FieldsAsLocals(PythonRenderer):
    """Before there is an instance, its fields are locals."""

    def __init__(self, index: ServiceIndex, needs: set[str], names: Mapping[str, str]) -> None:
        super().__init__(index, needs, "cls")
        self.names = names

    def field(self, e: Field) -> str:
        if isinstance(e.receiver, This) and e.kind in (FieldKind.PROPERTY, FieldKind.CONTAINMENT):
            return self.names[e.name]
        return super().field(e)


class _LocalSteps(Steps):
    def __init__(self, renderer: PythonRenderer, names: Mapping[str, str], fields: Mapping[str, Type]) -> None:
        super().__init__(renderer, fields)
        self.names = names
        self.seen: set[str] = set()

    def target(self, name: str) -> str:
        return self.names[name]

    def assign(self, step: Assign) -> list[str]:
        if len(step.path) != 1:
            return super().assign(step)
        return [self.declared(step.path[0], step.value)]

    def declared(self, name: str, value: Expr) -> Statement:
        """The local gets its value, with its type where its first value does not tell it."""
        target, kind = self.target(name), self.fields.get(name, value.type)
        tells = value.type == kind and not (isinstance(value, ListLiteral) and not value.items)
        first = name not in self.seen
        self.seen.add(name)
        text = self.text(value)
        if tells or not first:
            return Statement(f"{target} = ", text)
        return Statement(f"{target}: ", types.annotation(kind, self.needs), " = ", text)


def _moves(step: Assign, rest: Sequence[Step]) -> bool:
    """Whether the value may be computed later, in the call that makes the instance."""
    if len(step.path) != 1:
        return False
    simple = isinstance(step.value, Literal | Local | EnumLiteral | Null)
    return simple or all(isinstance(later, Assign) for later in rest)


def _whole(step: Step) -> bool:
    """A plain assignment of a whole field, which reads nothing of the instance."""
    return isinstance(step, Assign) and len(step.path) == 1 and not reads_instance(step.value)


def assigned(step: Step) -> set[str]:
    """Fields that a step, or what is nested in it, changes."""
    names = set()
    for item in every_step([step]):
        match item:
            case Assign(path=(name, *_)) | Append(field=name) | Remove(field=name):
                names.add(name)
    return names


def fields_read(step: Step) -> set[str]:
    return {item.name for item in descendants(step) if isinstance(item, Field) and isinstance(item.receiver, This)}


def _locals(steps: Sequence[Step]) -> Iterable[str]:
    for item in every_step(steps):
        if isinstance(item, Let | ForEachStep | IfPresentStep | CreateInstance):
            yield spelling.local_name(item.name)
        elif isinstance(item, Invoke) and item.bind:
            yield spelling.local_name(item.bind)


def _instance_name(plan: AggregatePlan, create: CreatePlan) -> str:
    taken = {spelling.local_name(item.name) for item in create.parameters} | set(_locals(create.body))
    return _free(spelling.local_name(plan.ref.name), taken)


def _free(name: str, taken: set[str]) -> str:
    """`name`, or one near it that no parameter and no `let` has."""
    return name if name not in taken else f"new_{name}"
