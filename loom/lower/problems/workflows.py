"""Mistakes in workflows and their bodies."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity, Whole


class DuplicateWorkflow(Diagnostic):
    """A context declares a workflow twice."""

    message = "workflow `{name}` is declared twice"
    help = "rename one of them"

    name: str


class WorkflowNameCollision(Diagnostic):
    """A workflow has the name of another member of its context."""

    message = "workflow `{name}` has the name of another member of context `{context}`"
    help = "rename the workflow"

    name: str
    context: str


class CanonicalCreateDuplicateWorkflow(Diagnostic):
    """A workflow has two unnamed creates."""

    message = "workflow `{workflow}` has two unnamed creates"
    help = "name one of them"

    workflow: str


class CreateNameConflictWorkflow(Diagnostic):
    """Two creates of a workflow have the same name."""

    message = "workflow `{workflow}` has two creates `{name}`"
    help = "rename one of them"

    workflow: str
    name: str


class WorkflowUncorrelatedStateWrite(Diagnostic):
    """A command create assigns workflow state without a correlation key: no row keeps it."""

    message = "`{name}` is assigned, but no key says which instance keeps it"
    help = "declare an id field in the workflow and pass it to the create"

    name: str


class WorkflowUncorrelatedStateRead(Diagnostic):
    """A command create reads workflow state without a correlation key: there is no instance to read."""

    message = "`{name}` is read, but no key says which instance holds it"
    help = "declare an id field in the workflow and pass it to the create"

    name: str


class WorkflowUnknownName(Diagnostic):
    """A name in a workflow body means nothing."""

    message = "unknown name `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class WorkflowUnknownBinding(Diagnostic):
    """A workflow or handler calls an operation on something that is not bound to an aggregate."""

    message: ClassVar[dict[str, str]] = {
        "bound": "`{name}` is not bound to an aggregate",
        "unbound": "nothing here is called `{name}`",
        "near": "nothing here is called `{name}`",
    }
    help: ClassVar[dict[str, str]] = {
        "bound": "load it first: `let {name} = …`",
        "unbound": "load it first: `let {name} = …`",
        "near": "did you mean `{nearest}`?",
    }

    case: Literal["bound", "unbound", "near"]
    name: str
    nearest: str = ""


class WorkflowUnknownOperation(Diagnostic):
    """An aggregate has no such operation."""

    message = "aggregate `{aggregate}` has no operation `{name}`"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class WorkflowPrivateOperation(Diagnostic):
    """A workflow calls a private operation."""

    message = "operation `{name}` of `{aggregate}` is private"
    help = "call a public operation"

    aggregate: str
    name: str


class WorkflowEmitUnknownEvent(Diagnostic):
    """A workflow emits something that is no event of this context."""

    message = "unknown event `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class WorkflowEmitUnknownField(Diagnostic):
    """A workflow emits a field that the event does not have."""

    message = "event `{event}` has no field `{name}`"
    help = "did you mean `{nearest}`?"

    event: str
    name: str
    nearest: str


class WorkflowEmitMissingField(Diagnostic):
    """A workflow emits an event without one of its fields."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "event `{event}` needs `{name}`"
    help = "add `{name}: …`"

    event: str
    name: str


class WorkflowParamUnused(Diagnostic):
    """A body never reads one of its parameters, which callers must send all the same."""

    needs_whole: ClassVar[Whole] = "system"
    severity: ClassVar[Severity] = Severity.WARNING
    message = "parameter `{name}` is never read"
    help = "remove it"

    name: str


class WorkflowUnrecognisedStatement(Diagnostic):
    """A statement stands in a workflow that only an aggregate's own bodies take."""

    message = "{statement} cannot stand in a workflow"
    help = "{hint}"

    statement: str
    hint: str


class WorkflowForeachSource(Diagnostic):
    """`for` in a workflow goes over something that is no read of many from a repository; a page is none."""

    needs_whole: ClassVar[Whole] = "system"
    message: ClassVar[dict[str, str]] = {
        "other": "`for` in a workflow needs a repository read",
        "one": "`{name}` finds one at most, and `for` needs many",
        "page": "`{name}` is paged, and `for` needs all that are found",
    }
    help: ClassVar[dict[str, str]] = {
        "other": "write `for item in Repository.find(…) {{ }}`",
        "one": "read it with `let` or `if let`, or declare a find that answers `T[]`",
        "page": "declare a find that answers `T[]` instead of `T paged`",
    }

    case: Literal["other", "one", "page"]
    name: str


class WorkflowForeachUnknownBinding(Diagnostic):
    """The body of a `for` calls something of a name that nothing is bound to."""

    message = "nothing in this `for` is called `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class WorkflowFunctionUsesState(Diagnostic):
    """A helper of a workflow reads the workflow's state."""

    message = "function `{name}` cannot read the workflow's `{field}`"
    help = "pass it as a parameter"

    name: str
    field: str


class WorkflowResultType(Diagnostic):
    """A workflow or handler answers something that cannot be sent."""

    message = "{body} cannot answer {found}"
    help = "answer a scalar, enum, id, value object, payload or aggregate"

    body: str
    found: str


class WorkflowReturnMissing(Diagnostic):
    """A create with a result can end without a `return`."""

    message = "`{name}` does not return on every path"
    help = "end it with `return …`"

    name: str


class WorkflowReturnUntyped(Diagnostic):
    """A create without a result type returns something."""

    message = "`{name}` declares no result"
    help = "add `: Type` after its parameters"

    name: str


class WorkflowReturnType(Diagnostic):
    """A create returns something else than it declares."""

    message = "`{name}` answers {expected}, not {found}"
    help = "{hint}"

    name: str
    expected: str
    found: str
    hint: str


class NotFoundDetail(Diagnostic):
    """A bare `notFound` stands where no lookup says what was not found."""

    message = "`notFound` needs a text here"
    help = 'write `notFound "…"`'


class TransactionalNoEffect(Diagnostic):
    """A transactional workflow changes nothing."""

    needs_whole: ClassVar[Whole] = "system"
    severity: ClassVar[Severity] = Severity.WARNING
    message = "workflow `{name}` is transactional but changes nothing"
    help = "remove `transactional`"

    name: str


class IsolationUnknown(Diagnostic):
    """An isolation level that does not exist."""

    message = "unknown isolation level `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class RecordPosition(Diagnostic):
    """A command record is one of several parameters; it is the only one, and is flattened into the body."""

    message = "`{name}` must be the only parameter"
    help = "list its fields, or give the other values to the record"

    name: str


class WorkflowCommandless(Diagnostic):
    """A workflow has no create: nothing can ever start it."""

    needs_whole: ClassVar[Whole] = "system"
    severity: ClassVar[Severity] = Severity.WARNING
    message = "nothing can start workflow `{name}`"
    help = "add `create(…) {{ }}`"

    name: str
