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
from loom.plan.code.walk import mentions
from loom.plan.model import AggregatePlan, CreatePlan, DraftPlan


def factory(renderer: NodeRenderer, plan: AggregatePlan, create: CreatePlan) -> str:
    name = type_name(plan.ref.name)
    scope = {item.name: f"input.{item.name}" for item in create.parameters}
    reads = (*create.requires, *create.body, *create.values)
    is_read = any(mentions(reads, item.name) for item in create.parameters)
    given = f"{'input' if is_read else '_input'}: {name}Input" if create.parameters else ""
    steps = _FactorySteps(renderer.at("created", scope), (*plan.fields, *plan.containments))
    return shapes.method(f"static create({given}): {name}", steps.factory(name, create))


class _FactorySteps(Steps):
    """Before there is an instance, `drafts` are the locals that stand for its members."""

    drafts: dict[str, DraftPlan]

    def factory(self, name: str, create: CreatePlan) -> list[str]:
        self.drafts = {item.name: item for item in create.drafts}
        gates = [self.check("authorize", gate.condition, gate.detail) for gate in create.requires]
        declared = [self.declared(item) for item in create.drafts if not item.is_constant]
        before = self.block(create.before, (*create.values, *create.after))
        values = [shapes.member(item.name, self.renderer.code(item.value)) for item in create.values]
        state = shapes.braces([f"id: {self.renderer.need('src/domain/ids', 'newId')}()", *values, "version: 0"])
        self.drafts = {}
        made = f"const created = new {name}({state});"
        return [*gates, *declared, *before, made, *self.block(create.after), "return created;"]

    def declared(self, draft: DraftPlan) -> str:
        declaration = f"let {self.place(draft.name)}: {self.types.text(draft.type)}"
        if draft.initial is None:
            return f"{declaration};"
        return shapes.assigned(declaration, self.renderer.code(draft.initial))

    def place(self, field: str) -> str:
        draft = self.drafts.get(field)
        return super().place(field) if draft is None else local_name(draft.local)

    def assign(self, step: Assign) -> str:
        draft = self.drafts.get(step.path[0])
        if draft is None or not draft.is_constant:
            return super().assign(step)
        tells = step.value.type == draft.type and not isinstance(step.value, EnumLiteral | ListLiteral | Construct)
        annotation = "" if tells else f": {self.types.text(draft.type)}"
        return shapes.assigned(f"const {self.place(draft.name)}{annotation}", self.renderer.code(step.value))
