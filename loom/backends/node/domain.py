"""The domain: enums, value objects, parts, events and aggregates, without a word of HTTP or SQL.

In: plans of a context. Out: views of the files below src/domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom.backends.node import spelling
from loom.backends.node.code.creation import factory
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.steps import ERRORS, Steps
from loom.backends.node.code.types import Types
from loom.backends.node.model import Model
from loom.backends.node.spelling import (
    context_folder,
    domain_module,
    joined,
    local_name,
    member_name,
    quoted,
    type_name,
)
from loom.backends.node.text import shapes
from loom.backends.node.text.imports import Imports
from loom.backends.node.views import AggregateView, ModuleView
from loom.base import descendants
from loom.ir.members import Parameter
from loom.ir.statements import Invoke
from loom.ir.types import Ref
from loom.plan.code.walk import locals_read, reads_instance
from loom.plan.model import (
    AggregatePlan,
    ContainmentPlan,
    ContextPlan,
    DerivedPlan,
    EnumPlan,
    EventPlan,
    FunctionPlan,
    InvariantPlan,
    OperationPlan,
    PartPlan,
    RecordPlan,
    StatePlan,
    ValueObjectPlan,
)


def events_module(context: str) -> str:
    return f"src/domain/{context_folder(Ref(context=context, name=''))}/events"


def event_union(context: str) -> str:
    return f"{joined(context)[:1].upper()}{joined(context)[1:]}Event"


def values_view(
    model: Model,
    enums: Sequence[EnumPlan],
    objects: Sequence[ValueObjectPlan],
    answered: Sequence[RecordPlan],
    home: str,
) -> ModuleView:
    renderer = NodeRenderer(model)
    printer = _Records(renderer)
    items = [_enum(item) for item in enums]
    items += [text for item in objects for text in printer.value_object(item)]
    items += [printer.record(item) for item in answered]
    return ModuleView(imports=imports_of(home, renderer), items=tuple(items))


def _enum(item: EnumPlan) -> str:
    return f"export type {type_name(item.ref.name)} = {' | '.join(map(quoted, item.values))};"


def functions_view(model: Model, functions: Iterable[FunctionPlan]) -> ModuleView:
    renderer = NodeRenderer(model)
    printer = _Records(renderer)
    texts = tuple(printer.function(item, local_name(item.name), ()) for item in functions)
    return ModuleView(imports=imports_of("src/domain/shared/functions", renderer), items=texts)


def events_view(model: Model, context: ContextPlan) -> ModuleView:
    renderer = NodeRenderer(model)
    types = Types(renderer.needs)
    types.erased("src/events/dispatcher", "DomainEvent")
    names = [_event_name(item.ref) for item in context.events]
    union = f"export type {event_union(context.name)} = {' | '.join(names)};"
    items = (*[_event(item, types) for item in context.events], union)
    return ModuleView(imports=imports_of(events_module(context.name), renderer), items=items)


def _event(item: EventPlan, types: Types) -> str:
    fields = [f"readonly {field.name}: {types.text(field.type)};" for field in item.fields]
    data = shapes.braced(fields) if fields else "Record<string, never>"
    members = [f"readonly type: {quoted(item.ref.name)};", f"readonly data: {data};"]
    return shapes.block(f"export interface {_event_name(item.ref)} extends DomainEvent", members)


def _event_name(event: Ref) -> str:
    """The type of an event, apart from that of all events of its context."""
    name = type_name(event.name)
    return f"{name}_" if name == event_union(event.context) else name


def _interface(name: str, fields: Sequence[str]) -> str:
    head = f"export interface {name}"
    return shapes.block(head, fields) if fields else f"export type {name} = Record<string, never>;"


def imports_of(home: str, renderer: NodeRenderer) -> str:
    imports = Imports(home)
    imports.needs(renderer.needs)
    return imports.text()


class _Records:
    """Interfaces of value objects and parts, and the functions that stand for their members."""

    def __init__(self, renderer: NodeRenderer) -> None:
        self.renderer = renderer
        self.types = Types(renderer.needs)

    def value_object(self, plan: ValueObjectPlan) -> list[str]:
        name = type_name(plan.ref.name)
        subject = spelling.instance_name(plan.ref.name)
        checks: list[str] = []
        if plan.invariants:
            ensures = [*self.checks(plan.invariants, subject), f"return {subject};"]
            head = f"export function {joined('create', plan.ref.name)}({subject}: {name}): {name}"
            checks = [shapes.method(head, ensures)]
        members = self.members(plan.ref.name, plan.derived, plan.functions)
        return [_interface(name, self.fields(plan.fields)), *checks, *members]

    def record(self, plan: RecordPlan) -> str:
        return _interface(type_name(plan.ref.name), self.fields(plan.fields))

    def part(self, plan: PartPlan) -> list[str]:
        name = type_name(plan.name)
        subject = spelling.instance_name(plan.name)
        id_type = self.types.identifier(plan.aggregate, plan.name)
        fields = (f"readonly id: {id_type};", *self.fields((*plan.fields, *plan.containments)))
        checks: list[str] = []
        if plan.invariants:
            head = f"function {joined('check', plan.name)}({subject}: {name}): void"
            checks = [shapes.method(head, self.checks(plan.invariants, subject))]
        return [_interface(name, fields), *checks, *self.members(plan.name, plan.derived, plan.functions)]

    def fields(self, fields: Iterable[StatePlan | Parameter]) -> tuple[str, ...]:
        return tuple(f"readonly {item.name}: {self.types.text(item.type)};" for item in fields)

    def checks(self, invariants: Iterable[InvariantPlan], subject: str) -> list[str]:
        return Steps(self.renderer.at(subject)).checks("ensure", invariants)

    def members(self, owner: str, derived: Iterable[DerivedPlan], functions: Iterable[FunctionPlan]) -> tuple[str, ...]:
        subject = spelling.instance_name(owner)
        texts = []
        for item in derived:
            parameter = _instance(subject, owner, item.value)
            head = shapes.signature(
                f"export function {joined(owner, item.name)}", [parameter], self.types.text(item.type)
            )
            body = shapes.returned(self.renderer.at(subject).code(item.value))
            texts.append(shapes.method(head, [body]))
        for function in functions:
            parameter = _instance(subject, owner, function.body)
            texts.append(self.function(function, joined(owner, function.name), (parameter,), subject))
        return tuple(texts)

    def function(self, plan: FunctionPlan, name: str, before: Sequence[str], subject: str = "this") -> str:
        parameters = [*before, *typed(plan.parameters, self.types, plan.body)]
        head = shapes.signature(f"export function {name}", parameters, self.types.text(plan.returns))
        return shapes.method(head, Steps(self.renderer.at(subject)).block(plan.body))


def _instance(subject: str, owner: str, *bodies: object) -> str:
    """The parameter for the instance; bodies that do not read it leave it with an underscore."""
    return f"{subject if reads_instance(*bodies) else f'_{subject}'}: {type_name(owner)}"


def typed(parameters: Iterable[Parameter], types: Types, *bodies: object) -> list[str]:
    """Parameters with their types; one that the bodies do not read begins with an underscore."""
    read = locals_read(*bodies)
    return [
        f"{local_name(item.name) if item.name in read else f'_{item.name}'}: {types.text(item.type)}"
        for item in parameters
    ]


def admit_method(plan: AggregatePlan, operation: str) -> str:
    """The method that holds the gates of an operation; the model may have one of that name."""
    name = joined("admit", operation)
    declared = [item.name for item in plan.operations] + [item.name for item in plan.functions]
    return f"{name}_" if name in (*declared, *(item.name for item in plan.derived)) else name


def aggregate_view(model: Model, plan: AggregatePlan) -> AggregateView:
    return _Aggregate(model, plan).view()


class _Aggregate:
    """The class of an aggregate, with its parts before it."""

    def __init__(self, model: Model, plan: AggregatePlan) -> None:
        self.plan = plan
        self.renderer = NodeRenderer(model)
        self.types = Types(self.renderer.needs)
        self.name = type_name(plan.ref.name)
        declared = (self.name, f"{self.name}State", f"{self.name}Input", *(type_name(part.name) for part in plan.parts))
        for name in declared:
            self.types.erased(domain_module(plan.ref), name)

    def view(self) -> AggregateView:
        records = _Records(self.renderer)
        items = [text for part in self.plan.parts for text in records.part(part)]
        members = tuple(map(shapes.indented, self.members()))
        home = domain_module(self.plan.ref)
        if self.plan.emits:
            self.types.erased(events_module(self.plan.ref.context), event_union(self.plan.ref.context))
        items.append(_interface(f"{self.name}State", self.fields()))
        if self.plan.create is not None and self.plan.create.parameters:
            items.append(_interface(f"{self.name}Input", records.fields(self.plan.create.parameters)))
        return AggregateView(
            items=tuple(items),
            name=self.name,
            event=event_union(self.plan.ref.context),
            emits=bool(self.plan.emits),
            members=members,
            imports=imports_of(home, self.renderer),
        )

    def fields(self) -> list[str]:
        id_type = self.types.identifier(self.plan.ref)
        members = (*self.plan.fields, *self.plan.containments)
        fields = [f"{item.name}: {self.types.text(item.type)};" for item in members]
        return [f"readonly id: {id_type};", *fields, "version: number;"]

    def members(self) -> list[str]:
        plan = self.plan
        found: list[str] = []
        if plan.create is not None:
            found.append(factory(self.renderer, plan, plan.create))
        found += [self.getter(item) for item in plan.derived]
        for operation in plan.operations:
            found += self.operation(operation)
        if plan.destroy is not None:
            steps = Steps(self.renderer.at("this"), plan.fields)
            gates = steps.checks("authorize", plan.destroy.requires)
            found.append(shapes.method("destroy(): void", [*gates, *steps.block(plan.destroy.body)]))
        found += [self.function(item) for item in plan.functions]
        if plan.is_checked and (plan.create is not None or any(item.mutates for item in plan.operations)):
            found.append(shapes.method("private checkInvariants(): void", self.checks()))
        return found

    def getter(self, item: DerivedPlan) -> str:
        body = shapes.returned(self.renderer.code(item.value))
        return shapes.method(f"get {member_name(item.name)}(): {self.types.text(item.type)}", [body])

    def function(self, item: FunctionPlan) -> str:
        parameters = typed(item.parameters, self.types, item.body)
        head = shapes.signature(member_name(item.name), parameters, self.types.text(item.returns))
        return shapes.method(head, Steps(self.renderer.at("this")).block(item.body))

    def is_called(self, operation: str) -> bool:
        """Whether a sibling calls it."""
        nodes = descendants(*self.plan.operations, self.plan.create, self.plan.destroy)
        return any(isinstance(node, Invoke) and not node.receiver and node.operation == operation for node in nodes)

    def operation(self, plan: OperationPlan) -> list[str]:
        steps = Steps(self.renderer.at("this"), self.plan.fields)
        body, beside = self.gates(plan, steps)
        body += steps.block(plan.body)
        # The compiler refuses what is private and not called.
        name = f"{'private ' if plan.private and self.is_called(plan.name) else ''}{member_name(plan.name)}"
        read = (plan.requires, plan.body)
        head = shapes.signature(name, typed(plan.parameters, self.types, *read), self.types.text(plan.returns))
        return [shapes.method(head, body), *beside]

    def gates(self, plan: OperationPlan, steps: Steps) -> tuple[list[str], list[str]]:
        """What the body begins with, and the methods that it takes."""
        refusals = steps.checks("authorize", plan.requires)
        beside: list[str] = []
        if plan.when is not None:
            can = joined("can", plan.name)
            allowed = shapes.returned(self.renderer.code(plan.when.condition))
            beside = [shapes.method(f"{can}(): boolean", [allowed])]
            error = self.renderer.need(ERRORS, "DisallowedError")
            refusal = shapes.call(f"throw new {error}", [quoted(plan.when.detail)])
            refusals.append(shapes.block(f"if (!this.{can}())", [f"{refusal};"]))
        if plan.admission is None:
            return refusals, beside
        admit = admit_method(self.plan, plan.name)
        head = shapes.signature(admit, typed(plan.admission, self.types, plan.requires), "void")
        admitted = shapes.call(f"this.{admit}", [local_name(item.name) for item in plan.admission])
        return [f"{admitted};"], [shapes.method(head, refusals), *beside]

    def checks(self) -> list[str]:
        """The aggregate's own invariants, then those of everything it contains."""
        own = Steps(self.renderer.at("this")).checks("ensure", self.plan.invariants)
        return [*own, *self.part_checks(self.plan.containments, "this.state")]

    def part_checks(self, containments: Iterable[ContainmentPlan], owner: str) -> list[str]:
        found: list[str] = []
        for item in containments:
            if not item.is_checked:
                continue
            part = self.plan.part(item.part)
            source = f"{owner}.{item.name}"
            subject = spelling.instance_name(item.part) if item.many else source
            body = self.part_check(part, subject)
            if item.many:
                found.append(shapes.block(f"for (const {subject} of {source})", body))
            elif item.optional:
                found.append(shapes.block(f"if ({source} !== null)", body))
            else:
                found += body
        return found

    def part_check(self, part: PartPlan, subject: str) -> list[str]:
        own: list[str] = [f"{joined('check', part.name)}({subject});"] if part.invariants else []
        return [*own, *self.part_checks(part.containments, subject)]
