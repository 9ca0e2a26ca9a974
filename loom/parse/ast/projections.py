"""Projections: what is folded from events, or asked of what is stored."""

from __future__ import annotations

from loom.parse.ast.domain import Parameter, Property
from loom.parse.ast.expressions import Expression
from loom.parse.ast.shared import NameRef, Node
from loom.parse.ast.statements import Statement


class Reactor(Node):
    """`on(paid: InvoicePaid) by paid.order { }`; `at` is the keyword."""

    at: int
    parameter: NameRef
    event: NameRef
    by: Expression | None
    body: tuple[Statement, ...]


class ProjectionSource(Node):
    """`from name as alias`; `alias` may be empty."""

    at: int
    name: str
    alias: str


class ProjectionJoin(Node):
    """`join aggregate as alias on key`; `at` is the aggregate's name."""

    at: int
    aggregate: str
    alias: NameRef
    on: Expression


class SelectItem(Node):
    at: int
    name: str
    value: Expression


class Projection(Node):
    """`folds` make rows from events, `source` and what follows it ask for them."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    key: NameRef | None
    requires: Expression | None
    fields: tuple[Property, ...]
    folds: tuple[Reactor, ...]
    source: ProjectionSource | None
    where: Expression | None
    ignoring: tuple[NameRef, ...]
    joins: tuple[ProjectionJoin, ...]
    groups: tuple[Expression, ...]
    selects: tuple[SelectItem, ...]
