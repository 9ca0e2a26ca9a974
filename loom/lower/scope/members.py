"""Shapes of things with fields: value objects, parts, events, records.

In: their declarations. Out: instance shapes, each type reference resolved here and nowhere else.
Never: a default or a body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from loom.base import Feature
from loom.ir.expressions import FieldKind, FunctionScope
from loom.ir.program import Access
from loom.ir.types import ArrayType, OptionalType, PartType, RecordType, Ref, Type
from loom.lower.mentions import below
from loom.lower.problems.members import TokenNullable
from loom.lower.problems.names import (
    DuplicateField,
    DuplicateMember,
    DuplicateParameter,
    PayloadDuplicateField,
)
from loom.lower.problems.types import EntityFieldModifier, EntityFieldOptionalCollection, TypeNotAllowed
from loom.lower.scope.shapes import FunctionShape, InstanceShape, MemberShape, ParameterShape, Tags
from loom.lower.scope.source import Source
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast

Declared = ast.AggregateMember | ast.PartMember | ast.ValueObjectMember


def parameters(declared: Iterable[ast.Parameter], types: TypeScope, position: Position) -> tuple[ParameterShape, ...]:
    """Their shapes; of which type one is that is declared twice, each time with another, nobody knows."""
    seen: dict[str, Type | None] = {}
    doubtful: set[str] = set()
    shapes = []
    for item in declared:
        type_ = types.resolve(item.type, position)
        if item.name in seen:
            types.source.report(DuplicateParameter(at=types.source.place(item.at), name=item.name))
            if seen[item.name] != type_:
                doubtful.add(item.name)
        seen[item.name] = type_
        shapes.append(ParameterShape(item.name, type_, item.default))
    return tuple(replace(item, type=None) if item.name in doubtful else item for item in shapes)


def functions(
    declared: Iterable[object], types: TypeScope, scope: FunctionScope, owner: Ref
) -> dict[str, FunctionShape]:
    found: dict[str, FunctionShape] = {}
    declared = list(declared)
    tags = _tags(declared)
    for item in declared:
        if isinstance(item, ast.Function):
            given = parameters(item.parameters, types, Position.FUNCTION)
            returns = types.resolve(item.returns, Position.FUNCTION)
            own = tags.get(item.name, frozenset())
            found.setdefault(item.name, FunctionShape(item.name, scope, owner, given, returns, own))
    return found


def property_shape(item: ast.Property, types: TypeScope, position: Position) -> MemberShape:
    """A field; one whose type is a part is a containment, however it was written."""
    type_ = types.resolve(item.type, position)
    if is_part(type_):
        return _plain_containment(item, type_, types.source)
    if item.mask is not None:
        types.source.use(item.mask.at, Feature.MASKS)
    if item.sensitive:
        types.source.use(item.sensitive[0].at, Feature.SENSITIVITY)
    if item.provenanced is not None:
        types.source.use(item.provenanced.at, Feature.PROVENANCE)
    access = Access(item.access.value)
    if access is Access.TOKEN and isinstance(type_, OptionalType):
        types.source.report(TokenNullable(at=types.source.place(item.at), name=item.name))
    return MemberShape(item.name, type_, FieldKind.PROPERTY, access, item.default, tags=_said(item))


def is_part(type_: Type | None) -> bool:
    while isinstance(type_, OptionalType | ArrayType):
        type_ = type_.of
    return isinstance(type_, PartType)


def _plain_containment(item: ast.Property, type_: Type | None, source: Source) -> MemberShape:
    modified = item.access is not ast.Access.EDITABLE or item.default is not None or item.check is not None
    if modified or item.mask is not None or item.provenanced is not None or item.sensitive:
        at = source.place(item.at)
        source.report(EntityFieldModifier(at=at, name=item.name, part=item.type.name))
    return _containment(item.at, item.name, type_, source)


def _containment(at: int, name: str, type_: Type | None, source: Source) -> MemberShape:
    if isinstance(type_, OptionalType) and isinstance(type_.of, ArrayType):
        source.report(EntityFieldOptionalCollection(at=source.place(at)))
        type_ = type_.of
    return MemberShape(name, type_, FieldKind.CONTAINMENT)


def containment_shape(item: ast.Containment, types: TypeScope) -> MemberShape:
    type_ = types.resolve(item.type, Position.FIELD)
    if type_ is not None and not is_part(type_):
        at = types.source.place(item.type.at)
        types.source.report(TypeNotAllowed(at=at, found=f"`{item.type.name}`", where="a containment"))
        type_ = None
    return _containment(item.at, item.name, type_, types.source)


def member_shapes(declared: Iterable[Declared], types: TypeScope) -> list[tuple[int, MemberShape]]:
    """Fields, containments and derived values with their places, in declaration order."""
    declared = list(declared)
    tags = _tags(declared)
    found = []
    for item in declared:
        match item:
            case ast.Property():
                found.append((item.at, property_shape(item, types, Position.FIELD)))
            case ast.Containment():
                found.append((item.at, containment_shape(item, types)))
            case ast.Derived():
                type_ = types.resolve(item.type, Position.DERIVED)
                found.append(
                    (item.at, MemberShape(item.name, type_, FieldKind.DERIVED, tags=tags.get(item.name, frozenset())))
                )
    return found


def _tags(declared: Iterable[object]) -> dict[str, Tags]:
    """How sensitive fields are; a derived value or a function is what it mentions, whatever their order."""
    declared = list(declared)
    found = {item.name: _said(item) for item in declared if isinstance(item, ast.Property) and item.sensitive}
    mentions = dict(_mentions(declared)) if found else {}
    before: dict[str, Tags] = {}
    while found != before:
        before = found
        found = {**found, **{name: _union(found, named) for name, named in mentions.items()}}
    return found


def _mentions(declared: Iterable[object]) -> Iterator[tuple[str, set[str]]]:
    for item in declared:
        match item:
            case ast.Derived(name=name, value=value):
                yield name, _mentioned(value)
            case ast.Function(name=name, body=body, parameters=given):
                yield name, _mentioned(body) - {one.name for one in given}


_NO_TAGS: Tags = frozenset()


def _said(item: ast.Property) -> Tags:
    return frozenset(tag.name for tag in item.sensitive) if item.sensitive else _NO_TAGS


def _union(found: dict[str, Tags], names: Iterable[str]) -> Tags:
    return frozenset(tag for name in names for tag in found.get(name, ()))


def _mentioned(value: object) -> set[str]:
    """Names of fields that a value reads, by themselves or of `this`."""
    nodes = below(value)
    own = {item.name for item in nodes if isinstance(item, ast.Member) and isinstance(item.target, ast.This)}
    return own | {item.name for item in nodes if isinstance(item, ast.Name)}


def instance(
    type_: Type,
    name: str,
    shapes: Iterable[tuple[int, MemberShape]],
    found: dict[str, FunctionShape],
    source: Source,
) -> InstanceShape:
    """The shape of `name`; a name that is taken twice keeps its first meaning."""
    doubled = PayloadDuplicateField if isinstance(type_, RecordType) else DuplicateField
    members: dict[str, MemberShape] = {}
    for at, shape in shapes:
        if shape.name in members:
            source.report(doubled(at=source.place(at), name=shape.name, owner=name))
        else:
            members[shape.name] = shape
    return InstanceShape(type_, name, members, found)


def check_function_names(declared: Iterable[object], shape: InstanceShape, source: Source) -> None:
    """A function may neither repeat another one nor have the name of a field."""
    seen: set[str] = set()
    for item in declared:
        if not isinstance(item, ast.Function):
            continue
        other = "a function" if item.name in seen else "a field" if item.name in shape.members else ""
        seen.add(item.name)
        if other:
            at = source.place(item.at)
            source.report(DuplicateMember(at=at, name=item.name, owner=shape.name, kind="function", other=other))
