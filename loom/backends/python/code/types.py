"""Types of the model as Python spells them, and where the names come from.

In: IR types. Out: annotations; each name it prints is added to `needs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Protocol, assert_never

from loom.backends.python import spelling
from loom.backends.python.text.shapes import SUM, Brackets, Enclosed, Operators, behind
from loom.base import pascal, snake, words
from loom.ir.types import (
    AggregateType,
    ArrayType,
    EnumType,
    EnvelopeType,
    EventType,
    FileType,
    IdType,
    NothingType,
    NullType,
    OptionalType,
    OptionType,
    PageType,
    PartType,
    ProjectionType,
    RecordType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    UnionType,
    ValueObjectType,
    WorkflowType,
)
from loom.plan.unplanned import unplanned

_SCALARS = {
    ScalarKind.INT: ("int", ""),
    ScalarKind.LONG: ("int", ""),
    ScalarKind.DECIMAL: ("Decimal", "decimal:Decimal"),
    ScalarKind.MONEY: ("Decimal", "decimal:Decimal"),
    ScalarKind.STRING: ("str", ""),
    ScalarKind.BOOL: ("bool", ""),
    ScalarKind.DATETIME: ("datetime", "datetime:datetime"),
    ScalarKind.GUID: ("str", ""),
    ScalarKind.JSON: ("JsonValue", "app.values.json_values:JsonValue"),
    ScalarKind.DURATION: ("timedelta", "datetime:timedelta"),
}


# What every context may have beside its aggregates.
_MODULES = frozenset({"commands", "enums", "events", "ids", "value_objects"})


def folder(context: str) -> str:
    return f"app.domain.{spelling.folder_name(context)}"


def aggregate_module(ref: Ref) -> str:
    name = spelling.module_name(ref.name)
    return f"{folder(ref.context)}.{name}{'_aggregate' * (name in _MODULES)}"


def named(module: str, name: str, needs: set[str]) -> str:
    """What the module imports as `name`, or under its context's name too where another import has that name."""
    need = f"{module}:{name}"
    if need not in needs and any(map(str.endswith, needs, repeat(f":{name}"))):
        home = words(module.split(".")[2].removesuffix("_values"))
        alias = pascal(home) + name if name[:1].isupper() else f"{snake(home)}_{name}"
        needs.add(f"{need} as {alias}")
        return alias
    needs.add(need)
    return name


def enum(ref: Ref, needs: set[str]) -> str:
    return named(f"{folder(ref.context)}.enums", spelling.type_name(ref.name), needs)


def value_object(ref: Ref, needs: set[str]) -> str:
    return named(f"{folder(ref.context)}.value_objects", spelling.type_name(ref.name), needs)


def event(ref: Ref, needs: set[str]) -> str:
    return named(f"{folder(ref.context)}.events", spelling.type_name(ref.name), needs)


def record(ref: Ref, needs: set[str]) -> str:
    return named(f"{folder(ref.context)}.commands", spelling.type_name(ref.name), needs)


def aggregate(ref: Ref, needs: set[str]) -> str:
    return named(aggregate_module(ref), spelling.type_name(ref.name), needs)


def part(owner: Ref, name: str, needs: set[str]) -> str:
    return named(aggregate_module(owner), spelling.type_name(name), needs)


def id_name(id_: IdType) -> str:
    return spelling.type_name(id_.aggregate.name + "_" * bool(id_.part) + id_.part).rstrip("_") + "Id"


def identifier(id_: IdType, needs: set[str]) -> str:
    return named(f"{folder(id_.aggregate.context)}.ids", id_name(id_), needs)


def annotation(type_: Type, needs: set[str]) -> str:
    """`type_` as an annotation."""
    match type_:
        case Scalar(kind=kind):
            name, need = _SCALARS[kind]
            needs.update([need] if need else [])
            return name
        case OptionalType(of=inner):
            return optional(annotation(inner, needs))
        case ArrayType(of=inner):
            return listed(annotation(inner, needs))
        case PageType(of=inner):
            return Brackets("tuple", [listed(annotation(inner, needs)), "int"], "[]")
        case NullType() | NothingType():
            return "None"
        case FileType() | OptionType() | EnvelopeType() | UnionType() | WorkflowType() | ProjectionType():
            unplanned(type_)
        case _:
            return _declared(type_, needs)


def _declared(
    type_: EnumType | ValueObjectType | PartType | AggregateType | IdType | EventType | RecordType, needs: set[str]
) -> str:
    match type_:
        case EnumType(ref=ref):
            return enum(ref, needs)
        case ValueObjectType(ref=ref):
            return value_object(ref, needs)
        case PartType(aggregate=owner, name=name):
            return part(owner, name, needs)
        case AggregateType(ref=ref):
            return aggregate(ref, needs)
        case IdType():
            return identifier(type_, needs)
        case EventType(ref=ref):
            return event(ref, needs)
        case RecordType(ref=ref):
            return record(ref, needs)
    assert_never(type_)


class Typed(Protocol):
    """A parameter or a field."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> Type: ...


def optional(kind: str) -> str:
    return Operators([("", kind), ("| ", "None")], SUM)


def listed(kind: str) -> str:
    return Enclosed("list", [kind], "[]")


def annotated(*parts: str) -> Brackets:
    return Brackets("Annotated", parts, "[]")


def parameters(
    items: Iterable[Typed], needs: set[str], spelled: Callable[[str], str] = spelling.local_name
) -> list[str]:
    """Parameters of a function with their annotations."""
    return [behind(f"{spelled(item.name)}: ", annotation(item.type, needs)) for item in items]
