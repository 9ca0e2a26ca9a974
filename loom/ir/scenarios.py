"""`test e2e` blocks: requests and expectations over JSON, run against a booted service."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.statements import Matcher
from loom.ir.types import Ref


class JsonText(Value):
    text: str


class JsonNumber(Value):
    text: str


class JsonBool(Value):
    value: bool


class JsonNull(Value):
    pass


class JsonMember(Value):
    name: str
    value: Json


class JsonObject(Value):
    members: tuple[JsonMember, ...]


class JsonArray(Value):
    items: tuple[Json, ...]


class JsonPath(Value):
    """A bound answer and the members to follow from it; `count` and `length` are sizes when they are last.

    The handle that a create binds is an object with an `id`; used as a request value it stands for that id.
    """

    name: str
    members: tuple[str, ...]


class JsonConcat(Value):
    """A template or a `+` chain of texts."""

    parts: tuple[Json, ...]


Json = JsonText | JsonNumber | JsonBool | JsonNull | JsonObject | JsonArray | JsonPath | JsonConcat


class RequestKind(StrEnum):
    CREATE = "create"
    GET_BY_ID = "getById"
    LIST = "list"
    DELETE = "delete"
    OPERATION = "operation"  # also `update`
    FIND = "find"
    WORKFLOW = "workflow"


class Request(Value):
    """One call of `api.…`: `member` is the operation, find or named create of the aggregate or workflow."""

    kind: RequestKind
    target: Ref
    member: str
    id: Json | None
    body: Json | None


class Send(Value):
    """A call whose answer `name` keeps (empty: nobody); anything but a success fails the scenario."""

    name: str
    request: Request


class BindValue(Value):
    name: str
    value: Json


class ExpectJson(Value):
    actual: Json
    matcher: Matcher
    expected: Json
    negated: bool


class ExpectRefusal(Value):
    """The call must fail; with `status` 0 any status from 400 on will do."""

    request: Request
    status: int


ScenarioStep = Send | BindValue | ExpectJson | ExpectRefusal


# Where the parts of a step stand (`Places`): below its scenario's name and its number, then one of these, then what
# is within it. A member of an object stands at its name, and at VALUE below that what it is given.
ID, BODY, BOUND, ACTUAL, EXPECTED = "id", "body", "bound", "actual", "expected"
VALUE = "="


class Scenario(Value):
    """A `test e2e` block; it runs once against each of `deployables`. `verifies` is a test case, or empty."""

    sparse = ("verifies",)

    name: str
    deployables: tuple[str, ...]
    steps: tuple[ScenarioStep, ...]
    verifies: str = ""
