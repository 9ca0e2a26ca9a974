"""Mistakes in repositories and their finds."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic


class DuplicateFind(Diagnostic):
    """A repository declares a find twice."""

    message = "find `{name}` is declared twice"
    help = "rename one of them"

    name: str


class DuplicateRepository(Diagnostic):
    """An aggregate has two repositories."""

    message = "aggregate `{aggregate}` already has the repository `{other}`"
    help = "join their finds"

    aggregate: str
    other: str


class FindReservedName(Diagnostic):
    """A find has the name of a method that every repository has, or `all` with another shape."""

    message = "`{name}` is a method of every repository"
    help = "{hint}"

    name: str
    hint: str


class FindPagedParameter(Diagnostic):
    """A find that answers pages takes `page`, `pageSize`, `sort` and `dir` besides its own parameters."""

    message = "every page takes a parameter `{name}` of its own"
    help = "rename the parameter of the find"

    name: str


class FindResult(Diagnostic):
    """A find answers its own aggregate: one, an optional one, an array or a page."""

    message = "a find of `{aggregate}` cannot answer {found}"
    help = "write `{aggregate}`, `{aggregate}?`, `{aggregate}[]` or `{aggregate} paged`"

    aggregate: str
    found: str


class UnionFindShapeUnsupported(Diagnostic):
    """A find of a union answers its own aggregate, or one error record when there is none.

    The fields of that error are those parameters of the find that have their names.
    """

    message: ClassVar[dict[str, str]] = {
        "shape": "a find of `{aggregate}` cannot answer {found}",
        "error": "none of {found} is an error record",
        "field": "the field `{found}` of the error `{aggregate}` has no value here",
    }
    help: ClassVar[dict[str, str]] = {
        "shape": "write `{aggregate} or E`, with one `error E`",
        "error": "write `{aggregate} or E`, with one `error E`",
        "field": "make it optional, or add a parameter `{found}` of its type",
    }

    case: Literal["shape", "error", "field"]
    found: str
    aggregate: str


class FindGateNotCurrentUser(Diagnostic):
    """The `requires` of a find reads rows or parameters; it is evaluated before the query."""

    message = "the gate of find `{name}` cannot read `{what}`"
    help = "put the condition into `where`"

    name: str
    what: str


class FindWhereNotQueryable(Diagnostic):
    """The condition of a find is outside what a database can answer.

    A column is compared with one value; conditions are joined by `&&`, `||` and `!`. Arithmetic over
    columns, functions, derived values, containments and lambdas are outside.
    """

    message = "the condition cannot be asked of a database: {reason}"
    help = "compare one column with one value"

    reason: str


class FindWhereColumnColumn(Diagnostic):
    """The condition of a find compares two columns."""

    message = "a find cannot compare `{left}` with `{right}`"
    help = "compare a column with a parameter or a constant"

    left: str
    right: str


class FindWhereUnknownField(Diagnostic):
    """The condition of a find, or a parameter that stands for one, names no field of the aggregate."""

    message = "`{aggregate}` has no field `{name}`"
    help = "did you mean `{nearest}`?"

    aggregate: str
    name: str
    nearest: str


class FindParameterType(Diagnostic):
    """A parameter of a find cannot be sent in a query string, or does not fit its column."""

    message = "parameter `{name}` cannot be {found}"
    help = "use scalars, enums and ids"

    name: str
    found: str
