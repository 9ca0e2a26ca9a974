"""The factory of an aggregate: gates, initial values, the body of its create, invariants.

In: a CreatePlan and the fields. Out: the text of a static method.

A field that the create always sets has no value before that. What comes up to the last such assignment is
the preparation: its assignments become members of the new state, or locals when they are not all plain. The
rest of the body runs on the instance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.steps import Steps, mentions
from loom.backends.node.code.types import Types
from loom.backends.node.spelling import type_name
from loom.backends.node.text import shapes
from loom.base import descendants
from loom.emit.renderer import Code
from loom.ir.expressions import Construct, EnumLiteral, Expr, Field, ListLiteral, This
from loom.ir.statements import Append, Assign, Let, Remove
from loom.plan.code.walk import reads_instance
from loom.plan.model import AggregatePlan, CreatePlan
from loom.plan.steps import Authorize, Guard, IfPresentStep, IfStep, Step


def factory(renderer: NodeRenderer, plan: AggregatePlan, create: CreatePlan) -> str:
    name = type_name(plan.ref.name)
    scope = {item.name: f"input.{item.name}" for item in create.parameters}
    is_read = any(mentions((*create.requires, *create.body), item.name) for item in create.parameters)
    given = f"{'input' if is_read else '_input'}: {name}Input" if create.parameters else ""
    head = f"static create({given}): {name}"
    body = _Factory(renderer, plan, scope).body(create)
    return shapes.method(head, [*body, "return created;"])


class _Factory:
    def __init__(self, renderer: NodeRenderer, plan: AggregatePlan, scope: dict[str, str]) -> None:
        self.renderer = renderer
        self.plan = plan
        self.scope = scope
        self.fields = (*plan.fields, *plan.containments)
        self.unset = frozenset(field.name for field in self.fields if field.initial is None)

    def body(self, create: CreatePlan) -> list[str]:
        count = _preparation(create.body, self.unset)
        before, after = create.body[:count], create.body[count:]
        steps = Steps(self.renderer.at("created", self.scope), self.fields)
        gates = [steps.check("authorize", gate.condition, gate.detail) for gate in create.requires]
        if _is_plain(before):
            return [*gates, *self.folded(steps, before), *steps.block(after)]
        return [*gates, *self.local(steps, before), *steps.block(after)]

    def folded(self, steps: Steps, before: Sequence[Step]) -> list[str]:
        """Assignments as members of the new state."""
        done = steps.block([step for step in before if not isinstance(step, Assign)])
        values = {step.path[0]: steps.renderer.code(step.value) for step in before if isinstance(step, Assign)}
        return [*done, self.construction(values)]

    def local(self, steps: Steps, before: Sequence[Step]) -> list[str]:
        """Assignments to locals, of which the new state is made."""
        names = {_changed(step) for step in descendants(*before) if isinstance(step, Assign | Append | Remove)}
        names |= self.unset
        types = Types(self.renderer.needs)
        drafts = {field.name: steps.bind(field.name) for field in self.fields if field.name in names}
        once = _assigned_once(before) & self.unset
        declared = [
            self.declared(drafts[field.name], types.text(field.type), field.initial)
            for field in self.fields
            if field.name in drafts and field.name not in once
        ]
        drafted = _DraftSteps(_DraftRenderer.of(steps.renderer, drafts), self.fields)
        drafted.once = once
        drafted.bound = steps.bound
        done = drafted.block(before)
        steps.renderer.scope = drafted.renderer.scope
        return [*declared, *done, self.construction({name: shapes.atom(local) for name, local in drafts.items()})]

    def declared(self, name: str, kind: str, initial: Expr | None) -> str:
        if initial is None:
            return f"let {name}: {kind};"
        return shapes.assigned(f"let {name}: {kind}", self.renderer.code(initial))

    def construction(self, values: dict[str, Code]) -> str:
        members: list[str] = [f"id: {self.renderer.need('src/domain/ids', 'newId')}()"]
        for field in self.fields:
            initial = shapes.atom("null") if field.initial is None else self.renderer.at("created").code(field.initial)
            members.append(shapes.member(field.name, values.get(field.name, initial)))
        state = shapes.braces([*members, "version: 0"])
        return f"const created = new {type_name(self.plan.ref.name)}({state});"


class _DraftRenderer(NodeRenderer):
    """Before there is an instance its fields are locals."""

    drafts: dict[str, str]

    @classmethod
    def of(cls, renderer: NodeRenderer, drafts: dict[str, str]) -> _DraftRenderer:
        made = cls(renderer.model, renderer.this, renderer.scope)
        made.needs = renderer.needs
        made.drafts = drafts
        return made

    def field(self, e: Field) -> str:
        return self.drafts[e.name] if isinstance(e.receiver, This) and e.name in self.drafts else super().field(e)


class _DraftSteps(Steps):
    """`once` names the fields whose only assignment is their declaration."""

    renderer: _DraftRenderer
    once: frozenset[str] = frozenset()

    def place(self, field: str) -> str:
        return self.renderer.drafts.get(field, super().place(field))

    def assign(self, step: Assign) -> str:
        if step.path[0] not in self.once:
            return super().assign(step)
        kind = next(item.type for item in self.fields if item.name == step.path[0])
        tells = step.value.type == kind and not isinstance(step.value, EnumLiteral | ListLiteral | Construct)
        annotation = "" if tells else f": {self.types.text(kind)}"
        return shapes.assigned(f"const {self.place(step.path[0])}{annotation}", self.renderer.code(step.value))


def _changed(step: Assign | Append | Remove) -> str:
    return step.path[0] if isinstance(step, Assign) else step.field


def _assigned_once(body: Sequence[Step]) -> frozenset[str]:
    """Fields that a step of the body itself assigns, and no other step."""
    changes = [step for step in descendants(*body) if isinstance(step, Assign | Append | Remove)]
    counts = Counter(map(_changed, changes))
    whole = [step.path[0] for step in body if isinstance(step, Assign) and len(step.path) == 1]
    return frozenset(name for name in whole if counts[name] == 1)


def _preparation(body: Sequence[Step], unset: frozenset[str]) -> int:
    """How many steps it takes until every field of `unset` has a value, and the plain assignments after them."""
    assigned: set[str] = set()
    count = 0
    while count < len(body) and not unset <= assigned:
        assigned |= _assigned(body[count : count + 1])
        count += 1
    while count < len(body) and _is_plain(body[: count + 1]):
        count += 1
    return count


def _assigned(steps: Iterable[Step]) -> frozenset[str]:
    """Fields that have a value after `steps`, whichever way they take."""
    found: frozenset[str] = frozenset()
    for step in steps:
        match step:
            case Assign(path=(field,)):
                found |= {field}
            case IfStep(then=then, otherwise=otherwise) | IfPresentStep(then=then, otherwise=otherwise):
                found |= _assigned(then) & _assigned(otherwise)
            case _:
                pass
    return found


def _is_plain(steps: Sequence[Step]) -> bool:
    """Whether the assignments can be members of a literal: each field once, after all checks, reading no field."""
    assigned: set[str] = set()
    for step in steps:
        match step:
            case Assign(path=(field,), value=value) if field not in assigned and not reads_instance(value):
                assigned.add(field)
            case Guard() | Authorize() | Let() if not assigned and not reads_instance(step):
                pass
            case _:
                return False
    return True
