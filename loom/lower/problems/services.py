"""Mistakes in domain services, and in calls of them."""

from __future__ import annotations

from typing import ClassVar

from loom.base import Diagnostic, Severity


class DomainServiceNoMutation(Diagnostic):
    """A domain service assigns a field; what aggregates hold is changed by their own operations."""

    message = "the domain service `{name}` assigns `{target}`"
    help = "call an operation of the aggregate"

    name: str
    target: str


class DomainServiceNoEmit(Diagnostic):
    """A domain service emits an event; events are told by aggregates and by workflows."""

    message = "the domain service `{name}` emits `{event}`"
    help = "emit it in an operation that the service calls, or in the workflow that calls the service"

    name: str
    event: str


class DomainServiceNoRepoWrite(Diagnostic):
    """A domain service creates, saves or deletes an aggregate; whoever calls it does."""

    message = "the domain service `{name}` writes with `{call}`"
    help = "take the aggregate as a parameter: whoever calls the service saves it"

    name: str
    call: str


class DomainServiceNoWorkflowStart(Diagnostic):
    """A domain service starts a workflow; it only decides, and leaves what follows to its caller."""

    message = "the domain service `{name}` starts the workflow `{workflow}`"
    help = "start it where the service is called"

    name: str
    workflow: str


class DomainServiceInfraCallFromAggregate(Diagnostic):
    """A service that reads repositories, or changes aggregates, is called from where neither may happen."""

    message = "`{call}` is {tier}, and cannot be called in {body}"
    help = "call it in a workflow or handler, and pass on its answer"

    call: str
    tier: str
    body: str


class DomainServiceSingleAggregate(Diagnostic):
    """Every operation of a domain service takes one instance of one aggregate: it could be an operation of that."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "the domain service `{name}` is about `{aggregate}` alone"
    help = "make its operations members of `{aggregate}`"

    name: str
    aggregate: str
