"""Declarations outside contexts that say where and on what a system runs."""

from __future__ import annotations

from loom.parse.ast.domain import MacroCall
from loom.parse.ast.shared import NameRef, Node
from loom.parse.ast.statements import Statement


class Setting(Node):
    """`name: value` in a clause list; a name stands as NameRef."""

    at: int
    name: str
    value: str | int | bool | NameRef


class Connection(Node):
    """`env("DATABASE_URL")`; `kind` is `service`, `env`, `secret` or `literal`."""

    at: int
    kind: str
    value: str


class Storage(Node):
    at: int
    name: str
    type: NameRef | None
    instance: NameRef | None
    connection: Connection | None
    config: tuple[Setting, ...]


class Index(Node):
    """`Order.placedAt` or `Order.(customer, placedAt)`."""

    at: int
    entity: str
    columns: tuple[NameRef, ...]


class Resource(Node):
    """`settings` holds every scalar clause besides `for`, `kind`, `use`, under the name that was written."""

    at: int
    name: str
    context: NameRef | None
    kind: NameRef | None
    use: NameRef | None
    settings: tuple[Setting, ...]
    indexes: tuple[Index, ...]
    config: tuple[Setting, ...]


class Deployable(Node):
    """`platform` is as written, with its pin (`"node@v4"`). `auth` is `required`, `ui` or None.

    `persistence` and `layout` stand in the braces behind the platform.
    """

    at: int
    name: str
    platform: NameRef | None
    contexts: tuple[NameRef, ...]
    data_sources: tuple[NameRef, ...]
    channels: tuple[NameRef, ...]
    serves: tuple[NameRef, ...]
    port: Setting | None
    auth: NameRef | None = None
    persistence: NameRef | None = None
    layout: NameRef | None = None


class HttpStatus(Node):
    """`httpStatus OrderLost -> 410`; `at` is the error's name."""

    at: int
    error: str
    status: int


class Route(Node):
    """`route POST "/orders/{order}" -> Sales.PlaceOrder`; `at` is the method."""

    at: int
    method: str
    path: str
    context: NameRef
    handler: NameRef


class Api(Node):
    """`source` is the subdomain after `from`."""

    at: int
    name: str
    source: NameRef | None
    url_style: NameRef | None
    statuses: tuple[HttpStatus, ...] = ()
    routes: tuple[Route, ...] = ()
    macros: tuple[MacroCall, ...] = ()


class EndToEndTest(Node):
    """`at` is the test's title; `verifies` is a test case."""

    at: int
    name: str
    deployables: tuple[NameRef, ...]
    body: tuple[Statement, ...]
    verifies: NameRef | None = None


class Channel(Node):
    """How events of a context travel; what is not written is None."""

    at: int
    name: str
    carries: tuple[NameRef, ...]
    delivery: NameRef | None
    retention: NameRef | None
    key: NameRef | None


class ChannelSource(Node):
    """The storage over which a channel runs."""

    at: int
    name: str
    channel: NameRef | None
    storage: NameRef | None


class TimerSource(Node):
    """When an event is told by the clock; `every` is as written, `5m`."""

    at: int
    name: str
    event: NameRef | None
    cron: Setting | None
    every: Setting | None
    zone: Setting | None
    overlap: NameRef | None


class Requirement(Node):
    """What is wanted: `name` is `REQ-A-12`, say; a bare name among the settings stands as NameRef."""

    at: int
    name: str
    parent: NameRef | None
    settings: tuple[Setting, ...]


class Solution(Node):
    """What meets a requirement; `parts` are paths such as `Sales.Orders.Order.place`."""

    at: int
    name: str
    requirement: NameRef
    settings: tuple[Setting, ...]
    parts: tuple[NameRef, ...]


class TestCase(Node):
    """What shows that a requirement is met; `parts` as those of a solution."""

    at: int
    name: str
    requirement: NameRef
    settings: tuple[Setting, ...]
    parts: tuple[NameRef, ...]
