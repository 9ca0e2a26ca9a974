"""Whether values written in an end-to-end test are what a route takes, and whether names in them are known.

In: JSON of a scenario, the path of its place, what it is for. Out: diagnostics.
Never: a rule of the model (a range, a pattern, an invariant): tests try those on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Literal, NamedTuple, assert_never

from loom.base import Diagnostic, NodePath, misspelt, nearest
from loom.ir.places import DeclarationPath, Places
from loom.ir.scenarios import (
    VALUE,
    Json,
    JsonArray,
    JsonBool,
    JsonConcat,
    JsonNull,
    JsonNumber,
    JsonObject,
    JsonPath,
    JsonText,
)
from loom.ir.types import INT, LONG, ArrayType, EnumType, NothingType, Type
from loom.lower.scope.relations import show, without_optional
from loom.plan.http import InputPlan
from loom.plan.scenarios.problems import (
    E2eEnumValue,
    E2eMissingField,
    E2eUnknownField,
    E2eUnknownMember,
    E2eValueType,
)
from loom.plan.scenarios.shapes import Handle, Kind, Members, Shape, Shapes, wire_kind


class Stage(NamedTuple):
    """A scenario as far as it has been read: `bound` has what each name stands for."""

    shapes: Shapes
    places: Places
    bound: dict[str, Shape]


class Target(NamedTuple):
    """What takes an object: its name for messages, and its members. In a query every value becomes text."""

    name: str
    inputs: tuple[InputPlan, ...]
    in_query: bool = False


def unknown_members(stage: Stage, value: Json | None, path: DeclarationPath) -> Iterator[Diagnostic]:
    """Members of answers that are read within `value` and do not exist."""
    match value:
        case JsonPath():
            yield from _unknown_in_chain(stage, value, path)
        case JsonObject(members=members):
            for member in members:
                yield from unknown_members(stage, member.value, (*path, member.name, VALUE))
        case JsonArray(items=parts) | JsonConcat(parts=parts):
            for number, part in enumerate(parts):
                yield from unknown_members(stage, part, (*path, str(number)))
        case _:
            pass


def shape_of(stage: Stage, value: Json) -> Shape:
    """What a bound answer and its members stand for; nothing is known of other values."""
    if not isinstance(value, JsonPath):
        return None
    return stage.shapes.followed(stage.bound.get(value.name), value.members)


def _unknown_in_chain(stage: Stage, value: JsonPath, path: DeclarationPath) -> Iterator[Diagnostic]:
    """The first member that is not there."""
    shape = stage.bound.get(value.name)
    for number, name in enumerate(value.members):
        known = stage.shapes.members(shape)
        if known is None:
            return
        if name not in known:
            yield _unknown_member(shape, name, known, stage.places.at(*path, str(number)))
            return
        shape = known[name]


def _unknown_member(shape: Shape, name: str, known: Members, at: NodePath) -> Diagnostic:
    if isinstance(shape, NothingType):
        return E2eUnknownMember(at=at, case="nothing", owner="", name=name, known="")
    if isinstance(shape, Handle):
        known_text = "`id`; `getById` answers the rest"
        return E2eUnknownMember(at=at, case="named", owner="the answer of a create", name=name, known=known_text)
    case, offered = _instead(name, known)
    return E2eUnknownMember(at=at, case=case, owner=f"`{show(shape)}`", name=name, known=offered)


def _instead(name: str, known: Iterable[str]) -> tuple[Literal["near", "named", "none"], str]:
    """The name that was most likely meant, else all that there are."""
    names = list(known)
    if near := nearest(name, names):
        return "near", near
    return ("named", _listed(names)) if names else ("none", "")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def misfits(stage: Stage, target: Target, body: Json | None, path: DeclarationPath) -> Iterator[Diagnostic]:
    """What is missing from `body`, unknown in it, or of another kind than it takes; no body is an empty one."""
    given = {item.name: item.value for item in body.members} if isinstance(body, JsonObject) else {}
    meant = misspelt(given, (item.wire for item in target.inputs))
    wanted = [item.wire for item in target.inputs if item.required and item.wire not in meant]
    missing = [name for name in wanted if _is_absent(given.get(name))]
    if missing:
        at = stage.places.at(*path)
        yield E2eMissingField(at=at, case="left out", owner=target.name, names=_listed(missing), written="")
    known = {item.wire: item for item in target.inputs}
    free = known.keys() - given.keys()
    for name, value in given.items():
        if name not in known:
            yield _unknown_field(target, name, free, stage.places.at(*path, name))
        else:
            yield from _value(stage, Slot(name, known[name].type, target.in_query), value, (*path, name, VALUE))


def _unknown_field(target: Target, name: str, free: Set[str], at: NodePath) -> Diagnostic:
    """A doubt; but a mistake where one that is required was meant, which is missing. `free` are those not given."""
    meant = nearest(name, free)
    if any(item.required and item.wire == meant for item in target.inputs):
        return E2eMissingField(at=at, case="misspelt", owner=target.name, names=_listed([meant]), written=name)
    case, offered = _instead(name, [item.wire for item in target.inputs])
    return E2eUnknownField(at=at, case=case, owner=target.name, name=name, known=offered)


def _is_absent(value: Json | None) -> bool:
    return value is None or isinstance(value, JsonNull)


class Slot(NamedTuple):
    """The member of a target that a value is given to."""

    name: str
    type: Type
    in_query: bool


def _value(stage: Stage, slot: Slot, value: Json, path: DeclarationPath) -> Iterator[Diagnostic]:
    kind = without_optional(slot.type)
    inputs = stage.shapes.inputs(kind)
    match kind, value:
        case EnumType(), JsonText():
            yield from unknown_value(stage, kind, value, path)
        case _, JsonObject() if inputs is not None:
            yield from misfits(stage, Target(f"`{show(kind)}`", inputs), value, path)
        case ArrayType(of=element), JsonArray(items=items):
            for number, item in enumerate(items):
                yield from _value(stage, slot._replace(type=element), item, (*path, str(number)))
        case _ if not slot.in_query:
            yield from _other_kind(stage, slot, value, path)


def _other_kind(stage: Stage, slot: Slot, value: Json, path: DeclarationPath) -> Iterator[Diagnostic]:
    kind, name = without_optional(slot.type), slot.name
    expected, found = wire_kind(kind), kind_of(stage, value)
    at = stage.places.at(*path)
    if expected is not None and found is not None and found is not expected:
        yield E2eValueType(at=at, name=name, expected=expected.value, found=found.value)
    elif kind in (INT, LONG) and isinstance(value, JsonNumber) and "." in value.text:
        yield E2eValueType(at=at, name=name, expected="a whole number", found=value.text)


def kind_of(stage: Stage, value: Json) -> Kind | None:
    """The kind of JSON that a value is; None when nothing is known of it."""
    match value:
        case JsonText() | JsonConcat():
            return Kind.TEXT
        case JsonNumber():
            return Kind.NUMBER
        case JsonBool():
            return Kind.BOOL
        case JsonArray():
            return Kind.ARRAY
        case JsonObject():
            return Kind.OBJECT
        case JsonPath():
            return wire_kind(shape_of(stage, value))
        case JsonNull():
            return None
    assert_never(value)


def unknown_value(stage: Stage, kind: EnumType, value: JsonText, path: DeclarationPath) -> Iterator[Diagnostic]:
    """A text that is no value of the enum it stands for."""
    values = stage.shapes.enums.get(kind.ref)
    if values is not None and value.text not in values:
        case, offered = _instead(value.text, values)
        at = stage.places.at(*path)
        yield E2eEnumValue(at=at, case=case, enum=kind.ref.name, name=value.text, known=offered)
