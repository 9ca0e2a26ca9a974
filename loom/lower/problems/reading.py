"""Mistakes in retrievals, and in reads by criterion, by retrieval, and with paging."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity


class RetrievalWhereNotQueryable(Diagnostic):
    """The condition of a retrieval is outside what a database can answer."""

    message = "the condition cannot be asked of a database: {reason}"
    help = "compare one column with one value"

    reason: str


class RetrievalWhereColumnColumn(Diagnostic):
    """The condition of a retrieval compares two columns with each other."""

    message = "`{left}` and `{right}` are both columns"
    help = "compare one column with one value"

    left: str
    right: str


class RetrievalWhereUnknownField(Diagnostic):
    """The condition of a retrieval names something that its aggregate does not have."""

    message = "aggregate `{aggregate}` has no `{name}` to select by"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class RetrievalSortUnknownField(Diagnostic):
    """A retrieval is sorted by what is no single column: a field that there is not, a collection, a derived value."""

    message = "`{path}` is no column of `{aggregate}`"
    help = "did you mean `{nearest}`?"

    path: str
    aggregate: str
    nearest: str


class RetrievalLoadsUnsupported(Diagnostic):
    """`loads:` says what to load with an instance; an aggregate is always loaded whole."""

    message = "`loads:` is not supported"
    help = "remove it: aggregates are loaded whole"


class FindallUnknownCriterion(Diagnostic):
    """`find`, `findAll` or `count` of a repository names no criterion."""

    message = "`{name}` is no criterion"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class FindallCriterionArity(Diagnostic):
    """A read gives a criterion too many values, or too few."""

    message = "the criterion `{name}` takes {expected}, not {found}"
    help = "its parameters: {parameters}"

    name: str
    expected: str
    found: int
    parameters: str


class FindallCriterionMismatch(Diagnostic):
    """A repository is read by a criterion that is about something else."""

    message: ClassVar[dict[str, str]] = {
        "other": "the criterion `{name}` is about `{target}`, and `{repository}` holds `{aggregate}`",
        "none": "the criterion `{name}` is about no aggregate",
    }
    help: ClassVar[dict[str, str]] = {
        "other": "read the repository of `{target}`",
        "none": "declare it `of {aggregate}`",
    }

    case: Literal["other", "none"]
    name: str
    target: str
    repository: str
    aggregate: str


class FindallNoPage(Diagnostic):
    """A read by criterion or retrieval loads all that there are, however many."""

    severity: ClassVar[Severity] = Severity.WARNING
    message = "`{name}` loads every instance that there is"
    help = "add `page: {{ offset: 0, limit: … }}`"

    name: str


class WorkflowRunUnknownRepository(Diagnostic):
    """`run` is called on a repository that does not exist."""

    message = "unknown repository `{name}`"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class WorkflowRunUnknownRetrieval(Diagnostic):
    """`run` names no retrieval, nor a criterion."""

    message = "`{name}` is no retrieval"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class WorkflowRunRetrievalMismatch(Diagnostic):
    """A repository runs a retrieval of another aggregate."""

    message = "the retrieval `{name}` reads `{target}`, and `{repository}` holds `{aggregate}`"
    help = "run it on the repository of `{target}`"

    name: str
    target: str
    repository: str
    aggregate: str


class ReadPage(Diagnostic):
    """`page:` says how many a read loads at most, and how many it leaves out before those."""

    message: ClassVar[dict[str, str]] = {
        "form": "`page:` takes an object",
        "unknown": "`page:` has no `{name}`",
        "limit": "`page:` says no `limit`",
        "none": "`{name}` loads no list and takes no `page:`",
    }
    help = "write `page: {{ offset: 0, limit: 50 }}`"

    case: Literal["form", "unknown", "limit", "none"]
    name: str


class ReadPosition(Diagnostic):
    """`ignoring` and `retrieval {{ … }}` belong to reads of repositories."""

    message: ClassVar[dict[str, str]] = {
        "ignoring": "nothing that is read stands before `ignoring`",
        "retrieval": "a `retrieval` stands where nothing is read",
    }
    help: ClassVar[dict[str, str]] = {
        "ignoring": "write it behind the call of a repository",
        "retrieval": "write it into `run(…)` of a repository",
    }

    case: Literal["ignoring", "retrieval"]
