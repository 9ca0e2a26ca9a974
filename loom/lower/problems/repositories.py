"""Mistakes in what workflows read, create and save."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class WorkflowUnknownRepository(Diagnostic):
    """A read names a repository that does not exist."""

    message = "unknown repository `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class WorkflowUnknownRepositoryMethod(Diagnostic):
    """A repository has no such method."""

    message = "repository `{repository}` has no `{name}`"
    help = "did you mean `{nearest}`?"

    repository: str
    name: str
    nearest: str


class WorkflowCrossContextRepository(Diagnostic):
    """A workflow names a repository of another context."""

    message = "repository `{name}` belongs to context `{context}`"
    help = "a workflow reads and writes its own context only"

    name: str
    context: str


class WorkflowInlineRepositoryCall(Diagnostic):
    """A repository read is nested in an expression; it is a statement of its own."""

    message = "`{name}` cannot be read inside an expression"
    help = "bind it first: `let found = {name}(…)`"

    name: str


class WorkflowLoadArrayUnsupported(Diagnostic):
    """A find that answers an array or a page is bound with `let`. `for` takes arrays; no workflow takes a page."""

    message: ClassVar[dict[str, str]] = {
        "many": "`{name}` answers many and cannot be bound with `let`",
        "page": "`{name}` is paged and cannot be bound with `let`",
    }
    help: ClassVar[dict[str, str]] = {
        "many": "write `for item in {name}(…) {{ }}`",
        "page": "declare a find that answers `T[]`, and write `for item in` it",
    }

    case: Literal["many", "page"]
    name: str


class WorkflowLoadNullableUnsupported(Diagnostic):
    """A read that may find nothing is bound with a plain `let`; only a declared `T?` find may be."""

    message = "`{name}` may find nothing and cannot be bound with `let`"
    help = "write `if let item = {name}(…) {{ }} else {{ }}`"

    name: str


class WorkflowCreateUnknownAggregate(Diagnostic):
    """A factory is called on something that is no aggregate of this context."""

    message = "unknown aggregate `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class WorkflowCreateMissingField(Diagnostic):
    """A factory call leaves out a required input."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "`{aggregate}.create` needs `{name}`"
    help = "add `{name}: …`"

    aggregate: str
    name: str


class WorkflowCreateArgs(Diagnostic):
    """The arguments of a factory call map onto no record of inputs."""

    message: ClassVar[dict[str, str]] = {
        "many": "`{aggregate}.create` takes at most {name}",
        "none": "`{aggregate}.create` has no inputs",
        "mixed": "`{aggregate}.create` mixes positions and names",
        "unknown": "`{aggregate}.create` has no input `{name}`",
        "twice": "`{aggregate}.create` is given `{name}` twice",
        "sourced": "event-sourced `{aggregate}` declares no create",
    }
    help: ClassVar[dict[str, str]] = {
        "many": "its inputs are {inputs}",
        "none": "write `{aggregate}.create()`",
        "mixed": "use one of the two",
        "unknown": "its inputs are {inputs}",
        "twice": "remove one of them",
        "sourced": "add `create(…) {{ emit … }}` to it",
    }

    case: Literal["many", "none", "mixed", "unknown", "twice", "sourced"]
    aggregate: str
    name: str
    inputs: str


class CreateUnknownField(Diagnostic):
    """A test creates an aggregate with something that is no input of its create.

    In a workflow or a handler the same is `loom.workflow-create-args`.
    """

    message = "`{aggregate}.create` has no input `{name}`"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class CreateServerField(Diagnostic):
    """A factory call sets a field that the server owns."""

    message = "`{name}` of `{aggregate}` is set by the server"
    help = "remove it, or declare a create that takes it"

    aggregate: str
    name: str


class CreateFieldType(Diagnostic):
    """An input of a factory call has the wrong type."""

    message = "`{name}` of `{aggregate}.create` takes {expected}, not {found}"
    help = "{hint}"

    aggregate: str
    name: str
    expected: str
    found: str
    hint: str


class FactoryPosition(Diagnostic):
    """`Agg.create` stands inside an expression or outside workflows and tests."""

    message = "`{name}.create` can only be bound with `let` in a workflow or test"
    help = "write `let made = {name}.create(…)`"

    name: str


class WorkflowExplicitSave(Diagnostic):
    """A workflow saves by hand; what it creates or changes is saved when the body ends."""

    message = "`{name}` is not written by hand"
    help = "remove it: changes are saved when the body ends"

    name: str


class WorkflowMutationUnsaved(Diagnostic):
    """Something is changed that no save covers: a bound result, an instance that was deleted, one that has no name,
    or one that a domain service loaded itself."""

    message: ClassVar[dict[str, str]] = {
        "bound": "`{name}` changes its aggregate, so its result cannot be bound",
        "deleted": "`{name}` was deleted and is not saved again",
        "handed": "what is given for `{name}` is changed, and has no name to be saved under",
        "service": "`{name}` is changed by the domain service that loaded it, which saves nothing",
    }
    help: ClassVar[dict[str, str]] = {
        "bound": "write the call as a statement of its own",
        "deleted": "call it before the delete",
        "handed": "bind it with `let`, and pass that name",
        "service": "take it as a parameter: whoever calls the service saves it",
    }

    case: Literal["bound", "deleted", "handed", "service"]
    name: str


class UniqueKeyUnknown(Diagnostic):
    """`findBy` or `getBy` names fields that are no `unique` key of the aggregate."""

    message = "`{aggregate}` has no unique key ({names})"
    help: ClassVar[Mapping[str, str]] = {
        "others": "its keys are {keys}",
        "none": "declare `unique ({names})` in `{aggregate}`",
        "unnamed": "name the fields: `{aggregate}` has no key",
    }

    case: Literal["others", "none", "unnamed"]
    aggregate: str
    names: str
    keys: str


class WorkflowCurrentuserFind(Diagnostic):
    """A workflow or handler reads through a find whose condition asks who calls.

    It may be run by a timer or an event, where nobody does, and would find nothing then.
    """

    message = "`{name}` chooses rows by `currentUser`"
    help = "declare a find that takes the value as a parameter, and give it `currentUser.…`"

    name: str
