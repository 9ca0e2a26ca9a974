"""Mistakes in the bodies of operations, creates and functions."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class FunctionBlockNoReturn(Diagnostic):
    """A function's block can end without a `return`."""

    message = "function `{name}` does not return on every path"
    help = "end it with `return …`"

    name: str


class FunctionBlockImpure(Diagnostic):
    """A function changes, emits or calls something that does; functions only compute."""

    message = "function `{name}` cannot {what}"
    help = "move it to an operation"

    name: str
    what: str


class AssignmentTarget(Diagnostic):
    """An assignment names something that a body cannot set.

    Derived values, ids, versions, `immutable` fields after the create, parameters, locals and fields of
    another instance are such things.
    """

    message: ClassVar[dict[str, str]] = {
        "unknown": "`{name}` is no field that can be assigned",
        "derived": "`{name}` is derived and cannot be assigned",
        "identity": "`{name}` is kept by the aggregate itself and cannot be assigned",
        "immutable": "`{name}` is immutable and can only be set in a create",
        "local": "`{name}` is a parameter or local and cannot be assigned",
        "foreign": "`{name}` belongs to another instance; only own fields can be assigned",
        "function": "`{name}` is a function and cannot be assigned",
    }
    help: ClassVar[dict[str, str]] = {
        "unknown": "did you mean `{nearest}`?",
        "derived": "assign the fields that it is computed from",
        "identity": "remove the assignment",
        "immutable": "drop `immutable`, or set it in the create",
        "local": "bind a new name with `let`",
        "foreign": "call an operation of that aggregate",
        "function": "assign a field",
    }

    case: Literal["unknown", "derived", "identity", "immutable", "local", "foreign", "function"]
    name: str
    nearest: str


class CollectionElementType(Diagnostic):
    """`+=` or `-=` gives a collection an element of another type, or its target is neither collection nor number."""

    message = "`{operator}` on `{target}` takes {expected}, not {found}"
    help = "{hint}"

    operator: str
    target: str
    expected: str
    found: str
    hint: str


class EmitUnknownEvent(Diagnostic):
    """`emit` names no event of this context."""

    message = "unknown event `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class EmitMissingField(Diagnostic):
    """`emit` leaves out a field of its event."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "event `{event}` needs `{name}`"
    help = "add `{name}: …`"

    event: str
    name: str


class EmitUnknownField(Diagnostic):
    """`emit` names a field that its event does not have."""

    message = "event `{event}` has no field `{name}`"
    help = "did you mean `{nearest}`?"

    event: str
    name: str
    nearest: str


class StatementNotAllowed(Diagnostic):
    """A statement stands in a body that does not take it, such as `notFound` in an operation."""

    message = "{statement} cannot stand in {body}"
    help = "{hint}"

    statement: str
    body: str
    hint: str


class NotFoundOutsideHandler(Diagnostic):
    """`notFound` stands outside a workflow; an operation refuses with `precondition`."""

    message = "`notFound` can only stand in a workflow"
    help = "use `precondition … message …`"


class BareExpressionStatement(Diagnostic):
    """An expression that is no call stands as a statement: it would do nothing."""

    message = "this expression does nothing"
    help = "bind it with `let`, or remove it"


class DiscardedResult(Diagnostic):
    """A function is called and its result thrown away; functions change nothing."""

    message = "the result of `{name}` is thrown away"
    help = "bind it with `let`, or remove the call"

    name: str


class ReturnUntyped(Diagnostic):
    """An operation without a result type returns something."""

    message = "`{name}` declares no result"
    help = "add `: Type` after its parameters"

    name: str


class ReturnType(Diagnostic):
    """A `return` gives a value that does not fit the declared result."""

    message = "`{name}` returns {expected}, not {found}"
    help = "{hint}"

    name: str
    expected: str
    found: str
    hint: str


class ReturnMissing(Diagnostic):
    """An operation with a result type can end without a `return`."""

    message = "`{name}` does not return on every path"
    help = "end it with `return …`"

    name: str


class UnreachableStatement(Diagnostic):
    """A statement follows a `return` or `notFound` and never runs."""

    message = "this statement never runs"
    help = "remove it"


class LoopSource(Diagnostic):
    """`for` goes over something that is no collection."""

    message = "`for` needs a collection, not {found}"
    help = "name an array field, a containment or a list"

    found: str


class IfletBadSource(Diagnostic):
    """`if let` binds something that is never absent, or is no optional read."""

    message: ClassVar[dict[str, str]] = {
        "certain": "`if let` needs something that may be absent, not {found}",
        "inside": "`if let` cannot ask for {found} here, where it takes a name or a read",
    }
    help = "{hint}"

    case: Literal["certain", "inside"]
    found: str
    hint: str
