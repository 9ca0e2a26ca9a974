"""Mistakes in projections."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity, Whole


class ProjectionKeyUnknown(Diagnostic):
    """A projection that folds events is keyed by one of its fields."""

    message: ClassVar[dict[str, str]] = {
        "unknown": "projection `{projection}` has no field `{name}` to be keyed by",
        "missing": "projection `{projection}` folds events without a key",
    }
    help: ClassVar[dict[str, str]] = {
        "unknown": "did you mean `{nearest}`?",
        "missing": "write `keyed by …` behind its name",
    }

    case: Literal["unknown", "missing"]
    projection: str
    name: str
    nearest: str


class ProjectionKeyNotId(Diagnostic):
    """The key of a projection is an id, which events give."""

    message = "`{name}` is {found} and cannot be the key"
    help = "key it by an id"

    name: str
    found: str


class ProjectionEventUnkeyed(Diagnostic):
    """An event does not say which row of the projection it changes."""

    message: ClassVar[dict[str, str]] = {
        "none": "`{event}` has no field `{key}` that says which row it changes",
        "type": "`{event}` gives {found} where the key is {expected}",
    }
    help = "write `by …` with the id that the event holds"

    case: Literal["none", "type"]
    event: str
    key: str
    expected: str
    found: str


class ProjectionDuplicateOn(Diagnostic):
    """A projection folds one event twice."""

    message = "`{event}` is folded already"
    help = "put both into one `on`"

    event: str


class ProjectionFoldImpure(Diagnostic):
    """A fold reads its event and its row, and changes that row: it gives the same at every replay."""

    message = "a fold cannot {what}"
    help = "assign fields of the row from what the event holds"

    what: str


class ProjectionGateNotCurrentUser(Diagnostic):
    """The gate of a projection is decided before anything is read: it sees the caller alone."""

    message = "the gate of `{name}` cannot read `{what}`"
    help = "ask for claims of `currentUser` and for permissions alone"

    name: str
    what: str


class ProjectionQueryAndFoldInvalid(Diagnostic):
    """A projection is folded from events, or asked of what is stored; not both."""

    message = "projection `{name}` has {folding} and {part}"
    help = "make two projections; one can be the source of the other"

    name: str
    folding: str
    part: str


class ProjectionFieldsWithoutSelect(Diagnostic):
    """A row has a field that nothing fills."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "nothing fills `{field}`"
    help = "add it to `select`, or remove it"

    field: str


class ProjectionSelectUnresolved(Diagnostic):
    """What a projection selects names nothing of its source, its joins and its parameters."""

    message = "`{name}` is nothing of `{source}`"
    help = "did you mean `{nearest}`?"

    name: str
    source: str
    nearest: str


class ProjectionShorthandNonaggregate(Diagnostic):
    """Without a `select` a projection answers its source as it is, which only an aggregate has a form for."""

    message = "`{source}` is no aggregate, so its rows need a `select`"
    help = "write `select field = …`"

    source: str


class ProjectionAggregateArgNotColumnar(Diagnostic):
    """A summary takes a column: the database makes it."""

    message = "`{summary}` takes a column"
    help = "name a column of the source"

    summary: str


class ProjectionGroupbyMissing(Diagnostic):
    """Summaries stand beside values of single rows, and nothing says of which rows a summary is told."""

    message = "`{field}` is a value of each row, beside summaries of all"
    help = "add `group by …`"

    field: str


class ProjectionGroupbyNoAggregate(Diagnostic):
    """Rows are grouped, and nothing is told of a group."""

    message = "projection `{name}` groups rows and summarises nothing"
    help = "select a `count()`, `sum(…)`, `avg(…)`, `min(…)` or `max(…)`"

    name: str


class ProjectionGroupbySelectNotGrouped(Diagnostic):
    """A value of single rows is selected that the rows of a group may differ in."""

    message = "`{field}` is not what the rows are grouped by"
    help = "add its value to `group by`"

    field: str


class ProjectionGroupbyKeyNotColumnar(Diagnostic):
    """Rows are grouped by columns, or by the days of one."""

    message = "rows cannot be grouped by this expression"
    help = "name a column, with `.startOfDay()` behind it if need be"


class ProjectionGroupbyJoinInvalid(Diagnostic):
    """Rows are grouped in the database, where nothing is joined."""

    message = "projection `{name}` groups rows and joins `{aggregate}`"
    help = "leave one of the two to another projection"

    name: str
    aggregate: str


class ProjectionGroupbyKeyedInvalid(Diagnostic):
    """Groups have no key of their own: they are what they are grouped by."""

    message = "projection `{name}` groups rows and is keyed by `{key}`"
    help = "remove `keyed by {key}`"

    name: str
    key: str


class ProjectionGroupbySourceInvalid(Diagnostic):
    """Only rows of an aggregate are grouped."""

    message = "rows of `{source}` cannot be grouped"
    help = "group rows of an aggregate"

    source: str


class ProjectionSourceSelf(Diagnostic):
    """A projection is its own source."""

    message = "projection `{name}` is its own source"
    help = "name an aggregate, a workflow or another projection"

    name: str


class ProjectionSourceNotMaterialized(Diagnostic):
    """The source of a projection keeps no rows: it is asked itself."""

    message = "projection `{source}` keeps no rows"
    help = "name what it is asked of"

    source: str


class ProjectionSourceJoinInvalid(Diagnostic):
    """Rows of a projection are joined with nothing."""

    message = "rows of the projection `{source}` cannot be joined with `{aggregate}`"
    help = "fold what is needed into `{source}`"

    source: str
    aggregate: str


class ProjectionSourceIgnoringNoEffect(Diagnostic):
    """Projections have no filters that could be ignored."""

    message = "the projection `{source}` has no filters to ignore"
    help = "remove `ignoring`"

    source: str


class ProjectionWorkflowSourceNotObservable(Diagnostic):
    """A workflow without a key keeps no instances."""

    message = "the workflow `{source}` keeps no instances"
    help = "declare an id field in it, by which they are told apart"

    source: str


class ProjectionWorkflowSourceEventsourcedInvalid(Diagnostic):
    """The instances of an event-sourced workflow are folded when they are asked for; no table holds them."""

    message = "the workflow `{source}` is event-sourced and has no table"
    help = "fold its events into a projection"

    source: str


class ProjectionWorkflowSourceJoinInvalid(Diagnostic):
    """Instances of workflows are joined with nothing."""

    message = "instances of the workflow `{source}` cannot be joined with `{aggregate}`"
    help = "read `{aggregate}` on its own"

    source: str
    aggregate: str


class ProjectionWorkflowSourceIgnoringNoEffect(Diagnostic):
    """Workflows have no filters that could be ignored."""

    message = "the workflow `{source}` has no filters to ignore"
    help = "remove `ignoring`"

    source: str


class ProjectionParamUnused(Diagnostic):
    """A projection takes a parameter that nothing in it reads."""

    needs_whole: ClassVar[Whole] = "system"
    severity: ClassVar[Severity] = Severity.WARNING
    message = "parameter `{name}` is never read"
    help = "remove it from the projection"

    name: str


class ProjectionJoinKey(Diagnostic):
    """What is joined is found by its id."""

    message = "`{aggregate}` is joined on its id, not on {found}"
    help = "write the field that holds the `{aggregate} id`"

    aggregate: str
    found: str


class FieldMaskProjectionSource(Diagnostic):
    """A projection reads an aggregate with a masked field, and its rows would show what the mask hides."""

    message = "`{aggregate}` masks `{field}`, so no projection reads it"
    help = "fold its events into a projection, or remove the mask"

    aggregate: str
    field: str
