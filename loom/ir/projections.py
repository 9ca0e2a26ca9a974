"""Projections: rows for reading, folded from events or asked of what is stored."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.expressions import Expr
from loom.ir.members import Gate, Parameter
from loom.ir.statements import Statement
from loom.ir.types import Ref, Type


class ProjectionFold(Value):
    """`key` says which row an event changes; the first of them makes it."""

    event: Ref
    parameter: str
    key: Expr
    body: tuple[Statement, ...]


class SourceKind(StrEnum):
    AGGREGATE = "aggregate"
    WORKFLOW = "workflow"
    PROJECTION = "projection"


class Summary(StrEnum):
    """What is told of many rows at once."""

    COUNT = "count"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


class ProjectionJoin(Value):
    """The instance of `aggregate` whose id `on` gives, as the local `name`."""

    name: str
    aggregate: Ref
    on: Expr


class ProjectionSelect(Value):
    """A field of the answer: `value`, or a summary over it; a count has none."""

    name: str
    type: Type
    summary: Summary | None
    value: Expr | None


class ProjectionQuery(Value):
    """Expressions read the source as Field(This, …), parameters and joined instances as Local.

    Without `selects` the source's own wire form is answered. With a summary among them and no `groups`, one object is.
    """

    kind: SourceKind
    source: Ref
    where: Expr | None
    ignoring: tuple[str, ...]
    joins: tuple[ProjectionJoin, ...]
    groups: tuple[Expr, ...]
    selects: tuple[ProjectionSelect, ...]


class Projection(Value):
    """Either `folds` over rows with `key` among their `fields`, or a `query`."""

    name: str
    parameters: tuple[Parameter, ...]
    requires: tuple[Gate, ...]
    key: str
    fields: tuple[Parameter, ...]
    folds: tuple[ProjectionFold, ...]
    query: ProjectionQuery | None
