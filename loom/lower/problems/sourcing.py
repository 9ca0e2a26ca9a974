"""Mistakes in what is kept as events: aggregates, workflows, and the folds of both."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class ApplierOnNonEventSourced(Diagnostic):
    """`apply` folds the events of an aggregate; one that is kept as state folds nothing."""

    message = "`{name}` is kept as state and applies no events"
    help = "write `persistedAs: eventLog` in its head, or remove the `apply`"

    name: str


class DuplicateApplier(Diagnostic):
    """An aggregate has two folds for one event."""

    message = "`{owner}` applies `{event}` twice"
    help = "do all of it in one `apply`"

    owner: str
    event: str


class EmittedEventNoApplier(Diagnostic):
    """An event-sourced aggregate emits an event that no `apply` of it folds, and so forgets it."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "`{owner}` emits `{event}` but does not apply it"
    help = "add `apply(event: {event}) {{ … }}`"

    owner: str
    event: str


class EventSourcedCommandMutation(Diagnostic):
    """A command of an event-sourced aggregate assigns a field: only what an `apply` assigns is ever seen again."""

    message: ClassVar[dict[str, str]] = {
        "assign": "{command} of an event-sourced aggregate cannot assign `{name}`",
        "macro": "`{name}` assigns fields, which no command of an event-sourced aggregate can",
    }
    help: ClassVar[dict[str, str]] = {
        "assign": "emit an event, and assign it in the `apply` of that event",
        "macro": "declare a create and operations that emit",
    }

    case: Literal["assign", "macro"]
    command: str
    name: str


class EventSourcedMultipleCreates(Diagnostic):
    """An event-sourced aggregate has two creates; its log begins in one way."""

    message = "event-sourced `{owner}` has a second create"
    help = "keep one create"

    owner: str


class EventSourcedCreateSilent(Diagnostic):
    """A create of an event-sourced aggregate can end without an event: then there is no log, and no instance."""

    message = "the create of `{owner}` does not emit an event on every path"
    help = "emit what has happened"

    owner: str


class LifecycleGuardEventSourced(Diagnostic):
    """`requires` stands in the create of an event-sourced aggregate."""

    message = "`requires` cannot stand in the create of an event-sourced aggregate"
    help = "use `precondition`, or gate the workflow that creates it"


class UniqueOnEventSourced(Diagnostic):
    """A unique key needs columns, which neither a log of events nor a document has."""

    message = "`{owner}` is {kept} and cannot have a unique key"
    help = "remove the key, or keep the aggregate as relational state"

    owner: str
    kept: str


class StampOnEventSourcedInvalid(Diagnostic):
    """A stamp assigns fields when an aggregate is saved; an event-sourced one is never saved."""

    message = "`{owner}` is event-sourced and cannot be stamped"
    help = "give the events what the stamp would assign"

    owner: str


class ApplierEmits(Diagnostic):
    """An `apply` emits; it only says what an event that has happened means."""

    message = "an `apply` cannot emit `{event}`"
    help = "emit it in the command that emits the event of this `apply`"

    event: str


class ApplierGuard(Diagnostic):
    """An `apply` refuses an event; what has happened cannot be refused any more."""

    message = "{statement} cannot stand in an `apply`"
    help = "check it in the command, before the event is emitted"

    statement: str


class ApplierImpure(Diagnostic):
    """An `apply` reads something that is another at each replay."""

    message = "{what}, which a replay of the log would read anew"
    help = "let the event carry it"

    what: str


class ApplierImpureCall(Diagnostic):
    """An `apply` calls something that is not pure."""

    message = "an `apply` cannot call `{name}`"
    help = "call functions only; let the event carry the rest"

    name: str


class ApplierStmtInvalid(Diagnostic):
    """An `apply` holds a statement other than assignments, `let` and `if`."""

    message = "{statement} cannot stand in an `apply`"
    help = "use assignments, `let` and `if`"

    statement: str


class WorkflowApplierOnNonEventSourced(Diagnostic):
    """`apply` folds the events of an `eventSourced` workflow; the state of another one is assigned."""

    message = "workflow `{name}` is not `eventSourced` and applies no events"
    help = "write `eventSourced` in its head, or assign its state where the event is heard"

    name: str


class WorkflowDuplicateApplier(Diagnostic):
    """An `eventSourced` workflow has two folds for one event."""

    message = "workflow `{owner}` applies `{event}` twice"
    help = "do all of it in one `apply`"

    owner: str
    event: str


class WorkflowEmittedEventNoApplier(Diagnostic):
    """An `eventSourced` workflow emits an event that no `apply` of it folds, and so forgets it."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "workflow `{owner}` emits `{event}` but does not apply it"
    help = "add `apply(event: {event}) {{ … }}`"

    owner: str
    event: str


class WorkflowEventsourcedAssign(Diagnostic):
    """The body of an `eventSourced` workflow assigns its state, which only an `apply` changes."""

    message = "an `eventSourced` workflow cannot assign `{name}` here"
    help = "emit an event, and assign it in the `apply` of that event"

    name: str


class WorkflowEventSourcedMutation(Diagnostic):
    """The body of an `eventSourced` workflow changes something other than by emitting."""

    message: ClassVar[dict[str, str]] = {
        "state": "an `eventSourced` workflow cannot change `{name}` with `{operator}` here",
        "call": "an `eventSourced` workflow only emits, and `{name}` changes an aggregate",
    }
    help: ClassVar[dict[str, str]] = {
        "state": "emit an event, and change it in the `apply` of that event",
        "call": "emit an event, and do it in a workflow that hears that event",
    }

    case: Literal["state", "call"]
    name: str
    operator: str = ""
