"""The domain of a service: enums, ids, value objects, events, aggregates and functions.

In: one context of the Plan. Out: modules below `app/domain/<context>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.creates import create_method
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.code.steps import Steps, raised
from loom.backends.python.text.blocks import Class, Function, block, class_head, loop
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import Call, quoted
from loom.backends.python.text.statements import Signature, Statement
from loom.emit.index import ServiceIndex
from loom.ir.members import Parameter
from loom.ir.types import IdType, Type
from loom.plan.model import (
    AggregatePlan,
    ContainmentPlan,
    DerivedPlan,
    DestroyPlan,
    EnumPlan,
    EventPlan,
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
CHECK = "def check_invariants(self) -> None:"


def enum_class(plan: EnumPlan, needs: set[str]) -> Class:
    needs.add("enum:StrEnum")
    members = tuple(Statement(f"{spelling.constant_name(value)} = ", quoted(value)) for value in plan.values)
    return Class(head=class_head(spelling.type_name(plan.ref.name), "StrEnum"), fields=members)


def id_lines(refs: Iterable[IdType], needs: set[str]) -> tuple[str, ...]:
    needs.add("typing:NewType")
    names = map(types.id_name, refs)
    return tuple(Statement(f"{name} = ", filled("NewType({}, str)", f'"{name}"')) for name in names)


def record_class(plan: RecordPlan | EventPlan, needs: set[str]) -> Class:
    """A command record or an event: frozen fields and nothing else."""
    needs.add("dataclasses:dataclass")
    bases = ["DomainEvent"] if isinstance(plan, EventPlan) else []
    needs.update(f"app.events:{base}" for base in bases)
    head = class_head(spelling.type_name(plan.ref.name), *bases)
    return Class(decorator=VALUE, head=head, fields=field_lines(plan.fields, needs))


def field_lines(fields: Iterable[types.Typed], needs: set[str]) -> tuple[str, ...]:
    """Fields of a class."""
    return tuple(
        Statement(f"{spelling.member_name(item.name)}: ", types.annotation(item.type, needs)) for item in fields
    )


class DomainClasses:
    """Classes with behaviour; `needs` collects what their module imports."""

    def __init__(self, index: ServiceIndex, needs: set[str]) -> None:
        self.index = index
        self.needs = needs
        self.needs.add("dataclasses:dataclass")
        self.fields: dict[str, Type] = {}
        self.declared: tuple[str, ...] = ()

    def renderer(self, this: str = "self") -> PythonRenderer:
        return PythonRenderer(self.index, self.needs, this)

    def steps(self, this: str = "self") -> Steps:
        return Steps(self.renderer(this), self.fields)

    def value_object(self, plan: ValueObjectPlan) -> Class:
        made = [self.value_create(plan), self.value_check(plan)] if plan.invariants else []
        return Class(
            decorator=VALUE,
            head=class_head(spelling.type_name(plan.ref.name)),
            fields=field_lines(plan.fields, self.needs),
            methods=(*made, *self.readers(plan.derived, plan.functions)),
        )

    def value_create(self, plan: ValueObjectPlan) -> Function:
        """Rules hold on construction, but not when a stored value is read back."""
        self.needs.add("typing:Self")
        parameters = types.parameters(plan.fields, self.needs, spelling.member_name)
        values = [f"{name}={name}" for name in (spelling.member_name(item.name) for item in plan.fields)]
        return Function(
            decorators=("@classmethod",),
            head=Signature("def create", ["cls", "*", *parameters], "Self"),
            body=(
                '"""A new value, which keeps the rules of its kind."""',
                Statement("created = ", Call("cls", values)),
                "created.check_invariants()",
                "return created",
            ),
        )

    def value_check(self, plan: ValueObjectPlan) -> Function:
        return Function(head=CHECK, body=tuple(self.refusals(plan.invariants, "DomainError")))

    def readers(self, derived: Iterable[DerivedPlan], functions: Iterable[FunctionPlan]) -> tuple[Function, ...]:
        """Derived values and pure functions."""
        properties = [
            Function(
                decorators=("@property",),
                head=self.head(item.name, (), item.type),
                body=(Statement("return ", self.steps().text(item.value)),),
            )
            for item in derived
        ]
        return (*properties, *[self.method(item.name, item.parameters, item.returns, item.body) for item in functions])

    def method(self, name: str, parameters: Sequence[Parameter], returns: Type, body: tuple[Step, ...]) -> Function:
        return Function(head=self.head(name, parameters, returns), body=tuple(self.steps().lines(body)) or ("pass",))

    def head(self, name: str, parameters: Sequence[Parameter], returns: Type) -> str:
        texts = ["self", *types.parameters(parameters, self.needs)]
        return Signature(f"def {spelling.member_name(name)}", texts, types.annotation(returns, self.needs))

    def refusals(self, rules: Iterable[InvariantPlan | GatePlan], error: str) -> list[str]:
        return self.steps().refusals(rules, error)

    def part(self, plan: PartPlan) -> Class:
        kind = IdType(aggregate=plan.aggregate, part=plan.name)
        return Class(
            decorator=ENTITY,
            head=class_head(spelling.type_name(plan.name)),
            doc=f"A part of {plan.aggregate.name}.",
            fields=(
                Statement("id: ", types.identifier(kind, self.needs)),
                *field_lines(plan.fields, self.needs),
                *field_lines(plan.containments, self.needs),
            ),
            methods=(*self.readers(plan.derived, plan.functions), *self.check(plan)),
        )

    def check(self, plan: PartPlan | AggregatePlan) -> tuple[Function, ...]:
        """The rules of an entity and of all it contains; no method where there are none."""
        lines = self.refusals(plan.invariants, "DomainError")
        for item in plan.containments:
            if item.is_checked:
                lines += contained_checks(item)
        return (Function(head=CHECK, body=tuple(lines)),) if lines else ()

    def aggregate(self, plan: AggregatePlan) -> Class:
        self.needs.update({"dataclasses:field", "app.events:DomainEvent"})
        self.declared = declared_members(plan)
        self.fields = {item.name: item.type for item in plan.fields}
        return Class(
            decorator=ENTITY,
            head=class_head(spelling.type_name(plan.ref.name)),
            doc="Changes go through the methods, which keep the rules.",
            fields=(
                Statement("id: ", types.identifier(IdType(aggregate=plan.ref), self.needs)),
                *field_lines(plan.fields, self.needs),
                *field_lines(plan.containments, self.needs),
                "version: int = 1",
                "events: list[DomainEvent] = field(default_factory=list)",
            ),
            methods=tuple(self.aggregate_methods(plan)),
        )

    def aggregate_methods(self, plan: AggregatePlan) -> Iterator[Function]:
        yield from self.readers(plan.derived, plan.functions)
        if plan.create is not None:
            yield create_method(self.index, plan, plan.create, self.needs)
        for operation in plan.operations:
            yield from self.operation(operation)
        if plan.destroy is not None:
            yield self.destroy(plan.destroy)
        yield from self.check(plan)

    def destroy(self, plan: DestroyPlan) -> Function:
        steps = self.steps()
        lines = (*steps.refusals(plan.requires, "ForbiddenError"), *steps.lines(plan.body))
        return Function(head="def destroy(self) -> None:", body=lines)

    def operation(self, plan: OperationPlan) -> Iterator[Function]:
        steps = self.steps()
        lines = steps.refusals(plan.requires, "ForbiddenError")
        if plan.when is not None:
            probe = f"can_{spelling.member_name(plan.name).rstrip('_')}"
            condition = Statement("return ", self.steps().text(plan.when.condition))
            yield Function(head=Signature(f"def {probe}", ["self"], "bool"), body=(condition,))
            lines.append(Statement("if ", filled("not {}()", f"self.{probe}"), after=":"))
            lines += block([raised("DisallowedError", plan.when.detail, self.needs)])
        if plan.admission is not None:
            admit = admit_name(plan.name, self.declared)
            head = Signature(f"def {admit}", ["self", *types.parameters(plan.admission, self.needs)], "None")
            yield Function(head=head, body=tuple(lines))
            steps = self.steps()
            lines = [Statement("", Call(f"self.{admit}", [spelling.local_name(item.name) for item in plan.admission]))]
        lines += steps.lines(plan.body)
        yield Function(head=self.head(plan.name, plan.parameters, plan.returns), body=tuple(lines) or ("pass",))


def module_function(name: str, plan: FunctionPlan, renderer: PythonRenderer) -> Function:
    """A function of a module."""
    returns = types.annotation(plan.returns, renderer.needs)
    return Function(
        head=Signature(f"def {name}", types.parameters(plan.parameters, renderer.needs), returns),
        body=tuple(Steps(renderer, {}).lines(plan.body)),
    )


def admit_name(name: str, declared: Iterable[str] = ()) -> str:
    """What holds the gates of an operation or a workflow; the model may have something of that name."""
    spelled = f"admit_{spelling.module_name(name).rstrip('_')}"
    return f"{spelled}_" if spelled in map(spelling.member_name, declared) else spelled


def declared_members(plan: AggregatePlan) -> tuple[str, ...]:
    """What the model calls the members of an aggregate's class."""
    data = [item.name for item in plan.fields] + [item.name for item in plan.containments]
    methods = [item.name for item in plan.operations] + [item.name for item in plan.functions]
    return (*data, *methods, *(item.name for item in plan.derived))


def contained_checks(item: ContainmentPlan) -> list[str]:
    name = f"self.{spelling.member_name(item.name)}"
    if item.many:
        variable = spelling.local_name(item.part)
        return [loop(variable, name), *block([f"{variable}.check_invariants()"])]
    if item.optional:
        test = Statement("if ", filled("{} is not None", name), after=":")
        return [test, *block([f"{name}.check_invariants()"])]
    return [f"{name}.check_invariants()"]
