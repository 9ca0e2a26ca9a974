"""The Plan: everything that a client, the database or an operator could notice if two services disagreed.

In: nothing (types only). Out: `ServicePlan`, one a deployable, the whole input of a backend.
Never: class names, frameworks, file names of a target, spans.
"""

from __future__ import annotations

from msgspec.structs import asdict

from loom.base import Value
from loom.ir.expressions import Expr, FieldValue
from loom.ir.members import Parameter
from loom.ir.program import Access
from loom.ir.statements import Cardinality
from loom.ir.types import PartType, RecordType, Ref, Type, ValueObjectType
from loom.plan.http import InputPlan, MemberPlan, RequestPlan, RoutePlan
from loom.plan.limits import LimitsPlan, ProbePlan
from loom.plan.queries import Condition
from loom.plan.steps import Step
from loom.plan.storage import EntityTables, MigrationPlan


class EnumPlan(Value):
    """Values are their own wire and stored spelling."""

    ref: Ref
    values: tuple[str, ...]


class StatePlan(Value):
    """What an instance holds under a name. `initial` is its value in a fresh one until something assigns it:
    the default, null, an empty list; absent (None) when the create always assigns it."""

    name: str
    wire: str
    type: Type
    initial: Expr | None


class FieldPlan(StatePlan):
    """A stored field."""

    access: Access


class DerivedPlan(Value):
    name: str
    wire: str
    type: Type
    value: Expr


class InvariantPlan(Value):
    """`condition` already includes the author's `when`; `detail` is the final text of the 422."""

    condition: Expr
    detail: str


class FunctionPlan(Value):
    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    body: tuple[Step, ...]


class GatePlan(Value):
    condition: Expr
    detail: str


class OperationPlan(Value):
    """A domain method. `requires` gates are evaluated first, for every caller, then `when` (409, `detail`),
    then the body, in which the rules are checked where it mutates an aggregate that has some.

    `admission`: the values of a request can break rules of their own, which only those learn whom the gates let in;
    so a route asks the gates first, with these parameters, and makes the other values afterwards.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    private: bool
    requires: tuple[GatePlan, ...]
    admission: tuple[Parameter, ...] | None
    when: GatePlan | None
    body: tuple[Step, ...]
    mutates: bool


class DraftPlan(Value):
    """A local, called `local`, that stands for the member `name` while there is no instance yet.

    It begins as `initial`; without one, the first assignment on each way gives it its value. `is_constant` says that it
    has that value for good. Assignments name the member, reads are of the local.
    """

    name: str
    local: str
    type: Type
    initial: Expr | None
    is_constant: bool


class CreatePlan(Value):
    """A factory: gates; drafts and what happens `before` there is an instance; the instance, under a new id and with
    `values` for all its members; what happens to it `after`, ending with a check of the rules where there are some.

    `instance` is a name for it that no parameter and no local has. Two more such names are empty unless what happens
    before asks for them: `identity` holds the id that the instance will have, `raised` the events that wait for it.
    """

    parameters: tuple[Parameter, ...]
    requires: tuple[GatePlan, ...]
    drafts: tuple[DraftPlan, ...]
    before: tuple[Step, ...]
    values: tuple[FieldValue, ...]
    identity: str
    raised: str
    instance: str
    after: tuple[Step, ...]

    @property
    def body(self) -> tuple[Step, ...]:
        return (*self.before, *self.after)


class DestroyPlan(Value):
    """What a delete does before; planned only where that is something."""

    requires: tuple[GatePlan, ...]
    body: tuple[Step, ...]


class ContainmentPlan(StatePlan):
    """Parts that an instance holds. `is_checked`: they have rules, or hold other parts that have."""

    part: str
    many: bool
    optional: bool
    is_checked: bool


class FindPlan(Value):
    """A repository method, also what its route calls. Rows are ordered by id. `where` None means all.

    Its gates are part of the method, so that they are asked whoever calls it: a route, a workflow, a handler.

    A ONE or OPTIONAL find that nothing matches answers 404 with `missing_detail` over HTTP.
    """

    name: str
    parameters: tuple[Parameter, ...]
    cardinality: Cardinality
    requires: tuple[GatePlan, ...]
    where: Condition | None
    missing_detail: str


class KeyPlan(Value):
    """A natural-key read over a `unique` key, planned only when a workflow uses it.

    `parameters` are its fields; who asks has all of them, so none is optional. `is_found`: some read allows absence;
    `is_required`: some read refuses it, with `missing_detail` as its 404.
    """

    parameters: tuple[Parameter, ...]
    is_found: bool
    is_required: bool
    missing_detail: str

    @property
    def fields(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.parameters)


class PartPlan(Value):
    """An entity part. `inputs` is its shape in a request, `members` in a response, both nested."""

    aggregate: Ref
    name: str
    fields: tuple[FieldPlan, ...]
    containments: tuple[ContainmentPlan, ...]
    derived: tuple[DerivedPlan, ...]
    invariants: tuple[InvariantPlan, ...]
    functions: tuple[FunctionPlan, ...]
    inputs: RequestPlan
    members: tuple[MemberPlan, ...]


class ValueObjectPlan(Value):
    """Invariants hold on construction (422 with `detail`), except when it is read back from the database."""

    ref: Ref
    fields: tuple[FieldPlan, ...]
    derived: tuple[DerivedPlan, ...]
    invariants: tuple[InvariantPlan, ...]
    functions: tuple[FunctionPlan, ...]
    inputs: RequestPlan
    members: tuple[MemberPlan, ...]


class EventPlan(Value):
    """`wire_type` is `<Context>.<Event>`; members are the event's JSON form."""

    ref: Ref
    fields: tuple[FieldPlan, ...]
    wire_type: str
    members: tuple[MemberPlan, ...]


class RecordPlan(Value):
    """A record: the flattened request of a workflow create, or what one answers."""

    ref: Ref
    fields: tuple[FieldPlan, ...]
    inputs: RequestPlan
    members: tuple[MemberPlan, ...]


class TestPlan(Value):
    name: str
    body: tuple[Step, ...]


class AggregatePlan(Value):
    """`members` is its response object; `routes` are in the order of registration (literal segments first).

    `sorts` are the (wire, column) pairs that a page may be sorted by, `id` first; none where nothing answers pages.
    `missing_detail` is `<Aggregate> {id} not found` with the braces to fill; `conflict_detail` is what the 409
    says of a delete while something refers to the aggregate. `emits` lists events it can raise.
    `is_listed`: all of them are answered in pages, and no find stands for that. `is_found_by_id`: a workflow reads
    it by an id that nothing may have. `is_deleted`: a route or a workflow deletes it. `is_checked`: it has rules,
    or one of its parts has.
    """

    ref: Ref
    fields: tuple[FieldPlan, ...]
    containments: tuple[ContainmentPlan, ...]
    parts: tuple[PartPlan, ...]
    derived: tuple[DerivedPlan, ...]
    invariants: tuple[InvariantPlan, ...]
    functions: tuple[FunctionPlan, ...]
    operations: tuple[OperationPlan, ...]
    create: CreatePlan | None
    destroy: DestroyPlan | None
    finds: tuple[FindPlan, ...]
    keys: tuple[KeyPlan, ...]
    tables: EntityTables
    members: tuple[MemberPlan, ...]
    sorts: tuple[tuple[str, str], ...]
    is_listed: bool
    is_found_by_id: bool
    is_deleted: bool
    is_checked: bool
    emits: tuple[Ref, ...]
    missing_detail: str
    conflict_detail: str
    routes: tuple[RoutePlan, ...]
    tests: tuple[TestPlan, ...]

    def operation(self, name: str) -> OperationPlan:
        return next(item for item in self.operations if item.name == name)

    def find(self, name: str) -> FindPlan:
        return next(item for item in self.finds if item.name == name)

    def part(self, name: str) -> PartPlan:
        return next(item for item in self.parts if item.name == name)


class WorkflowCreatePlan(Value):
    """One command entry. Saves stand in `body` where they happen; a Return comes after the saves it reports on.

    Events that the workflow itself emits are dispatched after all saves (after the commit when transactional).
    `log_name` is the workflow's declared name, for `workflow_started` and `workflow_completed`.
    `stores` are the aggregates that it reads, saves or deletes, in that order; `emits`: it raises events of its own.
    `isolation` is empty or in the words of SQL; `admission` as of an operation.
    """

    name: str
    log_name: str
    parameters: tuple[Parameter, ...]
    record: Ref | None
    returns: Type
    requires: tuple[GatePlan, ...]
    admission: tuple[InputPlan, ...] | None
    transactional: bool
    isolation: str
    stores: tuple[Ref, ...]
    emits: bool
    body: tuple[Step, ...]
    route: RoutePlan


class WorkflowPlan(Value):
    ref: Ref
    functions: tuple[FunctionPlan, ...]
    creates: tuple[WorkflowCreatePlan, ...]


class ContextPlan(Value):
    """`ids` are the aggregates whose ids occur in it; `shared` names what it uses of the model's root.

    `isolation` is the level of transactions that name none, in the words of SQL, or empty.
    """

    name: str
    schema_name: str
    isolation: str
    enums: tuple[EnumPlan, ...]
    value_objects: tuple[ValueObjectPlan, ...]
    events: tuple[EventPlan, ...]
    records: tuple[RecordPlan, ...]
    aggregates: tuple[AggregatePlan, ...]
    workflows: tuple[WorkflowPlan, ...]
    value_object_tests: tuple[TestPlan, ...]
    migrations: tuple[MigrationPlan, ...]
    ids: tuple[Ref, ...] = ()
    shared: tuple[str, ...] = ()


class SharedPlan(Value):
    """What the model's root declares and this service uses."""

    enums: tuple[EnumPlan, ...]
    value_objects: tuple[ValueObjectPlan, ...]
    functions: tuple[FunctionPlan, ...]
    value_object_tests: tuple[TestPlan, ...] = ()


Structured = ValueObjectType | PartType | RecordType
"""What has members, and a form of its own in requests and answers."""


class ServiceFrame(Value):
    """One deployable but for its contexts. `port` is the host port, `platform` the backend's name.

    `openapi` is the text of `openapi.json`, served as it is. `ids` are all aggregates whose ids occur in it.
    `requested` and `answered` are the values that stand in some request, in some answer. `session_options` are what
    PostgreSQL is given for each connection: a service has the strictest level that one of its contexts wants.
    """

    system: str
    deployable: str
    slug: str
    platform: str
    port: int
    database: str
    session_options: str
    shared: SharedPlan
    ids: tuple[Ref, ...]
    requested: tuple[Structured, ...]
    answered: tuple[Structured, ...]
    openapi: str
    limits: LimitsPlan
    probe: ProbePlan


class ServicePlan(ServiceFrame):
    """All that a backend reads. Frame and contexts are kept as values of their own, so that nothing is kept twice."""

    contexts: tuple[ContextPlan, ...]

    @classmethod
    def joined(cls, frame: ServiceFrame, contexts: tuple[ContextPlan, ...]) -> ServicePlan:
        return cls(**asdict(frame), contexts=contexts)

    @property
    def frame(self) -> ServiceFrame:
        return ServiceFrame(**{name: getattr(self, name) for name in ServiceFrame.field_names()})


class ServiceSummary(Value):
    """What deployment files need to know of one service."""

    deployable: str
    slug: str
    platform: str
    port: int
    internal_port: int
    database: str
    probe: ProbePlan


class ServiceScenarios(Value):
    """The `test e2e` blocks that run against one deployable, as text that the e2e driver reads (JSON)."""

    slug: str
    script: str


class SystemPlan(Value):
    """What is shared by all services of a system: the texts under `.loom/`, and a summary for deployment files."""

    system: str
    services: tuple[ServiceSummary, ...]
    wire_spec: str
    messages: str
