"""Type references as written, resolved to types.

In: a TypeRef, the names around it and the position that it stands in. Out: the type, or None when it is
wrong, which has been reported then. Never: a second report about one cause.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from loom.base import Diagnostic, nearest
from loom.ir.types import (
    AggregateType,
    ArrayType,
    EnumType,
    EventType,
    IdType,
    OptionalType,
    PageType,
    PartType,
    RecordType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
)
from loom.lower.problems.inheritance import PolymorphicIdRefUnsupported
from loom.lower.problems.names import AmbiguousAggregate, ForeignType, SelfOutsideCapability, UnknownType
from loom.lower.problems.types import (
    AmbiguousPartRef,
    BareAggregateInType,
    CrossAggregateEntityPart,
    DurationNotStorable,
    GenericPosition,
    TypeNotAllowed,
    UnionPosition,
)
from loom.lower.scope.names import Kind, Names
from loom.lower.scope.source import Source
from loom.parse import ast

# What other languages call a type that there is.
_ELSEWHERE = {
    **dict.fromkeys(("bigint", "int64"), "long"),
    **dict.fromkeys(("byte", "int32", "integer", "short"), "int"),
    **dict.fromkeys(("char", "clob", "str", "text", "varchar"), "string"),
    **dict.fromkeys(("date", "instant", "time", "timestamp"), "datetime"),
    **dict.fromkeys(("dict", "map", "object"), "json"),
    **dict.fromkeys(("double", "float", "number", "numeric", "real"), "decimal"),
    "boolean": "bool",
    "currency": "money",
    "uuid": "guid",
}


class Position(StrEnum):
    """Where a type is written; the text is for messages."""

    FIELD = "a field"
    DERIVED = "a derived value"
    PARAMETER = "a parameter"
    OPERATION_RESULT = "the result of an operation"
    FIND_RESULT = "the result of a find"
    FUNCTION = "a function"
    WORKFLOW_PARAMETER = "a parameter of a workflow"
    WORKFLOW_RESULT = "the result of a workflow"
    EVENT_FIELD = "a field of an event"
    PREDICATE = "a parameter of a criterion or policy"
    CLAIM = "a claim"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


_WHOLE_AGGREGATE = (
    Position.OPERATION_RESULT,
    Position.FIND_RESULT,
    Position.WORKFLOW_RESULT,
    Position.PREDICATE,
)
_MESSAGES = (Kind.EVENT, Kind.RECORD)
_PART_ID_ELSEWHERE = (Position.PREDICATE, Position.WORKFLOW_PARAMETER, Position.EVENT_FIELD, Position.FIND_RESULT)
_UNION = (Position.OPERATION_RESULT, Position.FIND_RESULT, Position.WORKFLOW_RESULT)

SCALARS = {kind.value: Scalar(kind=kind) for kind in ScalarKind if kind is not ScalarKind.DURATION}


@dataclass(frozen=True, slots=True)
class TypeScope:
    """`aggregate` is the one around, whose parts may be named; empty outside aggregates."""

    names: Names
    source: Source
    aggregate: str = ""

    def resolve(self, ref: ast.TypeRef, position: Position) -> Type | None:
        if self._is_unsupported(ref, position):
            return None
        base = self._base(ref, position)
        if base is None:
            return None
        if "paged" in ref.carriers:
            return PageType(of=base)
        if ref.is_list:
            base = ArrayType(of=base)
        return OptionalType(of=base) if ref.is_optional else base

    def _is_unsupported(self, ref: ast.TypeRef, position: Position) -> bool:
        at = self.source.place(ref.at)
        for carrier in ref.carriers:
            if position is not Position.FIND_RESULT:
                self.source.report(GenericPosition(at=at, carrier=carrier))
                return True
            if carrier != "paged":
                self.source.unsupported(ref.at, f"`{carrier}` results")
                return True
        if ref.others and position in _UNION:
            self.source.unsupported(ref.at, "`or` types")
        elif ref.others:
            self.source.report(UnionPosition(at=at))
        return bool(ref.others)

    def is_known(self, name: str) -> bool:
        """Whether any type is called that."""
        return name in SCALARS or name in self.names.known()

    def _base(self, ref: ast.TypeRef, position: Position) -> Type | None:
        if ref.name == "Self":
            self.source.report(SelfOutsideCapability(at=self.source.place(ref.at)))
            return None
        if ref.is_id:
            return self._id(ref, position)
        if scalar := SCALARS.get(ref.name):
            return scalar
        kind = self.names.local.get(ref.name)
        if ref.name in self.names.parts and kind is None:
            return self._part(ref, position)
        context = self.names.context if kind else ""
        kind = kind or self.names.root.get(ref.name)
        return self._unknown(ref) if kind is None else self._named(ref, kind, context, position)

    def _named(self, ref: ast.TypeRef, kind: Kind, context: str, position: Position) -> Type | None:
        target = Ref(context=context, name=ref.name)
        match kind:
            case Kind.ENUM:
                return EnumType(ref=target)
            case Kind.VALUE_OBJECT:
                return ValueObjectType(ref=target)
            case Kind.AGGREGATE if position in _WHOLE_AGGREGATE:
                return AggregateType(ref=target)
            case Kind.AGGREGATE | Kind.ABSTRACT:
                return self._wrong(BareAggregateInType(at=self.source.place(ref.at), name=ref.name))
            case Kind.UNSUPPORTED:
                return None
            case _:
                return self._message(ref, kind, target, position)

    def _message(self, ref: ast.TypeRef, kind: Kind, target: Ref, position: Position) -> Type | None:
        """Events and records travel; only a workflow takes one."""
        if position is Position.WORKFLOW_PARAMETER and kind in _MESSAGES:
            return RecordType(ref=target) if kind is Kind.RECORD else EventType(ref=target)
        if position is Position.WORKFLOW_RESULT and kind is Kind.RECORD:
            return RecordType(ref=target)
        at = self.source.place(ref.at)
        return self._wrong(TypeNotAllowed(at=at, found=f"{_article(kind.value)} {kind.value}", where=position.value))

    def _part(self, ref: ast.TypeRef, position: Position) -> Type | None:
        owners = self.names.parts[ref.name]
        if self.aggregate in owners:
            return PartType(aggregate=Ref(context=self.names.context, name=self.aggregate), name=ref.name)
        at = self.source.place(ref.at)
        return self._wrong(CrossAggregateEntityPart(at=at, name=ref.name, owner=owners[0]))

    def _id(self, ref: ast.TypeRef, position: Position) -> Type | None:  # noqa: C901 - the order is the rule
        kind = self.names.local.get(ref.name)
        if kind is Kind.ABSTRACT and ref.name not in (*self.names.shared_bases, self.aggregate):
            return self._wrong(PolymorphicIdRefUnsupported(at=self.source.place(ref.at), name=ref.name))
        if kind in (Kind.AGGREGATE, Kind.ABSTRACT):
            return IdType(aggregate=Ref(context=self.names.context, name=ref.name))
        if kind is Kind.UNSUPPORTED:
            return None
        if kind is None and ref.name in self.names.parts:
            return self._part_id(ref, position)
        at = self.source.place(ref.at)
        if kind or ref.name in self.names.root or ref.name in SCALARS:
            what = str(kind or self.names.root.get(ref.name) or ref.name)
            found = f"{_article(what)} {what} id"
            return self._wrong(TypeNotAllowed(at=at, found=found, where=position.value))
        contexts = self.names.foreign.get(ref.name, ())
        if ref.name == "User" and not contexts:
            return SCALARS["string"]  # what an identity provider says is text, and no row stands behind it
        if len(contexts) == 1:
            return IdType(aggregate=Ref(context=contexts[0], name=ref.name))
        if contexts:
            found = ", ".join(contexts)
            return self._wrong(AmbiguousAggregate(at=at, name=ref.name, contexts=found))
        return self._unknown(ref)

    def _part_id(self, ref: ast.TypeRef, position: Position) -> Type | None:
        owners = self.names.parts[ref.name]
        at = self.source.place(ref.at)
        if self.aggregate in owners:
            owner = self.aggregate
        elif len(owners) > 1:
            return self._wrong(AmbiguousPartRef(at=at, name=ref.name, owners=", ".join(owners)))
        elif position in _PART_ID_ELSEWHERE:
            owner = owners[0]
        else:
            return self._wrong(CrossAggregateEntityPart(at=at, name=ref.name, owner=owners[0]))
        return IdType(aggregate=Ref(context=self.names.context, name=owner), part=ref.name)

    def _unknown(self, ref: ast.TypeRef) -> Type | None:
        at = self.source.place(ref.at)
        if ref.name == "File":
            self.source.unsupported(ref.at, "`File` fields")
        elif ref.name == "duration":
            self.source.report(DurationNotStorable(at=at))
        elif ref.name in self.names.foreign:
            self.source.report(BareAggregateInType(at=at, name=ref.name))
        elif context := self.names.foreign_types.get(ref.name):
            self.source.report(ForeignType(at=at, name=ref.name, context=context))
        else:
            known = [*SCALARS, *self.names.known()]
            near = _ELSEWHERE.get(ref.name.lower()) or nearest(ref.name, known)
            self.source.report(UnknownType(at=at, name=ref.name, nearest=near))
        return None

    def _wrong(self, problem: Diagnostic) -> Type | None:
        """Reports, and answers that there is no type."""
        self.source.report(problem)
        return None
