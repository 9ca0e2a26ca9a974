"""Statements of operations, creates, functions, workflows and tests, with their targets resolved."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.expressions import Expr, FieldValue
from loom.ir.types import Ref, Type


class Cardinality(StrEnum):
    """What a read gives: exactly one (a miss is 404), one or none, all, or a page."""

    ONE = "one"
    OPTIONAL = "optional"
    MANY = "many"
    PAGE = "page"


class ReadKind(StrEnum):
    BY_ID = "id"
    BY_KEY = "key"  # over a `unique` key; `name` is empty and the arguments follow the key's fields
    FIND = "find"  # a declared find; `name` says which
    CRITERION = "criterion"  # all that keep the criterion `name`, the arguments being its own
    RETRIEVAL = "retrieval"  # a declared retrieval; `name` says which
    INLINE = "inline"  # all that keep `where`, in the order of `sort`
    ALL = "all"


class SortKey(Value):
    """A column to order by; further names go into value objects. Equal rows are ordered by id."""

    path: tuple[str, ...]
    descending: bool


class Page(Value):
    """At most `limit` of what a read gives, from `offset` on."""

    offset: Expr
    limit: Expr


class Read(Value):
    """A repository read. `key` names the fields of the unique key for BY_KEY, in its declared order.

    `where` reads columns as Field(This, …), and locals of the body that reads. `ignoring` names capabilities whose
    filters are lifted; `*` means all. With `counts`, it is not read but told how many there are, as an int.
    """

    sparse = ("where", "sort", "page", "ignoring", "counts")

    kind: ReadKind
    aggregate: Ref
    cardinality: Cardinality
    name: str = ""
    key: tuple[str, ...] = ()
    arguments: tuple[Expr, ...] = ()
    where: Expr | None = None
    sort: tuple[SortKey, ...] = ()
    page: Page | None = None
    ignoring: tuple[str, ...] = ()
    counts: bool = False


class Let(Value):
    name: str
    value: Expr


class Precondition(Value):
    """`source` is the canonical print of the condition; `message` is empty when the author gave none."""

    condition: Expr
    message: str
    source: str


class Requires(Value):
    condition: Expr
    source: str


class Assign(Value):
    """`path` starts at a stored field of `this`, or of a workflow's state; further names go into value objects."""

    path: tuple[str, ...]
    type: Type
    value: Expr


class Append(Value):
    """`+=` on a collection field of `this`; `element` is its element type."""

    field: str
    element: Type
    value: Expr


class Remove(Value):
    """`-=` on a collection field of `this`: a part by its id, anything else by value."""

    field: str
    element: Type
    value: Expr


class Emit(Value):
    event: Ref
    fields: tuple[FieldValue, ...]


class Invoke(Value):
    """A call of an operation. `receiver` is a local's name, or empty for `this`.

    `bind` is the name that its result gets, or empty. `mutates` says whether a save must follow.
    """

    receiver: str
    aggregate: Ref
    operation: str
    arguments: tuple[Expr, ...]
    bind: str
    mutates: bool


class InvokeService(Value):
    """A call of an operation of a domain service. `bind` is the name that its result gets, or empty.

    `changes` are the locals of the caller that it changes, which a save must follow.
    """

    service: Ref
    operation: str
    arguments: tuple[Expr, ...]
    bind: str
    changes: tuple[str, ...]


class ForEach(Value):
    """Over a collection expression, or over a repository read (then each element is an aggregate)."""

    name: str
    source: Expr | None
    read: Read | None
    body: tuple[Statement, ...]


class If(Value):
    condition: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class IfLet(Value):
    """Binds `name` in `then` when the optional expression or read gives something."""

    name: str
    source: Expr | None
    read: Read | None
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


class MatchCase(Value):
    """`name` reads the subject as `variant` in `body`, when it is not empty."""

    variant: Type
    name: str
    body: tuple[Statement, ...]


class MatchVariants(Value):
    """Runs the case of the variant that `subject` is of, else `otherwise`."""

    subject: Expr
    cases: tuple[MatchCase, ...]
    otherwise: tuple[Statement, ...]


class Return(Value):
    value: Expr


class Load(Value):
    """`let name = Repository.…`: cardinality ONE answers 404 for a miss, OPTIONAL binds null."""

    name: str
    read: Read


class CreateInstance(Value):
    """`Aggregate.create(…)`: one value for each parameter of its create, in order, defaults filled in."""

    name: str
    aggregate: Ref
    arguments: tuple[FieldValue, ...]


class Delete(Value):
    name: str
    aggregate: Ref


class NotFound(Value):
    """Stops with 404. `detail` is always given: lowering writes `<Aggregate> not found` for a bare one."""

    detail: str


class Matcher(StrEnum):
    TO_BE = "toBe"
    TO_BE_GREATER_THAN = "toBeGreaterThan"
    TO_BE_GREATER_THAN_OR_EQUAL = "toBeGreaterThanOrEqual"
    TO_BE_LESS_THAN = "toBeLessThan"
    TO_BE_LESS_THAN_OR_EQUAL = "toBeLessThanOrEqual"
    TO_BE_SAME_INSTANT = "toBeSameInstant"


class Expect(Value):
    """`matcher` compares as the operator of the language does: `toBe` is `==` in the type of `actual`."""

    actual: Expr
    matcher: Matcher
    expected: Expr
    negated: bool


class ExpectThrow(Value):
    """The attempt must be refused (precondition, invariant, requires, gate). Only in tests.

    `attempt` is an Invoke, a CreateInstance, or a Let whose value construction fails.
    """

    attempt: Statement


class AfterCommit(Value):
    """What is done, at best, once the transaction that holds the body is committed."""

    body: tuple[Statement, ...]


class MessageField(Value):
    name: str
    value: Sent


class MessageObject(Value):
    """An object of a message; names are in the order in which they are written."""

    fields: tuple[MessageField, ...]


class MessageList(Value):
    items: tuple[Sent, ...]


# What leaves the service with a call: the wire form of a value, or a message made of several.
Sent = Expr | MessageObject | MessageList


class UseResource(Value):
    """A verb of a resource, such as `put` of an object store. `bind` is the name that its answer gets, or empty."""

    bind: str
    resource: str
    verb: str
    arguments: tuple[Sent, ...]
    answers: Type


class Enqueue(Value):
    """A command for after those that are queued already: a handler's, or a workflow's create by its name.

    `entry` is the name of that create and empty for the unnamed one; `workflow` tells the two kinds apart.
    """

    target: Ref
    workflow: bool
    entry: str
    arguments: tuple[Expr, ...]


Statement = (
    Let
    | Precondition
    | Requires
    | Assign
    | Append
    | Remove
    | Emit
    | Invoke
    | InvokeService
    | ForEach
    | If
    | IfLet
    | MatchVariants
    | Return
    | Load
    | CreateInstance
    | Delete
    | NotFound
    | Expect
    | ExpectThrow
    | AfterCommit
    | UseResource
    | Enqueue
)
