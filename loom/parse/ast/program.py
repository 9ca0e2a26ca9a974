"""Workflows, contexts, systems, files: what holds everything else."""

from __future__ import annotations

from loom.parse.ast.access import Auth, Permissions, Policy, Tenancy, User
from loom.parse.ast.data import Migration, Seed
from loom.parse.ast.deployment import (
    Api,
    Channel,
    ChannelSource,
    Deployable,
    EndToEndTest,
    Requirement,
    Resource,
    Solution,
    Storage,
    TestCase,
    TimerSource,
)
from loom.parse.ast.domain import (
    Aggregate,
    Apply,
    Capability,
    Criterion,
    DomainService,
    Enum,
    Event,
    Filter,
    Function,
    Implements,
    MacroCall,
    Parameter,
    Payload,
    PayloadUnion,
    PolicyFunction,
    Property,
    Repository,
    Retrieval,
    Stamp,
    Test,
    ValueObject,
)
from loom.parse.ast.expressions import Expression
from loom.parse.ast.projections import Projection, Reactor
from loom.parse.ast.shared import NameRef, Node, TypeRef, Unsupported
from loom.parse.ast.statements import Statement

SYSTEM_CHUNK = "system"


class WorkflowCreate(Node):
    """`name` is empty for the unnamed one, whose `at` is the keyword."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    by: Expression | None
    requires: Expression | None
    returns: TypeRef | None
    body: tuple[Statement, ...]


WorkflowMember = Property | WorkflowCreate | Reactor | Apply | Function | Unsupported


class Workflow(Node):
    """`isolation` is None without `transactional` and has no name for a bare one; `level` is one that stands alone.

    `event_sourced` is that word; `requires` gates the reading of instances. A removed `handle` is Unsupported.
    """

    at: int
    name: str
    isolation: NameRef | None
    members: tuple[WorkflowMember, ...]
    event_sourced: NameRef | None = None
    requires: Expression | None = None
    level: NameRef | None = None


class Handler(Node):
    """A `commandHandler` or `queryHandler`; `body` is None where none is written."""

    at: int
    name: str
    is_query: bool
    is_extern: bool
    parameters: tuple[Parameter, ...]
    returns: TypeRef | None
    body: tuple[Statement, ...] | None


ContextMember = (
    Enum
    | ValueObject
    | Aggregate
    | Event
    | Payload
    | PayloadUnion
    | Repository
    | Workflow
    | Criterion
    | Retrieval
    | Projection
    | DomainService
    | PolicyFunction
    | Policy
    | Seed
    | Handler
    | Channel
    | Test
    | Filter
    | Stamp
    | Implements
    | Unsupported
)


# Members that declare no name of their context.
Unnamed = Test | Filter | Stamp | Implements | Policy | Seed


class Context(Node):
    """`at` counts in the chunk `chunk`: the name, or `Name~2` for a second such context of the file."""

    at: int
    name: str
    chunk: str
    macros: tuple[MacroCall, ...]
    members: tuple[ContextMember, ...]


class Subdomain(Node):
    at: int
    name: str
    members: tuple[Context | Permissions, ...]


SystemMember = (
    Subdomain
    | Context
    | Deployable
    | Storage
    | Resource
    | Api
    | EndToEndTest
    | Function
    | Capability
    | ChannelSource
    | TimerSource
    | User
    | Auth
    | Tenancy
)


class System(Node):
    at: int
    name: str
    members: tuple[SystemMember, ...]


TopMember = (
    System
    | SystemMember
    | Enum
    | ValueObject
    | Payload
    | PayloadUnion
    | Test
    | Requirement
    | Solution
    | TestCase
    | Migration
)


class File(Node):
    """One `.ddd` file. UI blocks are not in it: the parser skipped them with a warning."""

    imports: tuple[Import, ...]
    members: tuple[TopMember, ...]


class Import(Node):
    at: int
    path: str
