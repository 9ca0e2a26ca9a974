"""Mistakes in calls of resources, and in what they run over."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic


class ResourceVerbInvalid(Diagnostic):
    """A call names a verb that the resource does not have; each kind of resource has its own."""

    message = "`{resource}`, of kind `{kind}`, has no `{verb}`"
    help = "it has {verbs}"

    resource: str
    kind: str
    verb: str
    verbs: str


class ResourceOpOutsideWorkflow(Diagnostic):
    """A resource is called where nobody has it at hand: only bodies of workflows and handlers do, in a statement."""

    message: ClassVar[dict[str, str]] = {
        "outside": "`{name}` cannot be called in {body}",
        "inline": "the call `{name}` stands inside of an expression",
    }
    help: ClassVar[dict[str, str]] = {
        "outside": "call it in a workflow or handler, and pass the value",
        "inline": "bind it with `let` first",
    }

    case: Literal["outside", "inline"]
    name: str
    body: str


class ResourceOpInTransaction(Diagnostic):
    """A resource is called in a transaction, which could not take the call back."""

    message = "`{name}` is called in a transaction"
    help = "call it in `afterCommit {{ … }}`, or remove `transactional`"

    name: str


class ResourceMessage(Diagnostic):
    """What is sent to a resource has no form outside of the service."""

    message = "`{name}` cannot be sent {found}"
    help = "send fields of it: `{{ name: value }}`"

    name: str
    found: str
