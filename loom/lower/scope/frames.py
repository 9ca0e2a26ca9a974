"""The surroundings of an expression or statement: names, the instance, and what kind of body it is.

In: made by whoever lowers a declaration. Out: read by every expression.
Never: changed; a binding or a narrowing gives a new frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

import msgspec
from msgspec.structs import replace

from loom.base import Diagnostic, NodePath
from loom.ir.expressions import Expr
from loom.ir.types import NOTHING, Type
from loom.lower.scope.names import Names
from loom.lower.scope.principal import Principal
from loom.lower.scope.shapes import AggregateShape, FunctionShape, InstanceShape, Tables, Tags
from loom.lower.scope.source import Source
from loom.parse import ast


class Body(StrEnum):
    """What is being lowered; the text is for messages."""

    OPERATION = "an operation"
    CREATE = "a create"
    DESTROY = "a destroy"
    FUNCTION = "a function"
    WORKFLOW_FUNCTION = "a function of a workflow"
    PURE = "a derived value or invariant"
    GATE = "a gate"
    MASK = "a mask"
    DEFAULT = "a default"
    FIND = "the condition of a find"
    RETRIEVAL = "the condition of a retrieval"
    FILTER = "a filter"
    CRITERION = "a criterion"
    CRITERION_OF_QUERY = "a criterion of a read"
    POLICY = "a policy"
    FIRST_STAMP = "a stamp on create"
    STAMP = "a stamp on update"
    WORKFLOW = "a workflow"
    HANDLER = "a handler"
    AFTER_COMMIT = "an `afterCommit` block"
    APPLY = "an `apply`"
    SOURCED_OPERATION = "an operation of an event-sourced aggregate"
    SOURCED_CREATE = "a create of an event-sourced aggregate"
    SOURCED_DESTROY = "a destroy of an event-sourced aggregate"
    SERVICE = "a domain service"
    FOLD = "a fold of a projection"
    PROJECTION = "a projection"
    TEST = "a test"
    CONTEXT_TEST = "a test of a context"
    SEED = "a seed"
    BACKFILL = "a backfill"


# Bodies that load and create aggregates, which are saved when they end.
ENTRIES = (Body.WORKFLOW, Body.HANDLER)
# Conditions that a database answers.
QUERIES = (Body.FIND, Body.RETRIEVAL, Body.FILTER, Body.CRITERION_OF_QUERY)


class Origin(StrEnum):
    """How a local came to be: a workflow saves what it loaded or created."""

    PARAMETER = "parameter"
    LET = "let"
    LOOP = "loop"
    LAMBDA = "lambda"
    LOADED = "loaded"
    CREATED = "created"
    DELETED = "deleted"


class Check(StrEnum):
    """Where something was compared with null that is read under it, without the guard of `? :` or `if let`."""

    AND = "&&"
    OR = "||"
    ELSE = "the branch behind `:`"
    IF = "if"
    BEFORE = "a statement before"


class Binding(msgspec.Struct, frozen=True):
    """`type` is None when its value was wrong: whatever uses it says nothing more. `tags` say how sensitive it is."""

    type: Type | None
    origin: Origin
    tags: Tags = frozenset()


class Scope(msgspec.Struct, frozen=True):
    """Everything that one context, or the root, declares.

    `total` holds the identities of the matches with blocks that leave no variant out.
    """

    names: Names
    tables: Tables
    source: Source
    principal: Principal = msgspec.field(default_factory=Principal)
    defaults: dict[int, Expr | None] = msgspec.field(default_factory=dict)
    total: set[int] = msgspec.field(default_factory=set)

    def report(self, problem: Diagnostic) -> None:
        self.source.report(problem)


# What is expected where a place says what it wants, and has been reported for that: nothing that only its type could
# tell is reported there once more (tests/corpus/lower/type-unknown-here.md).
UNTOLD: Type = NOTHING

Evaluate = Callable[["Frame", ast.Expression, Type | None], Expr | None]


class Frame(msgspec.Struct, frozen=True):
    """`narrowed` holds the types of guarded optionals by their printed path.

    `checked` holds the optionals that a comparison with null speaks of without making them certain.
    `read` collects the locals that were read; `owner` names the declaration for messages.
    `aggregate` is the one whose parts and operations are in reach; `functions` are a workflow's.
    `returns` is what the body must return; NOTHING when it declares no result.
    `missing` is the aggregate that the lookup around an `else` did not find; `looping` bodies are those of a `for`.
    A workflow's state is its `this`, of which `keyless` says that there is none. `folded` names the events that
    appliers fold, where nothing else counts.
    """

    scope: Scope
    body: Body
    evaluate: Evaluate
    this: InstanceShape | None = None
    aggregate: AggregateShape | None = None
    owner: str = ""
    locals: Mapping[str, Binding] = msgspec.field(default_factory=dict)
    narrowed: Mapping[str, Type] = msgspec.field(default_factory=dict)
    checked: Mapping[str, Check] = msgspec.field(default_factory=dict)
    functions: Mapping[str, FunctionShape] = msgspec.field(default_factory=dict)
    read: set[str] = msgspec.field(default_factory=set)
    returns: Type | None = None
    missing: str = ""
    keyless: bool = False
    transactional: bool = False
    looping: bool = False
    folded: frozenset[str] | None = None

    def at(self, number: int) -> NodePath:
        return self.scope.source.place(number)

    def report(self, problem: Diagnostic) -> None:
        self.scope.source.report(problem)

    def fail(self, problem: Diagnostic) -> Expr | None:
        """Reports, and answers that there is no expression."""
        self.scope.source.report(problem)
        return None

    def unsupported(self, at: int, feature: str) -> Expr | None:
        """Names a feature that is not understood yet, and answers that there is no expression."""
        self.scope.source.unsupported(at, feature)
        return None

    def lower(self, node: ast.Expression, expected: Type | None = None) -> Expr | None:
        """The expression, typed; None when it is wrong, which has been reported then."""
        return self.evaluate(self, node, expected)

    def bind(self, name: str, type_: Type | None, origin: Origin, tags: Tags = frozenset()) -> Frame:
        return replace(self, locals={**self.locals, name: Binding(type_, origin, tags)})

    def narrow(self, path: str, type_: Type) -> Frame:
        return replace(self, narrowed={**self.narrowed, path: type_})

    def within(self, body: Body) -> Frame:
        return replace(self, body=body)
