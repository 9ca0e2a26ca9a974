"""The domain of a service: enums, ids, value objects, events, aggregates and functions.

In: one context of the Plan. Out: modules below `app/domain/<context>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.creates import create_method
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.code.steps import INDENT, CheckedSteps, Steps, block
from loom.backends.python.index import Index
from loom.backends.python.text.formatting import quoted
from loom.backends.python.views import ClassView, MethodView
from loom.ir.program import Parameter
from loom.ir.statements import Return
from loom.ir.types import ArrayType, IdType, OptionalType, PartType, Ref, Type
from loom.plan.code.gates import is_admitted_first, parameters_read
from loom.plan.model import (
    AggregatePlan,
    ContainmentPlan,
    DerivedPlan,
    DestroyPlan,
    EnumPlan,
    EventPlan,
    FieldPlan,
    FunctionPlan,
    GatePlan,
    InvariantPlan,
    OperationPlan,
    PartPlan,
    RecordPlan,
    ValueObjectPlan,
)
from loom.plan.steps import Step

ENTITY = "@dataclass(eq=False, kw_only=True)"
VALUE = "@dataclass(frozen=True, kw_only=True)"


def enum_class(plan: EnumPlan, needs: set[str]) -> ClassView:
    needs.add("enum:StrEnum")
    members = tuple(f"{spelling.constant_name(value)} = {quoted(value)}" for value in plan.values)
    return ClassView(decorator="", head=f"{spelling.type_name(plan.ref.name)}(StrEnum)", doc="", fields=members)


def id_lines(refs: Iterable[IdType], needs: set[str]) -> tuple[str, ...]:
    needs.add("typing:NewType")
    return tuple(f'{name} = NewType("{name}", str)' for name in map(types.id_name, refs))


def record_class(plan: RecordPlan | EventPlan, needs: set[str]) -> ClassView:
    """A command record or an event: frozen fields and nothing else."""
    needs.add("dataclasses:dataclass")
    base = ""
    if isinstance(plan, EventPlan):
        needs.add("app.events:DomainEvent")
        base = "(DomainEvent)"
    return ClassView(
        decorator=VALUE,
        head=spelling.type_name(plan.ref.name) + base,
        doc="",
        fields=field_lines(plan.fields, needs),
    )


def field_lines(fields: Iterable[FieldPlan], needs: set[str]) -> tuple[str, ...]:
    return tuple(f"{spelling.member_name(item.name)}: {types.annotation(item.type, needs)}" for item in fields)


class DomainClasses:
    """Classes with behaviour; `needs` collects what their module imports."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.needs: set[str] = {"dataclasses:dataclass"}
        self.fields: dict[str, Type] = {}
        self.declared: tuple[str, ...] = ()

    def renderer(self, this: str = "self") -> PythonRenderer:
        renderer = PythonRenderer(self.index, this)
        renderer.needs = self.needs
        return renderer

    def steps(self, this: str = "self") -> Steps:
        return Steps(self.renderer(this), self.fields)

    def value_object(self, plan: ValueObjectPlan) -> ClassView:
        name = spelling.type_name(plan.ref.name)
        made = [self.value_create(plan), self.value_check(plan)] if plan.invariants else []
        return ClassView(
            decorator=VALUE,
            head=name,
            doc="",
            fields=field_lines(plan.fields, self.needs),
            methods=(*made, *self.readers(plan.derived, plan.functions)),
        )

    def value_create(self, plan: ValueObjectPlan) -> MethodView:
        """Rules hold on construction, but not when a stored value is read back."""
        self.needs.add("typing:Self")
        parameters = ", ".join(field_lines(plan.fields, self.needs))
        values = ", ".join(f"{name}={name}" for name in (spelling.member_name(item.name) for item in plan.fields))
        return MethodView(
            decorators=("@classmethod",),
            head=f"def create(cls, *, {parameters}) -> Self:",
            body=(
                '"""A new value, which keeps the rules of its kind."""',
                f"created = cls({values})",
                "created.check_invariants()",
                "return created",
            ),
        )

    def value_check(self, plan: ValueObjectPlan) -> MethodView:
        return MethodView(head="def check_invariants(self) -> None:", body=tuple(self.invariant_lines(plan.invariants)))

    def readers(self, derived: Iterable[DerivedPlan], functions: Iterable[FunctionPlan]) -> tuple[MethodView, ...]:
        """Derived values and pure functions."""
        properties = [
            MethodView(
                decorators=("@property",),
                head=f"def {spelling.member_name(item.name)}(self) -> {types.annotation(item.type, self.needs)}:",
                body=(f"return {self.steps().text(item.value)}",),
            )
            for item in derived
        ]
        return (*properties, *[self.method(item.name, item.parameters, item.returns, item.body) for item in functions])

    def method(self, name: str, parameters: Sequence[Parameter], returns: Type, body: tuple[Step, ...]) -> MethodView:
        return MethodView(head=self.head(name, parameters, returns), body=tuple(self.steps().lines(body)) or ("pass",))

    def head(self, name: str, parameters: Sequence[Parameter], returns: Type) -> str:
        texts = ["self", *parameter_texts(parameters, self.needs)]
        return f"def {spelling.member_name(name)}({', '.join(texts)}) -> {types.annotation(returns, self.needs)}:"

    def invariant_lines(self, invariants: Iterable[InvariantPlan]) -> list[str]:
        steps = self.steps()
        return [line for item in invariants for line in steps.refuse(item.condition, "DomainError", item.detail)]

    def gate_lines(self, gates: Iterable[GatePlan]) -> list[str]:
        steps = self.steps()
        return [line for item in gates for line in steps.refuse(item.condition, "ForbiddenError", item.detail)]

    def part(self, plan: PartPlan) -> ClassView:
        kind = IdType(aggregate=plan.aggregate, part=plan.name)
        return ClassView(
            decorator=ENTITY,
            head=spelling.type_name(plan.name),
            doc=f"A part of {plan.aggregate.name}.",
            fields=(
                f"id: {types.identifier(kind, self.needs)}",
                *field_lines(plan.fields, self.needs),
                *containment_lines(plan.aggregate, plan.containments, self.needs),
            ),
            methods=(*self.readers(plan.derived, plan.functions), *self.check(plan, self.index)),
        )

    def check(self, plan: PartPlan | AggregatePlan, index: Index) -> tuple[MethodView, ...]:
        """The rules of an entity and of all it contains; no method where there are none."""
        if not has_rules(plan, index):
            return ()
        lines = self.invariant_lines(plan.invariants)
        for item in plan.containments:
            if has_rules(part_of(plan, item, index), index):
                lines += contained_checks(item)
        return (MethodView(head="def check_invariants(self) -> None:", body=tuple(lines)),)

    def aggregate(self, plan: AggregatePlan) -> ClassView:
        self.needs.update({"dataclasses:field", "app.events:DomainEvent"})
        self.declared = declared_members(plan)
        self.fields = {item.name: item.type for item in plan.fields}
        return ClassView(
            decorator=ENTITY,
            head=spelling.type_name(plan.ref.name),
            doc="Changes go through the methods, which keep the rules.",
            fields=(
                f"id: {types.identifier(IdType(aggregate=plan.ref), self.needs)}",
                *field_lines(plan.fields, self.needs),
                *containment_lines(plan.ref, plan.containments, self.needs),
                "version: int = 1",
                "events: list[DomainEvent] = field(default_factory=list)",
            ),
            methods=tuple(self.aggregate_methods(plan)),
        )

    def aggregate_methods(self, plan: AggregatePlan) -> Iterator[MethodView]:
        yield from self.readers(plan.derived, plan.functions)
        checks = has_rules(plan, self.index)
        if plan.create is not None:
            yield create_method(self.index, plan, self.needs, checks=checks)
        for operation in plan.operations:
            yield from self.operation(operation, checks=checks and operation.mutates)
        if plan.destroy is not None and (plan.destroy.requires or plan.destroy.body):
            yield self.destroy(plan.destroy)
        yield from self.check(plan, self.index)

    def destroy(self, plan: DestroyPlan) -> MethodView:
        lines = (*self.gate_lines(plan.requires), *self.steps().lines(plan.body))
        return MethodView(head="def destroy(self) -> None:", body=lines)

    def operation(self, plan: OperationPlan, *, checks: bool) -> Iterator[MethodView]:
        lines = self.gate_lines(plan.requires)
        if plan.when is not None:
            self.needs.add("app.errors:DisallowedError")
            probe = f"can_{spelling.member_name(plan.name).rstrip('_')}"
            yield MethodView(
                head=f"def {probe}(self) -> bool:", body=(f"return {self.steps().text(plan.when.condition)}",)
            )
            refusal = f"raise DisallowedError({quoted(plan.when.detail)})"
            lines += [f"if not self.{probe}():", INDENT + refusal]
        if is_admitted_first(plan, self.index.is_refused):
            read = parameters_read(plan.parameters, plan.requires)
            admit = admit_name(plan.name, self.declared)
            head = ", ".join(["self", *parameter_texts(read, self.needs)])
            yield MethodView(head=f"def {admit}({head}) -> None:", body=tuple(lines))
            lines = [f"self.{admit}({', '.join(spelling.local_name(item.name) for item in read)})"]
        steps = CheckedSteps(self.renderer(), self.fields) if checks else self.steps()
        lines += steps.lines(plan.body)
        if checks and not (plan.body and isinstance(plan.body[-1], Return)):
            lines.append("self.check_invariants()")
        yield MethodView(head=self.head(plan.name, plan.parameters, plan.returns), body=tuple(lines) or ("pass",))


def admit_name(name: str, declared: Iterable[str] = ()) -> str:
    """What holds the gates of an operation or a workflow; the model may have something of that name."""
    spelled = f"admit_{spelling.module_name(name).rstrip('_')}"
    return f"{spelled}_" if spelled in map(spelling.member_name, declared) else spelled


def declared_members(plan: AggregatePlan) -> tuple[str, ...]:
    """What the model calls the members of an aggregate's class."""
    data = [item.name for item in plan.fields] + [item.name for item in plan.containments]
    methods = [item.name for item in plan.operations] + [item.name for item in plan.functions]
    return (*data, *methods, *(item.name for item in plan.derived))


def has_rules(plan: PartPlan | AggregatePlan, index: Index) -> bool:
    return bool(plan.invariants) or any(has_rules(part_of(plan, item, index), index) for item in plan.containments)


def part_of(owner: PartPlan | AggregatePlan, item: ContainmentPlan, index: Index) -> PartPlan:
    ref = owner.aggregate if isinstance(owner, PartPlan) else owner.ref
    return index.parts[ref, item.part]


def contained_checks(item: ContainmentPlan) -> list[str]:
    name = f"self.{spelling.member_name(item.name)}"
    if item.many:
        variable = spelling.local_name(item.part)
        return [f"for {variable} in {name}:", *block([f"{variable}.check_invariants()"])]
    if item.optional:
        return [f"if {name} is not None:", *block([f"{name}.check_invariants()"])]
    return [f"{name}.check_invariants()"]


def containment_type(owner: Ref, item: ContainmentPlan) -> Type:
    kind: Type = PartType(aggregate=owner, name=item.part)
    if item.many:
        return ArrayType(of=kind)
    return OptionalType(of=kind) if item.optional else kind


def containment_lines(owner: Ref, items: Iterable[ContainmentPlan], needs: set[str]) -> tuple[str, ...]:
    return tuple(
        f"{spelling.member_name(item.name)}: {types.annotation(containment_type(owner, item), needs)}" for item in items
    )


def parameter_texts(parameters: Iterable[Parameter], needs: set[str]) -> list[str]:
    return [f"{spelling.local_name(item.name)}: {types.annotation(item.type, needs)}" for item in parameters]
