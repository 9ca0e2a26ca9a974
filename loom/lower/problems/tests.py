"""Mistakes in unit tests and end-to-end tests."""

from __future__ import annotations

from typing import ClassVar

from loom.base import Diagnostic, Whole


class TestNeedsTarget(Diagnostic):
    """A test outside its subject does not say what it is about."""

    needs_whole: ClassVar[Whole] = "system"
    __test__ = False
    message = "test `{name}` does not name its subject"
    help = 'write `test "…" for Name`'

    name: str


class TestRedundantFor(Diagnostic):
    """A test inside its subject names it again."""

    __test__ = False
    message = "test `{name}` already stands inside its subject"
    help = "remove `for …`"

    name: str


class DuplicateTest(Diagnostic):
    """Two tests of one subject have the same title."""

    message = "test `{name}` is declared twice"
    help = "rename one of them"

    name: str


class AggregateTestContext(Diagnostic):
    """A unit test uses a repository, a workflow or the API; it only makes and changes values."""

    message = "a unit test cannot use `{name}`"
    help = "make the aggregate with `create`, or write a `test e2e`"

    name: str


class ExpectWithoutMatcher(Diagnostic):
    """`expect` does not say what is expected."""

    message = "`expect` needs a matcher"
    help = "end it with `.toBe(…)` or `.toThrow()`"


class ExpectMatcher(Diagnostic):
    """A matcher that does not exist, takes other arguments, or belongs to the other kind of test."""

    message = "`{name}` cannot be used here"
    help = "{hint}"

    name: str
    hint: str


class ExpectThrowSubject(Diagnostic):
    """`toThrow` needs something that can be refused: an operation, a create or a builder."""

    message = "`toThrow` needs a call that can be refused"
    help = "put an operation, a create or a builder before it"


class E2eUnknownAggregate(Diagnostic):
    """`api.x` names no aggregate that the deployable serves."""

    message = "`{deployable}` serves no `{name}`"
    help = "did you mean `{nearest}`?"

    deployable: str
    name: str
    nearest: str


class E2eUnknownMethod(Diagnostic):
    """An aggregate has no such route."""

    message = "`{aggregate}` has no route `{name}`"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class E2eUnknownWorkflow(Diagnostic):
    """`api.workflows.x` names no workflow that the deployable serves."""

    message = "`{deployable}` serves no workflow `{name}`"
    help = "did you mean `{nearest}`?"

    deployable: str
    name: str
    nearest: str


class E2eUnresolvedCall(Diagnostic):
    """An end-to-end test calls something that is not a route of `api`."""

    message = "`{name}` is no call of `api`"
    help = "write `api.<plural>.<route>(…)`"

    name: str


class E2eUnresolvedRef(Diagnostic):
    """An end-to-end test names something that it did not bind."""

    message = "unknown name `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class E2eUnsupportedStatement(Diagnostic):
    """A statement or expression that end-to-end tests do not have."""

    message = "{statement} cannot stand in an end-to-end test"
    help = "use `let`, calls of `api` and `expect`"

    statement: str


class E2eArguments(Diagnostic):
    """A route is called with the wrong arguments."""

    message = "`{name}` takes {expected}"
    help = "write `{form}`"

    name: str
    expected: str
    form: str


class IntegrationFindMustBind(Diagnostic):
    """A test of a context reads inside of an expectation, or for nothing."""

    message = "`{name}(…)` stands inside of something else"
    help = "bind what it answers first: `let found = {name}(…)`"

    name: str
