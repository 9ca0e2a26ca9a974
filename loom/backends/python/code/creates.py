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
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.code.steps import Steps
from loom.backends.python.index import Index
from loom.backends.python.views import MethodView
from loom.base import descendants
from loom.ir.expressions import EnumLiteral, Expr, Field, FieldKind, ListLiteral, Literal, Local, Null, This
from loom.ir.statements import Append, Assign, CreateInstance, Invoke, Let, Remove
from loom.ir.types import IdType, Type
from loom.plan.code.walk import reads_instance
from loom.plan.model import AggregatePlan, CreatePlan
from loom.plan.steps import ForEachStep, IfPresentStep, Step


def create_method(index: Index, plan: AggregatePlan, needs: set[str], *, checks: bool) -> MethodView:
    """`create`, with the parameters of the model as keywords."""
    if plan.create is None:
        raise TypeError(f"{plan.ref.name} has no create")
    needs.update({"typing:Self", "app.identifiers:new_id"})
    parameters = [
        f"{spelling.local_name(item.name)}: {types.annotation(item.type, needs)}" for item in plan.create.parameters
    ]
    keywords = f", *, {', '.join(parameters)}" if parameters else ""
    return MethodView(
        decorators=("@classmethod",),
        head=f"def create(cls{keywords}) -> Self:",
        body=tuple(_Factory(index, plan, plan.create, needs, checks).lines()),
    )


@dataclass
class _Factory:
    index: Index
    plan: AggregatePlan
    create: CreatePlan
    needs: set[str]
    checks: bool
    inline: dict[str, str] = field(default_factory=dict)
    bound: dict[str, Type | None] = field(default_factory=dict)
    locals: dict[str, str] = field(default_factory=dict)

    def lines(self) -> list[str]:
        before, after = self._halves()
        this = _instance_name(self.plan, self.create)
        lines = self._gates()
        lines += self._before(before)
        made = f"cls({', '.join(self._values(before))})"
        rest = self._steps(this).lines(after)
        if self.checks:
            rest.append(f"{this}.check_invariants()")
        return [*lines, f"{this} = {made}", *rest, f"return {this}"] if rest else [*lines, f"return {made}"]

    def _halves(self) -> tuple[Sequence[Step], Sequence[Step]]:
        """The body up to the last assignment that the instance must wait for, and the rest."""
        awaited = {item.name for item in self.plan.fields if item.initial is None}
        body = self.create.body
        last = max((at for at, step in enumerate(body) if assigned(step) & awaited), default=-1)
        while last + 1 < len(body) and _whole(body[last + 1]):
            last += 1
        return body[: last + 1], body[last + 1 :]

    def _gates(self) -> list[str]:
        steps = self._steps("cls")
        gates = self.create.requires
        return [line for gate in gates for line in steps.refuse(gate.condition, "ForbiddenError", gate.detail)]

    def _steps(self, this: str) -> Steps:
        renderer = PythonRenderer(self.index, this)
        renderer.needs = self.needs
        renderer.locals = self.locals
        steps = Steps(renderer, {item.name: item.type for item in self.plan.fields})
        steps.bound = self.bound
        return steps

    def _before(self, steps: Sequence[Step]) -> list[str]:
        """Statements before the instance exists; an assignment that nobody waits for moves into its call."""
        locals_ = self._local_fields(steps)
        renderer = _FieldsAsLocals(self.index, locals_)
        renderer.needs = self.needs
        renderer.locals = self.locals
        early = _LocalSteps(renderer, locals_, {item.name: item.type for item in self.plan.fields})
        early.bound = self.bound
        early.bound.update(dict.fromkeys(locals_.values()))
        lines = [
            f"{early.declared(item.name, item.initial)} = {early.text(item.initial)}"
            for item in self.plan.fields
            if item.name in locals_ and item.initial is not None
        ]
        for step in steps:
            if isinstance(step, Assign) and step.path[0] not in locals_:
                self.inline[step.path[0]] = early.text(step.value)
            else:
                lines += early.step(step)
        self.inline.update(locals_)
        return lines

    def _local_fields(self, steps: Sequence[Step]) -> dict[str, str]:
        """Fields that must be locals: assigned in a branch or twice, read again, or computed before a guard."""
        found: set[str] = set()
        seen: set[str] = set()
        for at, step in enumerate(steps):
            rest = steps[at + 1 :]
            read = {name for later in rest for name in fields_read(later)}
            for name in assigned(step) | fields_read(step):
                stays = isinstance(step, Assign) and _moves(step, rest)
                if not stays or name in seen or name in read or name in fields_read(step):
                    found.add(name)
            seen |= assigned(step)
        taken = {spelling.local_name(item.name) for item in self.create.parameters} | set(_locals(steps))
        return {name: _free(spelling.member_name(name), taken) for name in sorted(found)}

    def _values(self, before: Sequence[Step]) -> Iterable[str]:
        identifier = types.identifier(IdType(aggregate=self.plan.ref), self.needs)
        yield f"id={identifier}(new_id())"
        steps = self._steps("cls")
        for item in self.plan.fields:
            value = self.inline.get(item.name)
            if value is None:
                if item.initial is None:
                    raise TypeError(f"{self.plan.ref.name}.{item.name} is never assigned")
                value = steps.text(item.initial)
            yield f"{spelling.member_name(item.name)}={value}"
        for part in self.plan.containments:
            initial = self.inline.get(part.name, "[]" if part.many else "None")
            yield f"{spelling.member_name(part.name)}={initial}"


class _FieldsAsLocals(PythonRenderer):
    """Before there is an instance, its fields are locals."""

    def __init__(self, index: Index, names: Mapping[str, str]) -> None:
        super().__init__(index, "cls")
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
        return [f"{self.declared(step.path[0], step.value)} = {self.text(step.value)}"]

    def declared(self, name: str, value: Expr) -> str:
        """The local, with its type where its first value does not tell it."""
        target, kind = self.target(name), self.fields.get(name, value.type)
        tells = value.type == kind and not (isinstance(value, ListLiteral) and not value.items)
        first = name not in self.seen
        self.seen.add(name)
        return target if tells or not first else f"{target}: {types.annotation(kind, self.needs)}"


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
    for item in descendants(step):
        match item:
            case Assign(path=(name, *_)) | Append(field=name) | Remove(field=name):
                names.add(name)
    return names


def fields_read(step: Step) -> set[str]:
    return {item.name for item in descendants(step) if isinstance(item, Field) and isinstance(item.receiver, This)}


def _locals(steps: Sequence[Step]) -> Iterable[str]:
    for item in descendants(*steps):
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
