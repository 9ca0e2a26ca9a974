"""Statements as written."""

from __future__ import annotations

from enum import StrEnum

from loom.parse.ast.expressions import Call, Expression, FieldValue
from loom.parse.ast.shared import NameRef, Node, TypeRef, Unsupported


class AssignOperator(StrEnum):
    SET = ":="
    ADD = "+="
    REMOVE = "-="


class Precondition(Node):
    at: int
    condition: Expression
    message: str | None


class Requires(Node):
    at: int
    condition: Expression


class Let(Node):
    at: int
    name: str
    value: Expression


class Assign(Node):
    """`target` is a Name or Members over a Name or This; `at` is the operator."""

    at: int
    target: Expression
    operator: AssignOperator
    value: Expression


class Emit(Node):
    """`at` is the event's name."""

    at: int
    event: str
    fields: tuple[FieldValue, ...]


class For(Node):
    """`at` is the loop's name."""

    at: int
    name: str
    source: Expression
    body: tuple[Statement, ...]


class IfLet(Node):
    at: int
    name: str
    source: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class If(Node):
    """Also a `match` whose arms are blocks."""

    at: int
    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class Return(Node):
    at: int
    value: Expression


class NotFound(Node):
    at: int
    message: str | None


class Evaluate(Node):
    """An expression that stands as a statement; legal only when it is a Call."""

    at: int
    value: Expression


class Expect(Node):
    """`expect actual.not.matcher(arguments)`; `matcher` is empty when the expression ends in none."""

    at: int
    actual: Expression
    is_negated: bool
    matcher: str
    arguments: tuple[Expression, ...]


class MatchCase(Node):
    """`Variant name => { … }`; `name` is None where the value is not named."""

    at: int
    variant: TypeRef
    name: NameRef | None
    body: tuple[Statement, ...]


class MatchBlocks(Node):
    """`match subject { … }` whose arms are blocks; `otherwise` is None without an `else`."""

    at: int
    subject: Expression
    cases: tuple[MatchCase, ...]
    otherwise: tuple[Statement, ...] | None


class AfterCommit(Node):
    """What is done once the body's work is committed; `at` is the keyword."""

    at: int
    body: tuple[Statement, ...]


class Enqueue(Node):
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
