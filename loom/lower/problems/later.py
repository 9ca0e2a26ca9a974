"""Mistakes in what bodies leave for later."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic


class AfterCommitEffect(Diagnostic):
    """An `afterCommit` block changes or reads what is stored: the transaction is over by then.

    It may use resources and pure functions, and what the body bound before it.
    """

    message = "{what} cannot stand in `afterCommit`"
    help = "do it before, in the body"

    what: str


class EnqueueTarget(Diagnostic):
    """`enqueue` names something that takes no command."""

    message: ClassVar[dict[str, str]] = {
        "query": "`{name}` is a query handler, whose answer nobody would see",
        "event": "workflow `{name}` has no unnamed create that a command starts",
    }
    help: ClassVar[dict[str, str]] = {
        "query": "enqueue a command handler",
        "event": "emit the event that starts it, or name one of its creates: `{name}.…`",
    }

    case: Literal["query", "event"]
    name: str
