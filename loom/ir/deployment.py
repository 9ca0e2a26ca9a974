"""The system that deploys contexts: storages, apis, deployables, and its end-to-end tests."""

from __future__ import annotations

from loom.base import Value
from loom.ir.access import Auth, Permission, Tenancy, UserClaim
from loom.ir.delivery import ChannelSource, Timer
from loom.ir.program import Isolation
from loom.ir.scenarios import Scenario
from loom.ir.traceability import Trace


class Subdomain(Value):
    sparse = ("permissions",)

    name: str
    contexts: tuple[str, ...]
    permissions: tuple[Permission, ...] = ()


class Config(Value):
    """A setting of a storage; `value` is written as JSON writes it."""

    name: str
    value: str


class Storage(Value):
    sparse = ("config",)

    name: str
    kind: str
    config: tuple[Config, ...] = ()


class Resource(Value):
    """`schema_name`, `table_prefix` and `isolation` are empty unless the model sets them."""

    name: str
    context: str
    kind: str
    storage: str
    schema_name: str
    table_prefix: str
    indexes: tuple[tuple[str, tuple[str, ...]], ...]
    isolation: Isolation | None


class Route(Value):
    """`{name}` in the path is given to the parameter of that name; others come from the body or the query."""

    method: str
    path: str
    context: str
    handler: str


class Api(Value):
    """`statuses` are those that errors are answered with, by the error's name."""

    sparse = ("routes", "statuses")

    name: str
    subdomain: str
    resource_style: bool
    routes: tuple[Route, ...] = ()
    statuses: tuple[tuple[str, int], ...] = ()


class Deployable(Value):
    """`port` is None when the model leaves it to the platform. With `authenticated`, whoever asks must be known.

    `channels` are the channel sources that it feeds or reads. `persistence` and `layout` are empty where the platform
    chooses.
    """

    sparse = ("authenticated", "channels", "persistence", "layout")

    name: str
    platform: str
    contexts: tuple[str, ...]
    resources: tuple[str, ...]
    serves: tuple[str, ...]
    port: int | None
    authenticated: bool = False
    channels: tuple[str, ...] = ()
    persistence: str = ""
    layout: str = ""


class System(Value):
    """`user` is None where nobody says what is known of callers."""

    sparse = ("traces", "channel_sources", "timers", "user", "auth", "tenancy")

    name: str
    subdomains: tuple[Subdomain, ...]
    contexts: tuple[str, ...]
    storages: tuple[Storage, ...]
    resources: tuple[Resource, ...]
    apis: tuple[Api, ...]
    deployables: tuple[Deployable, ...]
    scenarios: tuple[Scenario, ...]
    traces: tuple[Trace, ...] = ()
    channel_sources: tuple[ChannelSource, ...] = ()
    timers: tuple[Timer, ...] = ()
    user: tuple[UserClaim, ...] | None = None
    auth: Auth | None = None
    tenancy: Tenancy | None = None
