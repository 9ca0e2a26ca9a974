"""Criteria and policies by themselves, so that each mistake in one is told, used or not.

In: the frame of the context. Out: reports; what they stand for is written where they are used.
"""

from __future__ import annotations

from loom.lower.declarations.members import parameters
from loom.lower.expressions.predicates import condition_of, with_default_target
from loom.lower.scope.frames import Frame


def check_predicates(frame: Frame) -> None:
    for name, shape in frame.scope.tables.predicates.items():
        frame.scope.source.declare(shape.declaration.at, name)
        parameters(frame, shape.parameters)
        condition_of(with_default_target(frame, shape), shape)
