"""Steps of workflows as lines of Python: they read and store aggregates through repositories.

In: Plan steps, with every save in its place. Out: lines, and the repositories and flags that they need.
Never: a save or a commit that the Plan does not name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from loom.backends.python import spelling
from loom.backends.python.code.reads import read_method
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.code.steps import Steps, raised
from loom.backends.python.text.blocks import block
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import Call, behind
from loom.backends.python.text.statements import Statement
from loom.base import numbered
from loom.emit.narrowing import NOWHERE
from loom.ir.statements import (
    Cardinality,
    CreateInstance,
    Load,
    NotFound,
    Read,
)
from loom.ir.types import AggregateType, OptionalType, Ref
from loom.plan.model import WorkflowCreatePlan
from loom.plan.steps import DeleteStep, Save, Track, Tracked


class WorkflowSteps(Steps):
    """Bodies of workflows: they read and store aggregates through repositories."""

    def __init__(self, renderer: PythonRenderer, plan: WorkflowCreatePlan) -> None:
        super().__init__(renderer, {})
        self.commits = not plan.transactional
        self.bound.update({spelling.local_name(item.name): None for item in plan.parameters})
        self.repositories: dict[Ref, str] = {}
        self.flags: dict[str, str] = {}

    def repository(self, aggregate: Ref) -> str:
        if aggregate not in self.repositories:
            self.repositories[aggregate] = self.fresh(f"{spelling.module_name(aggregate.name)}_repository")
        return self.repositories[aggregate]

    def flag(self, name: str) -> str:
        """What tells whether the aggregate called `name` was changed."""
        if name not in self.flags:
            self.flags[name] = self.fresh(f"{spelling.local_name(name).rstrip('_')}_changed")
        return self.flags[name]

    def fresh(self, name: str) -> str:
        """A name of our own, or one near it that the model does not use."""
        chosen = next(item for item in numbered(name) if item not in self.bound)
        self.bound[chosen] = None
        return chosen

    def read(self, read: Read) -> str:
        function = f"{self.repository(read.aggregate)}.{read_method(read)}"
        return behind("await ", Call(function, map(self.text, read.arguments)))

    def stored(self, step: Load | CreateInstance | Save | Track | DeleteStep | NotFound) -> Iterable[str]:
        match step:
            case Load(name=name, read=read):
                text, one = self.read(read), AggregateType(ref=read.aggregate)
                kind = OptionalType(of=one) if read.cardinality is Cardinality.OPTIONAL else one
                return [Statement(f"{self.bind(name, kind)} = ", text)]
            case CreateInstance():
                return [self.created(step)]
            case Track(name=name, state=state):
                return [f"{self.flag(name)} = {state is Tracked.CHANGED}"]
            case Save():
                return self.save(step)
            case DeleteStep(name=name, aggregate=aggregate):
                deleted = filled("await {}.delete({})", self.repository(aggregate), self.renderer.local(name))
                return [Statement("", deleted), *self.commit()]
            case NotFound(detail=detail):
                self.renderer.known = NOWHERE
                return [raised("NotFoundError", detail, self.needs)]
        assert_never(step)

    def save(self, step: Save) -> list[str]:
        saved = filled("await {}.save({})", self.repository(step.aggregate), self.renderer.local(step.name))
        lines = [Statement("", saved), *self.commit()]
        return [Statement("if ", self.flag(step.name), after=":"), *block(lines)] if step.conditional else lines

    def commit(self) -> list[str]:
        return ["await work.commit()"] if self.commits else []

    def emitted(self, event: str) -> str:
        return filled("work.emit({})", event)
