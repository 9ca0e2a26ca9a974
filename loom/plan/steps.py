"""What bodies do, in order, with every text final and every save in its place."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.expressions import Compare, Expr
from loom.ir.statements import (
    Append,
    Assign,
    CreateInstance,
    Emit,
    Invoke,
    Let,
    Load,
    NotFound,
    Read,
    Remove,
    Return,
)
from loom.ir.types import Ref


class Guard(Value):
    """Stops with 422 and `detail` unless the condition holds."""

    condition: Expr
    detail: str


class Authorize(Value):
    """Stops with 403 and `detail` unless the condition holds."""

    condition: Expr
    detail: str


class Save(Value):
    """Stores a created, or a mutated loaded, aggregate; its events are dispatched once that is committed.

    `conditional`: only some of the ways that lead here mutate it (or delete it), so it is stored only if the last
    Track of its name said that it is changed.
    """

    name: str
    aggregate: Ref
    conditional: bool = False


class Tracked(StrEnum):
    BOUND = "bound"
    CHANGED = "changed"
    DELETED = "deleted"


class Track(Value):
    """What has become of an aggregate that a conditional Save asks about: a name was given to a loaded one, it was
    made or mutated, or it was deleted."""

    name: str
    state: Tracked


class DeleteStep(Value):
    name: str
    aggregate: Ref


class ForEachStep(Value):
    """Over `source`, or over what `read` gives."""

    name: str
    source: Expr | None
    read: Read | None
    body: tuple[Step, ...]


class IfStep(Value):
    condition: Expr
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


class IfPresentStep(Value):
    name: str
    source: Expr | None
    read: Read | None
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


class CheckRules(Value):
    """Stops with 422 unless the instance, and all that it contains, keeps its rules."""


class ExpectCompared(Value):
    """Unit tests only: the comparison holds, or does not where it is `negated`."""

    comparison: Compare
    negated: bool


class ExpectRefused(Value):
    """Unit tests only: the attempt is refused."""

    attempt: Step


Step = (
    Let
    | Guard
    | Authorize
    | Assign
    | Append
    | Remove
    | Emit
    | Invoke
    | ForEachStep
    | IfStep
    | IfPresentStep
    | Return
    | Load
    | CreateInstance
    | Save
    | Track
    | DeleteStep
    | CheckRules
    | NotFound
    | ExpectCompared
    | ExpectRefused
)
