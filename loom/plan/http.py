"""Routes, requests and responses: all that a client can see of a service."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from loom.base import Value
from loom.ir.expressions import Expr
from loom.ir.members import Parameter
from loom.ir.types import AggregateType, Type


class CheckPlan(Value):
    """A field's own check, decided on the request: `message` is what `errors[]` says.

    `code` is `msg.<hash>` of an author's message, else empty. The field is read as Local(name).
    """

    condition: Expr
    message: str
    code: str


class InputPlan(Value):
    """One member of a request body, or one query parameter.

    `type` may be optional (null and absence are the same then). `default` is what absence means: the author's
    default, null, the empty list; without one (None) the input is required. An optional collection `is_lenient`: null
    is an empty one, as absence is.
    A text with U+0000 or half a surrogate pair is no string (`must be a string`): PostgreSQL cannot hold it.
    Checks are evaluated only for a value that is there.
    """

    name: str
    wire: str
    type: Type
    default: Expr | None
    checks: tuple[CheckPlan, ...]
    is_lenient: bool = False

    @property
    def required(self) -> bool:
        return self.default is None


class RequestPlan(Value):
    """A JSON object. Inputs are in the order in which violations are reported.

    Where none of them is required, no body at all is as good as an empty object.
    """

    inputs: tuple[InputPlan, ...]


class MemberSource(StrEnum):
    ID = "id"
    FIELD = "field"
    VERSION = "version"
    CONTAINMENT = "containment"
    DERIVED = "derived"


class MemberPlan(Value):
    """One member of a response object: `wire` is its key, `name` the declared member that it shows."""

    wire: str
    name: str
    source: MemberSource
    type: Type


class RouteKind(StrEnum):
    CREATE = "create"
    LIST = "list"
    FIND = "find"
    PREPARE = "prepare"
    BY_ID = "by id"
    PROBE = "probe"
    OPERATION = "operation"
    DESTROY = "destroy"
    WORKFLOW = "workflow"


class RouteStep(StrEnum):
    LOAD = "load"  # 404
    ADMIT = "admit"  # the gates, where values are made after them: 403
    CALL = "call"  # 403, 409, 422
    CHECK_VERSION = "check version"  # `If-Match`: 409
    SAVE = "save"  # 409
    DELETE = "delete"  # 409


class RoutePlan(Value):
    """One route. `path` has `{id}` where the aggregate's id stands; `member` is the operation, find or create.

    The order of the steps behind a route is the same everywhere: request shape (400, 415, 413, 422) and path
    id (422), load (404), `requires` (403), `when` (409), rules of value objects and body (422), invariants
    (422), `If-Match` and save (409), commit, dispatch of events, answer. `success` is the status of the answer;
    `responds` is the type of its body (NothingType: none). CREATE answers `{"id": …}`, PROBE
    `{"allowed": …}`, PREPARE an object of the inputs that have an ambient default: `prefill`, each with the
    value of its default. An answer in pages takes `paging` besides its own `query`. `steps` are what an OPERATION or
    a DESTROY does of this within its transaction.
    """

    kind: RouteKind
    method: str
    path: str
    operation_id: str
    member: str
    query: tuple[InputPlan, ...]
    request: RequestPlan | None
    success: int
    responds: Type
    prefill: tuple[InputPlan, ...] = ()
    paging: tuple[InputPlan, ...] = ()
    steps: tuple[RouteStep, ...] = ()

    @property
    def is_versioned(self) -> bool:
        """Whether the answer tells, as its `ETag`, the version of the one aggregate that it is about."""
        if self.kind is RouteKind.WORKFLOW:
            return False
        return self.kind in (RouteKind.CREATE, RouteKind.OPERATION) or isinstance(self.responds, AggregateType)

    @property
    def is_conditional(self) -> bool:
        """Whether the request may say, as `If-Match`, which version it is about."""
        return RouteStep.CHECK_VERSION in self.steps

    @property
    def inputs(self) -> tuple[InputPlan, ...]:
        """What may stand in the body of a request."""
        return self.request.inputs if self.request else ()

    def inputs_for(self, parameters: Iterable[Parameter]) -> tuple[InputPlan, ...]:
        """What of the body gives these parameters."""
        wanted = {item.name for item in parameters}
        return tuple(item for item in self.inputs if item.name in wanted)

    @property
    def parameters(self) -> tuple[InputPlan, ...]:
        """All that may stand in the query string."""
        return (*self.query, *self.paging)
