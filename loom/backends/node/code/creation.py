"""The factory of an aggregate: gates, what happens before there is an instance, the instance, the rest.

In: a CreatePlan. Out: the text of a static method. What is a local before there is an instance is the Plan's.
"""

from __future__ import annotations

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.steps import Steps
from loom.backends.node.spelling import local_name, type_name
from loom.backends.node.text import shapes
from loom.ir.expressions import Construct, EnumLiteral, ListLiteral
from loom.ir.statements import Assign
from loom.ir.types import IdType
from loom.plan.code.walk import mentions
from loom.plan.model import AggregatePlan, CreatePlan, DraftPlan


def factory(renderer: NodeRenderer, plan: AggregatePlan, create: CreatePlan) -> str:
    name = type_name(plan.ref.name)
    scope = {item.name: f"input.{item.name}" for item in create.parameters}
    reads = (*create.requires, *create.body, *create.values)
    is_read = any(mentions(reads, item.name) for item in create.parameters)
    given = f"{'input' if is_read else '_input'}: {name}Input" if create.parameters else ""
    steps = _FactorySteps(renderer.at("created", scope), (*plan.fields, *plan.containments))
    return shapes.method(f"static create({given}): {name}", steps.factory(name, IdType(aggregate=plan.ref), create))


class _FactorySteps(Steps):
    """Before there is an instance, `drafts` are the locals that stand for its members."""

    drafts: dict[str, DraftPlan]
    raised: str

    def factory(self, name: str, kind: IdType, create: CreatePlan) -> list[str]:
        self.drafts = {item.name: item for item in create.drafts}
        self.raised = local_name(create.raised) if create.raised else ""
        gates = self.checks("authorize", create.requires)
        declared = [self.declared(item) for item in create.drafts if item.initial or not item.is_constant]
        identity = f"{self.renderer.need('src/domain/ids', 'newId')}()"
        if self.raised:
            declared.append(f"const {self.raised}: {name}['events'] = [];")
        if create.identity:
            declared.append(f"const {local_name(create.identity)}: {self.types.text(kind)} = {identity};")
            identity = local_name(create.identity)
        before = self.block(create.before, (*create.values, *create.after))
        values = [shapes.member(item.name, self.renderer.code(item.value)) for item in create.values]
        state = shapes.braces([f"id: {identity}", *values, "version: 0"])
        made = [f"const created = new {name}({state});"]
        if self.raised:
            made.append(f"created.events.push(...{self.raised});")
        self.drafts, self.raised = {}, ""
        return [*gates, *declared, *before, *made, *self.block(create.after), "return created;"]

    def events(self) -> str:
        return self.raised or super().events()

    def declared(self, draft: DraftPlan) -> str:
        word = "const" if draft.is_constant else "let"
        declaration = f"{word} {self.place(draft.name)}: {self.types.text(draft.type)}"
        if draft.initial is None:
            return f"{declaration};"
        self.changes(self.place(draft.name), draft.initial)
        return shapes.assigned(declaration, self.renderer.code(draft.initial))

    def place(self, field: str) -> str:
        draft = self.drafts.get(field)
        return super().place(field) if draft is None else local_name(draft.local)

    def assign(self, step: Assign) -> str:
        draft = self.drafts.get(step.path[0])
        if draft is None or not draft.is_constant:
            return super().assign(step)
        self.changes(self.place(draft.name), step.value)
        tells = step.value.type == draft.type and not isinstance(step.value, EnumLiteral | ListLiteral | Construct)
        annotation = "" if tells else f": {self.types.text(draft.type)}"
        return shapes.assigned(f"const {self.place(draft.name)}{annotation}", self.renderer.code(step.value))
