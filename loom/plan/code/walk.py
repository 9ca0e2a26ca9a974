"""Looking through trees of Values without knowing their kinds.

In: any Value, or a tuple of them. Out: the Values inside, the outer ones first.
Never: a decision about what they mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Value
from loom.ir.expressions import This
from loom.plan.steps import ExpectRefused, ForEachStep, IfPresentStep, IfStep, Step

# Most of a tree is names and numbers; leaving them out early halves the time of a walk.
_PLAIN = frozenset({str, int, bool, type(None)})


def descendants(*roots: object) -> Iterator[Value]:
    """Every Value within `roots`, themselves included, in reading order."""
    stack: list[object] = list(reversed(roots))
    while stack:
        item = stack.pop()
        if type(item) is tuple:
            stack += item[::-1]
        elif isinstance(item, Value):
            yield item
            stack += [part for part in reversed(item.__dict__.values()) if type(part) not in _PLAIN]


def reads_instance(*roots: object) -> bool:
    """Whether anything within `roots` reads the instance, or the row, that it is about."""
    return any(isinstance(item, This) for item in descendants(*roots))


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
