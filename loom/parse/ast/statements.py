"""Statements as written."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from loom.parse.ast.expressions import Call, Expression, FieldValue
from loom.parse.ast.shared import NameRef, TypeRef, Unsupported


class AssignOperator(StrEnum):
    SET = ":="
    ADD = "+="
    REMOVE = "-="


@dataclass(frozen=True, slots=True)
class Precondition:
    at: int
    condition: Expression
    message: str | None


@dataclass(frozen=True, slots=True)
class Requires:
    at: int
    condition: Expression


@dataclass(frozen=True, slots=True)
class Let:
    at: int
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Assign:
    """`target` is a Name or Members over a Name or This; `at` is the operator."""

    at: int
    target: Expression
    operator: AssignOperator
    value: Expression


@dataclass(frozen=True, slots=True)
class Emit:
    """`at` is the event's name."""

    at: int
    event: str
    fields: tuple[FieldValue, ...]


@dataclass(frozen=True, slots=True)
class For:
    """`at` is the loop's name."""

    at: int
    name: str
    source: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class IfLet:
    at: int
    name: str
    source: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If:
    """Also a `match` whose arms are blocks."""

    at: int
    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Return:
    at: int
    value: Expression


@dataclass(frozen=True, slots=True)
class NotFound:
    at: int
    message: str | None


@dataclass(frozen=True, slots=True)
class Evaluate:
    """An expression that stands as a statement; legal only when it is a Call."""

    at: int
    value: Expression


@dataclass(frozen=True, slots=True)
class Expect:
    """`expect actual.not.matcher(arguments)`; `matcher` is empty when the expression ends in none."""

    at: int
    actual: Expression
    is_negated: bool
    matcher: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class MatchCase:
    """`Variant name => { … }`; `name` is None where the value is not named."""

    at: int
    variant: TypeRef
    name: NameRef | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class MatchBlocks:
    """`match subject { … }` whose arms are blocks; `otherwise` is None without an `else`."""

    at: int
    subject: Expression
    cases: tuple[MatchCase, ...]
    otherwise: tuple[Statement, ...] | None


@dataclass(frozen=True, slots=True)
class AfterCommit:
    """What is done once the body's work is committed; `at` is the keyword."""

    at: int
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Enqueue:
    """A command for later: of a handler, or of a workflow; `at` is the keyword."""

    at: int
    is_workflow: bool
    call: Call


Statement = (
    Precondition
    | Requires
    | Let
    | Assign
    | Emit
    | For
    | IfLet
    | If
    | Return
    | NotFound
    | Evaluate
    | Expect
    | MatchBlocks
    | AfterCommit
    | Enqueue
    | Unsupported
)
