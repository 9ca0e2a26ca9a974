"""Looking through bodies.

In: steps, expressions, or what holds them. Out: every step of a body; whether an instance or a name is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Value
from loom.ir.expressions import Local, This
from loom.ir.statements import Invoke
from loom.ir.types import code_in
from loom.plan.steps import DeleteStep, ExpectRefused, ForEachStep, IfPresentStep, IfStep, Save, Step


def reads_instance(*roots: object) -> bool:
    """Whether anything within `roots` reads the instance, or the row, that it is about."""
    return any(isinstance(item, This) for item in code_in(*roots))


def locals_read(*roots: object) -> frozenset[str]:
    """The parameters and locals that anything within `roots` reads."""
    return frozenset(item.name for item in code_in(*roots) if isinstance(item, Local))


def mentions(steps: Iterable[Value], name: str) -> bool:
    """Whether steps read, change or store what is called `name`."""
    for node in code_in(*steps):
        match node:
            case Local(name=other) | Save(name=other) | DeleteStep(name=other) | Invoke(receiver=other):
                if other == name:
                    return True
            case _:
                pass
    return False


def every_step(body: Iterable[Step]) -> Iterator[Step]:
    """The steps of a body and of the blocks in it, without looking into expressions."""
    for step in body:
        yield step
        match step:
            case ForEachStep(body=inner):
                yield from every_step(inner)
            case IfStep(then=then, otherwise=otherwise) | IfPresentStep(then=then, otherwise=otherwise):
                yield from every_step((*then, *otherwise))
            case ExpectRefused(attempt=attempt):
                yield from every_step((attempt,))
            case _:
                pass
