"""The factory of an aggregate, written as its author would: values first, then the instance, then the rest.

In: the create of an aggregate. Out: a class method. What is a local before there is an instance is the Plan's.
"""

from __future__ import annotations

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer, new_id
from loom.backends.python.code.steps import Steps
from loom.backends.python.text.blocks import Function
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import Call, behind
from loom.backends.python.text.statements import Signature, Statement
from loom.emit.index import ServiceIndex
from loom.ir.expressions import Expr, ListLiteral
from loom.ir.statements import Assign
from loom.ir.types import IdType
from loom.plan.model import AggregatePlan, CreatePlan, DraftPlan


def create_method(index: ServiceIndex, plan: AggregatePlan, create: CreatePlan, needs: set[str]) -> Function:
    """`create`, with the parameters of the model as keywords."""
    needs.add("typing:Self")
    parameters = types.parameters(create.parameters, needs)
    fields = {item.name: item.type for item in (*plan.fields, *plan.containments)}
    steps = _FactorySteps(PythonRenderer(index, needs, "cls"), fields)
    return Function(
        decorators=("@classmethod",),
        head=Signature("def create", ["cls", *["*"][: len(parameters)], *parameters], "Self"),
        body=tuple(steps.factory(create, new_id(IdType(aggregate=plan.ref), needs))),
    )


class _FactorySteps(Steps):
    """Before there is an instance, `drafts` are the locals that stand for its members."""

    drafts: dict[str, DraftPlan]
    raised: str

    def factory(self, create: CreatePlan, own_id: str) -> list[str]:
        self.drafts = {item.name: item for item in create.drafts}
        self.raised = spelling.local_name(create.raised) if create.raised else ""
        self.bound.update({self.target(name): None for name in self.drafts})
        lines = self.refusals(create.requires, "ForbiddenError")
        lines += [self.declared(item, item.initial) for item in create.drafts if item.initial is not None]
        events: list[str] = []
        if self.raised:
            self.needs.add("app.events:DomainEvent")
            lines.append(f"{self.raised}: list[DomainEvent] = []")
            events.append(f"events={self.raised}")
        if create.identity:
            lines.append(Statement(f"{spelling.local_name(create.identity)} = ", own_id))
            own_id = spelling.local_name(create.identity)
        lines += self.lines(create.before)
        made = Call("cls", [behind("id=", own_id), *self.renderer.members(create.values), *events])
        if not create.after:
            return [*lines, Statement("return ", made)]
        self.drafts, self.raised, this = {}, "", spelling.local_name(create.instance)
        self.renderer.this = this
        return [*lines, Statement(f"{this} = ", made), *self.lines(create.after), Statement("return ", this)]

    def emitted(self, event: str) -> str:
        return filled("{}.append({})", self.raised, event) if self.raised else super().emitted(event)

    def target(self, name: str) -> str:
        draft = self.drafts.get(name)
        return super().target(name) if draft is None else spelling.local_name(draft.local)

    def assign(self, step: Assign) -> list[str]:
        draft = self.drafts.get(step.path[0])
        return super().assign(step) if draft is None or len(step.path) > 1 else [self.declared(draft, step.value)]

    def declared(self, draft: DraftPlan, value: Expr) -> Statement:
        """The local gets its value, with its type where its first value does not tell it."""
        target = self.target(draft.name)
        tells = value.type == draft.type and not (isinstance(value, ListLiteral) and not value.items)
        first = self.bound[target] is None
        self.bound[target] = draft.type
        text = self.renderer.kept(value)
        self.changes(target, None)
        if tells or not first:
            return Statement(f"{target} = ", text)
        return Statement(f"{target}: ", types.annotation(draft.type, self.needs), " = ", text)
