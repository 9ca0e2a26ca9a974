"""Types as a program means them: every name resolved to the declaration it stands for."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value, descendants


class ScalarKind(StrEnum):
    """The built-in types; DURATION lives in expressions only and is never stored."""

    INT = "int"
    LONG = "long"
    DECIMAL = "decimal"
    MONEY = "money"
    STRING = "string"
    BOOL = "bool"
    DATETIME = "datetime"
    GUID = "guid"
    JSON = "json"
    DURATION = "duration"


class Ref(Value):
    """A declaration by context and name; `context` is empty for one at the root of the model."""

    context: str
    name: str


class Scalar(Value):
    kind: ScalarKind


class EnumType(Value):
    ref: Ref


class ValueObjectType(Value):
    ref: Ref


class PartType(Value):
    """An entity part of `aggregate`; parts of one name in two aggregates are two types."""

    aggregate: Ref
    name: str


class AggregateType(Value):
    ref: Ref


class IdType(Value):
    """The id of an aggregate, or of its part when `part` is not empty."""

    aggregate: Ref
    part: str = ""


class EventType(Value):
    ref: Ref


class ProjectionType(Value):
    """A row of a projection."""

    ref: Ref


class WorkflowType(Value):
    """An instance of a workflow; only `this` is of that type, in bodies that read the workflow's state."""

    ref: Ref


class RecordType(Value):
    """A transport record: the single parameter of a workflow create, or a variant of a union."""

    ref: Ref


class FileType(Value):
    """A stored file, by its key, address, content type and size."""


class OptionalType(Value):
    of: Type


class ArrayType(Value):
    of: Type


class PageType(Value):
    """One page of a list: what a `T paged` find answers."""

    of: Type


class OptionType(Value):
    """`T option`: on the wire `{type: "some", value}` or `{type: "none"}`. Read with `if let`."""

    of: Type


class EnvelopeType(Value):
    """`T envelope`: a single value with what is said about it."""

    of: Type


class UnionType(Value):
    """`A or B`: one of at least two types, told apart by name. Names of unions are written out."""

    variants: tuple[Type, ...]


class NullType(Value):
    """The type of `null` where nothing else is expected of it."""


class NothingType(Value):
    """What an operation without a return type answers."""


Type = (
    Scalar
    | EnumType
    | ValueObjectType
    | PartType
    | AggregateType
    | IdType
    | EventType
    | WorkflowType
    | ProjectionType
    | RecordType
    | FileType
    | OptionalType
    | ArrayType
    | PageType
    | OptionType
    | EnvelopeType
    | UnionType
    | NullType
    | NothingType
)


# kept by tests/unit/base/test_walk.py::test_code_is_all_that_is_no_type
_TYPES = frozenset({"Type", "Ref", "tuple[Ref, ...]"})


def code_in(*roots: object) -> list[Value]:
    """Every Value within `roots` but for the types that they name: these hold no statement and no expression."""
    return descendants(*roots, past=_TYPES)


def bare(kind: Type) -> Type:
    """The type without its optional."""
    return kind.of if isinstance(kind, OptionalType) else kind


INT = Scalar(kind=ScalarKind.INT)
LONG = Scalar(kind=ScalarKind.LONG)
DECIMAL = Scalar(kind=ScalarKind.DECIMAL)
MONEY = Scalar(kind=ScalarKind.MONEY)
STRING = Scalar(kind=ScalarKind.STRING)
BOOL = Scalar(kind=ScalarKind.BOOL)
DATETIME = Scalar(kind=ScalarKind.DATETIME)
GUID = Scalar(kind=ScalarKind.GUID)
JSON = Scalar(kind=ScalarKind.JSON)
FILE = FileType()
DURATION = Scalar(kind=ScalarKind.DURATION)
NULL = NullType()
NOTHING = NothingType()
