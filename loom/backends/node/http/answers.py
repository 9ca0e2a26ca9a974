"""The HTTP side of value objects and parts: schemas, readers, and their wire forms.

In: plans with `inputs` and `members`. Out: texts of constants and functions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from loom.backends.node import spelling
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.types import IDS, Types, http_values
from loom.backends.node.domain import imports_of
from loom.backends.node.http.requests import SCHEMAS, Requests
from loom.backends.node.model import Model
from loom.backends.node.spelling import domain_module, joined, member_name, quoted, type_name, values_module
from loom.backends.node.text import shapes
from loom.backends.node.views import ModuleView
from loom.base import descendants
from loom.emit.renderer import Code
from loom.ir.types import Ref, Type, ValueObjectType
from loom.plan.http import MemberPlan, MemberSource
from loom.plan.model import AggregatePlan, EnumPlan, PartPlan, RecordPlan, ValueObjectPlan

Key = TypeVar("Key", bound=Hashable)
Plan = TypeVar("Plan")


class Answers:
    """Make one per emitted file of the HTTP side."""

    def __init__(self, renderer: NodeRenderer) -> None:
        self.renderer = renderer
        self.types = Types(renderer.needs)
        self.requests = Requests(renderer)

    def enum(self, plan: EnumPlan) -> str:
        self.renderer.need(SCHEMAS, "*")
        choices = shapes.call("schema.oneOf", map(quoted, plan.values))
        return f"export const {type_name(plan.ref.name)}Schema = {choices};"

    def value_object(self, plan: ValueObjectPlan) -> list[str]:
        kind = ValueObjectType(ref=plan.ref)
        module, name = values_module(plan.ref), type_name(plan.ref.name)
        subject = spelling.instance_name(plan.ref.name)
        found: list[str] = [f"export const {name}Schema = {self.requests.body(plan.inputs)};"]
        if self.renderer.model.is_converted(kind):
            self.types.erased(module, name)
            made = self.requests.argument(plan.inputs.inputs, subject)
            if plan.invariants:
                create = self.renderer.need(module, joined("create", plan.ref.name))
                made = shapes.call(create, [made])
            found.append(self.reader(plan.ref.name, name, made))
        return [*found, self.body(plan.ref.name, self.types.erased(module, name), plan.members, plan.ref)]

    def record(self, plan: RecordPlan) -> str:
        name = self.types.erased(values_module(plan.ref), type_name(plan.ref.name))
        return self.body(plan.ref.name, name, plan.members, plan.ref)

    def part(self, plan: PartPlan) -> list[str]:
        module, name = domain_module(plan.aggregate), type_name(plan.name)
        subject = spelling.instance_name(plan.name)
        new_id = self.renderer.need(IDS, "newId")
        given = {item.name for item in plan.inputs.inputs}
        hidden = [
            shapes.member(field.name, self.renderer.at("this").code(field.initial))
            for field in plan.fields
            if field.name not in given and field.initial is not None
        ]
        converted = [item for item in plan.inputs.inputs if self.renderer.model.is_converted(item.type)]
        members = [f"id: {new_id}()", f"...{subject}", *hidden, *self.requests.members(converted, subject)]
        return [
            f"const {name}Schema = {self.requests.body(plan.inputs)};",
            self.reader(plan.name, self.types.erased(module, name), shapes.braces(members)),
            self.body(plan.name, self.types.erased(module, name), plan.members, plan.aggregate),
        ]

    def reader(self, name: str, type_: str, made: str) -> str:
        subject = spelling.instance_name(name)
        z = self.types.erased("zod", "z")
        parameter = f"{subject}: {z}.output<typeof {type_name(name)}Schema>"
        head = shapes.signature(f"export function {joined(name, 'from')}", [parameter], type_)
        return shapes.method(head, [f"return {made};"])

    def body(self, name: str, type_: str, members: Iterable[MemberPlan], owner: Ref) -> str:
        """The function that makes the wire form."""
        subject = spelling.instance_name(name)
        written = [shapes.member(item.wire, self.written(item, name, subject)) for item in members]
        subject = subject if written else f"_{subject}"
        head = f"export function {joined(name, 'wire')}({subject}: {type_})"
        return shapes.method(head, [f"return {shapes.braces(written)};"])

    def written(self, item: MemberPlan, owner: str, subject: str) -> Code:
        if item.source is MemberSource.DERIVED:
            value = self.renderer.need(self.derived_module, joined(owner, item.name))
            return self.types.written(item.type, f"{value}({subject})")
        return self.types.written(item.type, f"{subject}.{item.name}")

    derived_module = ""


def aggregate_body(renderer: NodeRenderer, plan: AggregatePlan) -> str:
    types = Types(renderer.needs)
    subject = spelling.instance_name(plan.ref.name)
    name = types.erased(domain_module(plan.ref), type_name(plan.ref.name))
    written = [shapes.member(item.wire, types.written(item.type, _source(item, subject))) for item in plan.members]
    head = f"export function {joined(plan.ref.name, 'wire')}({subject}: {name})"
    return shapes.method(head, [f"const {{ state }} = {subject};", f"return {shapes.braces(written)};"])


def _source(item: MemberPlan, subject: str) -> str:
    if item.source is MemberSource.DERIVED:
        return f"{subject}.{member_name(item.name)}"
    return f"state.{item.name}"


def http_values_view(
    model: Model,
    enums: Sequence[EnumPlan],
    objects: Sequence[ValueObjectPlan],
    answered: Sequence[RecordPlan],
    ref: Ref,
) -> ModuleView:
    """Schemas come before those that hold them."""
    renderer = NodeRenderer(model)
    items: list[str] = []
    answers = Answers(renderer)
    items += [answers.enum(item) for item in enums]
    answers.derived_module = values_module(ref)
    by_ref = {item.ref: item for item in objects}
    for item in inner_first(by_ref, lambda item: (ref for field in item.fields for ref in _held(field.type))):
        items += answers.value_object(item)
    items += [answers.record(item) for item in answered]
    return ModuleView(items=tuple(items), imports=imports_of(http_values(ref), renderer))


def inner_first(items: Mapping[Key, Plan], held: Callable[[Plan], Iterable[Key]]) -> Iterator[Plan]:
    """Each after those that it holds, as schemas must be; nothing holds itself."""
    done: set[Key] = set()

    def visit(key: Key) -> Iterator[Plan]:
        if key in items and key not in done:
            done.add(key)
            for inner in held(items[key]):
                yield from visit(inner)
            yield items[key]

    for key in items:
        yield from visit(key)


def _held(kind: Type) -> Iterator[Ref]:
    return (node.ref for node in descendants(kind) if isinstance(node, ValueObjectType))
