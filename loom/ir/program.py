"""Declarations: contexts with everything in them, and what the root of the model declares for all of them."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.access import Stance
from loom.ir.data import Migration, Seed
from loom.ir.delivery import Channel
from loom.ir.expressions import Expr
from loom.ir.members import Gate, Parameter, Test
from loom.ir.persistence import Filter, Shape, Stamp
from loom.ir.projections import Projection
from loom.ir.queries import Criterion, Retrieval
from loom.ir.services import DomainService
from loom.ir.statements import Cardinality, Statement
from loom.ir.types import Ref, Type


class Access(StrEnum):
    """Who may write and read a field (access matrix of the language)."""

    EDITABLE = "editable"
    IMMUTABLE = "immutable"
    MANAGED = "managed"
    TOKEN = "token"
    INTERNAL = "internal"
    SECRET = "secret"


class Check(Value):
    """`message` is empty when the author gave none; `source` is the canonical print of the condition.

    `projected` says whether request validation can decide it from this field alone.
    """

    condition: Expr
    message: str
    source: str
    projected: bool


class Property(Value):
    """A stored field. In a check's condition the field is read as Field(This, name).

    `sensitive` holds tags, and such values are kept out of logs; of a provenanced field it is recorded what each
    value came from. Whoever does not meet `mask`, which reads claims alone, gets null in answers.
    """

    sparse = ("sensitive", "provenanced", "mask")

    name: str
    type: Type
    access: Access = Access.EDITABLE
    default: Expr | None = None
    check: Check | None = None
    sensitive: tuple[str, ...] = ()
    provenanced: bool = False
    mask: Expr | None = None


class Containment(Value):
    name: str
    part: str
    many: bool
    optional: bool


class Derived(Value):
    name: str
    type: Type
    value: Expr


class Invariant(Value):
    """`when` is the author's guard; the invariant holds trivially where it is false."""

    condition: Expr
    when: Expr | None
    message: str
    source: str
    private: bool


class Function(Value):
    """Pure. The expression form is one Return."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    body: tuple[Statement, ...]


class Operation(Value):
    """A command of an aggregate. `requires` is the header's gate and the body's leading run, in order.

    The body no longer holds that leading run. `mutates` is false when nothing in the body, nor in what it
    calls, changes the instance or emits. The body of an `extern` one only guards: what it does is written in the
    language of its service. Of an `audited` one each success is recorded.
    """

    sparse = ("extern", "audited")

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    private: bool
    requires: tuple[Gate, ...]
    when: Gate | None
    body: tuple[Statement, ...]
    mutates: bool
    extern: bool = False
    audited: bool = False


class Create(Value):
    """The canonical create: its parameters are the request, its body sets the fields.

    `crudish` expands to parameters over all client-writable fields and a body that assigns each.
    Fields that no statement sets start as their default, null, or an empty collection.
    """

    sparse = ("audited",)

    parameters: tuple[Parameter, ...]
    requires: tuple[Gate, ...]
    body: tuple[Statement, ...]
    audited: bool = False


class Destroy(Value):
    """The canonical destroy: its parameters, where it has some, are the request."""

    sparse = ("audited", "parameters")

    requires: tuple[Gate, ...]
    body: tuple[Statement, ...]
    audited: bool = False
    parameters: tuple[Parameter, ...] = ()


class Part(Value):
    """An entity part: it has an id of its own and lives inside one aggregate."""

    name: str
    properties: tuple[Property, ...]
    containments: tuple[Containment, ...]
    derived: tuple[Derived, ...]
    invariants: tuple[Invariant, ...]
    functions: tuple[Function, ...]


class Find(Value):
    """`where` reads columns as Field(This, …) and parameters as Local; it is in the queryable subset.

    `ignoring` names the capabilities whose filters are lifted; `*` means all filters. `carrier` is `option` or
    `envelope`. `absent` is the error record that is answered when nothing is found; it reads parameters as Local.
    """

    sparse = ("ignoring", "carrier", "absent")

    name: str
    parameters: tuple[Parameter, ...]
    cardinality: Cardinality
    requires: tuple[Gate, ...]
    where: Expr | None
    ignoring: tuple[str, ...] = ()
    carrier: str = ""
    absent: Expr | None = None


class Applier(Value):
    """How an event changes the instance that is folded from its log: pure, and the same at every replay."""

    event: Ref
    parameter: str
    body: tuple[Statement, ...]


class Aggregate(Value):
    """Every one has an id and a version; neither is among its properties.

    `uniques` are the keys in declared order. A find called `all` replaces the automatic list. All `filters` hold in
    every read; rows that do not meet `writable` cannot be changed or destroyed, as if they were not there. What it
    inherits is among its members; `shares` names the abstract aggregate whose one table holds it.
    Of an `event_sourced` one only its events are kept: commands emit, and `appliers` say what an event changes.
    """

    sparse = ("filters", "stamps", "shape", "shares", "stance", "writable", "event_sourced", "appliers")

    name: str
    properties: tuple[Property, ...]
    containments: tuple[Containment, ...]
    parts: tuple[Part, ...]
    derived: tuple[Derived, ...]
    invariants: tuple[Invariant, ...]
    uniques: tuple[tuple[str, ...], ...]
    functions: tuple[Function, ...]
    operations: tuple[Operation, ...]
    create: Create | None
    destroy: Destroy | None
    repository: str
    finds: tuple[Find, ...]
    tests: tuple[Test, ...]
    filters: tuple[Filter, ...] = ()
    stamps: tuple[Stamp, ...] = ()
    shape: Shape = Shape.RELATIONAL
    shares: str = ""
    stance: Stance = Stance.NONE
    writable: Expr | None = None
    event_sourced: bool = False
    appliers: tuple[Applier, ...] = ()


class Enum(Value):
    name: str
    values: tuple[str, ...]


class ValueObject(Value):
    name: str
    properties: tuple[Property, ...]
    derived: tuple[Derived, ...]
    invariants: tuple[Invariant, ...]
    functions: tuple[Function, ...]
    tests: tuple[Test, ...]


class Event(Value):
    name: str
    fields: tuple[Property, ...]


class Record(Value):
    """A transport record: the flattened request of what takes it, or a variant of a union.

    An `error` one is answered as a problem, with the status that its api gives it.
    """

    sparse = ("error",)

    name: str
    fields: tuple[Property, ...]
    error: bool = False


class Isolation(StrEnum):
    READ_UNCOMMITTED = "readUncommitted"
    READ_COMMITTED = "readCommitted"
    REPEATABLE_READ = "repeatableRead"
    SERIALIZABLE = "serializable"


class WorkflowCreate(Value):
    """A command entry. `name` is empty for the canonical one.

    With a command `record`, `parameters` holds one parameter of RecordType and the request is that
    record's fields. `key` reads the parameters: the instance of that key is loaded, or begun, before the gates.
    """

    sparse = ("key",)

    name: str
    parameters: tuple[Parameter, ...]
    record: Ref | None
    returns: Type
    requires: tuple[Gate, ...]
    body: tuple[Statement, ...]
    key: Expr | None = None


class Reaction(Value):
    """What an event does: a starter loads or begins the instance of `key`, a reactor drops the event without one.

    `key` reads the event, which the local `parameter` holds. `name` is that of a named create, or empty.
    """

    name: str
    event: Ref
    parameter: str
    key: Expr
    requires: tuple[Gate, ...]
    body: tuple[Statement, ...]


class Workflow(Value):
    """`isolation` is set only when the model writes a level, and then `transactional` is true.

    Bodies read `state` as Field(This, …). `key` names the field of it that tells instances apart; without one there
    are none. `requires` gates the reading of instances. Those of an `event_sourced` one are folded from what its
    bodies emit.
    """

    sparse = ("state", "key", "requires", "starters", "reactors", "event_sourced", "appliers")

    name: str
    transactional: bool
    isolation: Isolation | None
    functions: tuple[Function, ...]
    creates: tuple[WorkflowCreate, ...]
    state: tuple[Property, ...] = ()
    key: str = ""
    requires: tuple[Gate, ...] = ()
    starters: tuple[Reaction, ...] = ()
    reactors: tuple[Reaction, ...] = ()
    event_sourced: bool = False
    appliers: tuple[Applier, ...] = ()


class Handler(Value):
    """An entry that an api routes to: it changes one aggregate, or with `query` only reads.

    `body` is None for one that is written in the language of its service.
    """

    name: str
    query: bool
    parameters: tuple[Parameter, ...]
    returns: Type
    body: tuple[Statement, ...] | None


class Context(Value):
    """One bounded context: the unit of namespace, schema, migrations and hosting."""

    sparse = (
        "handlers",
        "channels",
        "services",
        "criteria",
        "retrievals",
        "projections",
        "seeds",
        "migrations",
        "tests",
    )

    name: str
    enums: tuple[Enum, ...]
    value_objects: tuple[ValueObject, ...]
    events: tuple[Event, ...]
    records: tuple[Record, ...]
    aggregates: tuple[Aggregate, ...]
    workflows: tuple[Workflow, ...]
    handlers: tuple[Handler, ...] = ()
    services: tuple[DomainService, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    retrievals: tuple[Retrieval, ...] = ()
    projections: tuple[Projection, ...] = ()
    channels: tuple[Channel, ...] = ()
    seeds: tuple[Seed, ...] = ()
    migrations: tuple[Migration, ...] = ()
    tests: tuple[Test, ...] = ()


class Shared(Value):
    """What the root of the model declares for everybody: enums, value objects, functions and records."""

    sparse = ("records",)

    enums: tuple[Enum, ...]
    value_objects: tuple[ValueObject, ...]
    functions: tuple[Function, ...]
    records: tuple[Record, ...] = ()
