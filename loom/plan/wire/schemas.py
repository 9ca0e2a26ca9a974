"""JSON schemas of everything that goes over the wire, and their names in `components`.

In: types, inputs and members of the Plan. Out: schemas as plain data.
Never: routes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import assert_never

from loom.ir.expressions import Literal
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
    Scalar,
    ScalarKind,
    Type,
    UnionType,
    ValueObjectType,
    WorkflowType,
)
from loom.plan.http import InputPlan, MemberPlan
from loom.plan.model import ContextPlan, EnumPlan, SharedPlan, ValueObjectPlan
from loom.plan.unplanned import unplanned
from loom.plan.wire.constraints import constraints
from loom.plan.wire.inputs import LARGEST_PAGE
from loom.plan.wire.json_text import Json, Shared

Schema = dict[str, Json]
Key = tuple[str, ...]

PROBLEM = "Problem"
INT32, INT64, DECIMAL = 2**31, 2**63, 10**16

SCALARS: Mapping[ScalarKind, Schema] = {
    ScalarKind.INT: {"type": "integer", "format": "int32", "minimum": -INT32, "maximum": INT32 - 1},
    ScalarKind.LONG: {"type": "integer", "format": "int64", "minimum": -INT64, "maximum": INT64 - 1},
    ScalarKind.DECIMAL: {"type": "number", "exclusiveMinimum": -DECIMAL, "exclusiveMaximum": DECIMAL},
    ScalarKind.MONEY: {"type": "string", "pattern": r"^-?[0-9]{1,15}\.[0-9]{4}$"},
    ScalarKind.STRING: {"type": "string"},
    ScalarKind.BOOL: {"type": "boolean"},
    ScalarKind.DATETIME: {"type": "string", "format": "date-time"},
    ScalarKind.GUID: {"type": "string", "format": "uuid"},
    ScalarKind.JSON: {},
    ScalarKind.DURATION: {},
}
# Requests may leave out places of money, and may not hold what PostgreSQL cannot store.
ACCEPTED: Mapping[ScalarKind, Schema] = {
    ScalarKind.MONEY: {"type": "string", "pattern": r"^-?[0-9]{1,15}(\.[0-9]{1,4})?$"},
    ScalarKind.STRING: {"type": "string", "pattern": "^[^\\u0000]*$"},
}
PAGE_COUNTS: Mapping[str, int] = {"page": 1, "pageSize": 1, "total": 0, "totalPages": 0}  # the least of each
UUID = Shared({"type": "string", "format": "uuid"})
INPUT = "Input"


class Names:
    """Component names by declaration; a request of a declaration has a name of its own.

    What a document says again and again is made once: of types, inputs and answers, for there is one text of each.
    """

    def __init__(self, components: Mapping[Key, str], *, accepted: bool = False) -> None:
        self.components = components
        self.accepted = accepted
        self.of_requests = self if accepted else Names(components, accepted=True)
        self._shared: dict[object, Shared] = {}

    def shared(self, of: object, make: Callable[[], Schema]) -> Shared:
        """What `make` gives, which follows from `of` alone; nobody changes it."""
        return self._shared.get(of) or self._shared.setdefault(of, Shared(make()))

    def reference(self, *key: str) -> Schema:
        marked = (*key, INPUT) if self.accepted and key[0] in ("value", "part") else key
        return {"$ref": f"#/components/schemas/{self.components[marked]}"}


def component_names(shared: SharedPlan, contexts: Iterable[ContextPlan]) -> Names:
    """Bare names where they are unambiguous, else with what holds the declaration in front."""
    keys = [*_shared_keys(shared), *[key for context in contexts for key in _keys(context)]]
    both = [*keys, *[(*key, INPUT) for key in keys if key[0] in ("value", "part")]]
    used = Counter([PROBLEM, *map(_bare, both)])
    return Names({key: _bare(key) if used[_bare(key)] == 1 else _qualified(key) for key in both})


def _shared_keys(shared: SharedPlan) -> Iterator[Key]:
    yield from (("enum", "", item.ref.name) for item in shared.enums)
    yield from (("value", "", item.ref.name) for item in shared.value_objects)


def _keys(context: ContextPlan) -> Iterator[Key]:
    yield from (("enum", context.name, item.ref.name) for item in context.enums)
    yield from (("value", context.name, item.ref.name) for item in context.value_objects)
    for aggregate in context.aggregates:
        yield ("aggregate", context.name, aggregate.ref.name)
        yield from (("part", context.name, aggregate.ref.name, part.name) for part in aggregate.parts)


def _bare(key: Key) -> str:
    return "".join(key[-2:]) if key[-1] == INPUT else key[-1]


def _qualified(key: Key) -> str:
    """No name of the language holds a dot or a hyphen."""
    holders = [name for name in key[1:] if name and name != INPUT]
    name = ".".join(holders) if len(holders) > 1 else f"{key[2]}-root"
    return name + (INPUT if key[-1] == INPUT else "")


def components(names: Names, shared: SharedPlan, contexts: Iterable[ContextPlan]) -> Schema:
    """Every component by name, in alphabetical order."""
    found: dict[str, Json] = {PROBLEM: problem_schema()}
    found |= _declared(names, shared.enums, shared.value_objects)
    for context in contexts:
        found |= _declared(names, context.enums, context.value_objects)
        for aggregate in context.aggregates:
            name = aggregate.ref.name
            found[names.components["aggregate", context.name, name]] = answer_object(aggregate.members, names)
            for part in aggregate.parts:
                key = ("part", context.name, name, part.name)
                found[names.components[key]] = answer_object(part.members, names)
                found[names.components[*key, INPUT]] = request_object(part.inputs.inputs, names)
    return dict(sorted(found.items()))


def _declared(names: Names, enums: Iterable[EnumPlan], values: Iterable[ValueObjectPlan]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for enum in enums:
        key = ("enum", enum.ref.context, enum.ref.name)
        found[names.components[key]] = {"type": "string", "enum": list(enum.values)}
    for item in values:
        key = ("value", item.ref.context, item.ref.name)
        found[names.components[key]] = answer_object(item.members, names)
        found[names.components[*key, INPUT]] = request_object(item.inputs.inputs, names)
    return found


def answer_object(members: Iterable[MemberPlan], names: Names) -> Schema:
    """Every member is there, null or not."""
    properties: Schema = {item.wire: type_schema(item.type, names) for item in members}
    return {"type": "object", "properties": properties, "required": list(properties)}


def request_object(inputs: Iterable[InputPlan], names: Names) -> Schema:
    """Unknown members are ignored, so nothing forbids them."""
    wanted = tuple(inputs)
    schema: Schema = {
        "type": "object",
        "properties": {item.wire: input_schema(item, names) for item in wanted},
    }
    required: list[Json] = [item.wire for item in wanted if item.required]
    return schema | ({"required": required} if required else {})


def input_schema(item: InputPlan, names: Names) -> Schema:
    requests = names.of_requests
    return requests.shared(item, lambda: _input(item, requests))


def _input(item: InputPlan, names: Names) -> Schema:
    schema = type_schema(item.type, names)
    for check in item.checks:
        if found := _narrower(schema, constraints(check.condition)):
            schema = schema | found
    if item.is_lenient:
        schema = _nullable(schema)
    return schema | default if (default := _default(item)) else schema


def _narrower(schema: Schema, found: Schema) -> Schema:
    """Bounds only ever narrow those of the type; a list of choices would also refuse null."""
    kept: Schema = {}
    for name, value in found.items():
        limit = schema.get(name)
        wider = isinstance(limit, int) and isinstance(value, int) and (value < limit) is (name == "minimum")
        if not wider and "$ref" not in schema and not (name == "enum" and isinstance(schema.get("type"), list)):
            kept[name] = value
    return kept


def _default(item: InputPlan) -> Schema:
    match item.default:
        case None:
            return {}
        case Literal(type=Scalar(kind=ScalarKind.INT | ScalarKind.LONG), text=text):
            return {"default": int(text)}
        case Literal(type=Scalar(kind=ScalarKind.BOOL), text=text):
            return {"default": text == "true"}
        case Literal(type=Scalar(kind=ScalarKind.STRING), text=text):
            return {"default": text}
        case _:
            return {}


def type_schema(kind: Type, names: Names) -> Schema:
    return names.shared(kind, lambda: _of_type(kind, names))


def _of_type(kind: Type, names: Names) -> Schema:  # noqa: C901 - one case a kind
    match kind:
        case Scalar(kind=scalar):
            return ACCEPTED.get(scalar, SCALARS[scalar]) if names.accepted else SCALARS[scalar]
        case IdType():
            return UUID
        case OptionalType(of=inner):
            return _nullable(type_schema(inner, names))
        case ArrayType(of=element):
            return {"type": "array", "items": type_schema(element, names)}
        case PageType(of=element):
            return _page(type_schema(element, names))
        case EnumType() | ValueObjectType() | AggregateType() | PartType():
            return _reference(kind, names)
        case EventType() | RecordType() | WorkflowType() | NullType() | NothingType():
            return {}
        case FileType() | OptionType() | EnvelopeType() | UnionType() | ProjectionType():
            unplanned(kind)
    assert_never(kind)


def _reference(kind: EnumType | ValueObjectType | AggregateType | PartType, names: Names) -> Schema:
    match kind:
        case EnumType(ref=ref):
            return names.reference("enum", ref.context, ref.name)
        case ValueObjectType(ref=ref):
            return names.reference("value", ref.context, ref.name)
        case AggregateType(ref=ref):
            return names.reference("aggregate", ref.context, ref.name)
        case PartType(aggregate=ref, name=name):
            return names.reference("part", ref.context, ref.name, name)
    assert_never(kind)


def _nullable(schema: Schema) -> Schema:
    if not schema:
        return schema
    if isinstance(schema.get("type"), str):
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _page(item: Schema) -> Schema:
    counts: dict[str, Json] = {name: {"type": "integer", "minimum": low} for name, low in PAGE_COUNTS.items()}
    properties: Schema = {"items": {"type": "array", "items": item, "maxItems": LARGEST_PAGE}, **counts}
    return {"type": "object", "properties": properties, "required": list(properties)}


@cache
def problem_schema() -> Shared:
    """RFC 9457, with one entry an invalid field."""
    text: Schema = {"type": "string"}
    error: Schema = {
        "type": "object",
        "properties": {"pointer": text, "message": text, "code": text},
        "required": ["pointer", "message"],
        "additionalProperties": False,
    }
    problem: Schema = {
        "type": "object",
        "properties": {
            "type": text,
            "title": text,
            "status": {"type": "integer"},
            "detail": text,
            "instance": text,
            "errors": {"type": "array", "items": error, "minItems": 1},
        },
        "required": ["type", "title", "status", "detail", "instance"],
        "additionalProperties": False,
    }
    return Shared(problem)
