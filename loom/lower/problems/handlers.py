"""Mistakes in command and query handlers, and in the routes that lead to them."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity, Whole


class DuplicateHandler(Diagnostic):
    """A handler has the name of something else in its context."""

    message = "`{name}` is {other} of this context already"
    help = "rename the handler"

    name: str
    other: str


class HandlerMissingBody(Diagnostic):
    """Only an `extern` handler is written elsewhere."""

    message = "handler `{name}` has no body"
    help = "write one, or say `extern` in front of it"

    name: str


class ExternHandlerHasBody(Diagnostic):
    """What an `extern` handler does is written in the language of its service."""

    message = "the extern handler `{name}` has a body"
    help = "write `;` in its place, or remove `extern`"

    name: str


class HandlerParamReservedId(Diagnostic):
    """A bare `id` is the instance's own; a handler has none."""

    message = "a handler cannot take a parameter `id`"
    help = "say whose id it is"


class CommandHandlerMultiAggregate(Diagnostic):
    """A command changes one aggregate; a workflow changes several."""

    message = "command handler `{name}` changes {aggregates}"
    help = "change one of them here and the others in a workflow"

    name: str
    aggregates: str


class QueryHandlerSaves(Diagnostic):
    """A query handler reads, and nothing is different afterwards."""

    message = "query handler `{name}` {what}"
    help = "make it a `commandHandler`"

    name: str
    what: str


class UnmappedErrorStatus(Diagnostic):
    """An error is answered that no api of the subdomain gives a status: callers are told that the service failed."""

    needs_whole: ClassVar[Whole] = "system"
    severity = Severity.WARNING
    message = "`{error}` is answered as 500"
    help = "write `httpStatus {error} -> …` in the api of its subdomain"

    error: str


class ReservedStructuralErrorName(Diagnostic):
    """An error record is called like an answer that every service gives by itself: a status for its name is one for
    all of those too."""

    severity = Severity.WARNING
    message = "`{name}` is what services answer by themselves"
    help = "rename the error"

    name: str


class RouteHandlerUnresolved(Diagnostic):
    """A route leads to no handler."""

    message: ClassVar[dict[str, str]] = {
        "context": "unknown context `{context}`",
        "handler": "context `{context}` has no handler `{name}`",
    }
    help = "did you mean `{nearest}`?"

    case: Literal["context", "handler"]
    context: str
    name: str
    nearest: str


class ReadContextRepoWrite(Diagnostic):
    """GET promises that nothing changes, and a command handler changes something."""

    message = "`GET {path}` leads to the command handler `{name}`"
    help = "use POST, PUT, PATCH or DELETE"

    path: str
    name: str


class RouteMethodUnknown(Diagnostic):
    """A route has a method that requests of an api do not have."""

    message = "unknown method `{method}`"
    help = "use GET, POST, PUT, PATCH or DELETE"

    method: str


class RouteDeclaredTwice(Diagnostic):
    """Two routes of an api answer the same requests."""

    message = "`{method} {path}` is declared twice"
    help = "change one of them"

    method: str
    path: str


class RoutePlaceholder(Diagnostic):
    """A placeholder of a path is given to the parameter of its name."""

    message: ClassVar[dict[str, str]] = {
        "unknown": "`{{{name}}}` is no parameter of `{handler}`",
        "twice": "`{{{name}}}` is in the path twice",
        "form": "the path `{name}` cannot be read",
    }
    help: ClassVar[dict[str, str]] = {
        "unknown": "did you mean `{{{nearest}}}`?",
        "twice": "rename one of them",
        "form": "begin it with `/`, and write placeholders as `{{name}}` between slashes",
    }

    case: Literal["unknown", "twice", "form"]
    name: str
    handler: str
    nearest: str


class HttpStatusRange(Diagnostic):
    """An error is answered with a status that says so."""

    message = "`{error}` cannot be answered with {status}"
    help = "choose a status from 400 to 599"

    error: str
    status: int
