"""Mistakes in what tells the instances of a workflow apart, and in what reaches them."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity


class WorkflowCorrelationRequired(Diagnostic):
    """Events reach an instance of a workflow, and an `eventSourced` one is a stream: a field must tell them apart.

    It is the only field of the workflow that holds an id, for example `order: Order id`.
    """

    message: ClassVar[dict[str, str]] = {
        "events": "workflow `{name}` hears events, but no field of it tells its instances apart",
        "sourced": "workflow `{name}` is `eventSourced`, but no field of it tells its streams apart",
        "by": "workflow `{name}` says `by`, but no field of it tells its instances apart",
    }
    help = "add a field that holds an id, for example `order: Order id`"

    case: Literal["events", "sourced", "by"]
    name: str


class CorrelationFieldAmbiguous(Diagnostic):
    """A workflow has several fields that hold an id: which of them tells its instances apart is not clear."""

    message = "{fields} of workflow `{name}` could each tell its instances apart"
    help = "keep one id among its fields"

    name: str
    fields: str


class CorrelationTypeMismatch(Diagnostic):
    """What `by` gives, or the field of the key's name, is no id of the key's kind."""

    message = "instances are told apart by `{key}`, which is {expected}, not {found}"
    help = "give it {expected}, with `by`"

    key: str
    expected: str
    found: str


class CorrelationUninferrable(Diagnostic):
    """Without `by`, an event must hold a field that is called like the key; so must a command of a stream."""

    message: ClassVar[dict[str, str]] = {
        "event": "event `{source}` has no field `{key}`, which tells the instances apart",
        "create": "`{source}` is not given `{key}`, which tells the streams apart",
    }
    help: ClassVar[dict[str, str]] = {
        "event": "say which of its fields does, with `by`",
        "create": "add a parameter `{key}`, or say `by`",
    }

    case: Literal["event", "create"]
    source: str
    key: str


class EventCreateOverlapWorkflow(Diagnostic):
    """Two creates of a workflow are started by one event."""

    message = "event `{event}` starts workflow `{workflow}` twice"
    help = "do all of it in one create"

    event: str
    workflow: str


class OnDuplicateSubscription(Diagnostic):
    """Two reactors of a workflow hear one event; both run, in the order in which they are declared."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "workflow `{workflow}` hears event `{event}` twice"
    help = "do all of it in one `on`"

    event: str
    workflow: str


class WorkflowResultOnEventCreate(Diagnostic):
    """Nobody waits for the answer of a create that an event starts."""

    message = "a create that an event starts has nobody to answer"
    help = "remove `: {result}`"

    result: str


class WorkflowRestartsItself(Diagnostic):
    """What an event starts emits that same event, and so would run again and again."""

    message = "workflow `{workflow}` emits `{event}`, which starts it again"
    help = "emit another event"

    event: str
    workflow: str


class TransactionalWithContinuations(Diagnostic):
    """Each reactor is a transaction of its own, so that `transactional` says nothing about a workflow with some."""

    message = "workflow `{name}` is `transactional` and has reactors"
    help = "move the reactors to a workflow of their own, or remove `transactional`"

    name: str


class IsolationRequiresTransactional(Diagnostic):
    """A level of isolation belongs to `transactional`."""

    message = "`{level}` needs `transactional`"
    help = "write `transactional({level})`"

    level: str


class WorkflowGateNotCurrentUser(Diagnostic):
    """`requires` in the head of a workflow gates the reading of instances, before one is read."""

    message = "the gate of workflow `{name}` reads `{what}`"
    help = "read only `currentUser` and constants; gate a command in its create"

    name: str
    what: str


class WorkflowKeyAssigned(Diagnostic):
    """What tells the instances of a workflow apart never changes."""

    message = "`{name}` tells instances apart and cannot be assigned"
    help = "remove the assignment"

    name: str
