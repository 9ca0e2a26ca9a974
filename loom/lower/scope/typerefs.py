"""Type references as written, resolved to types.

In: a TypeRef, the names around it and the position that it stands in. Out: the type, or None when it is
wrong, which has been reported then. Never: a second report about one cause.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from loom.base import Diagnostic, Feature, nearest
from loom.ir.types import (
    FILE,
    AggregateType,
    ArrayType,
    EnumType,
    EnvelopeType,
    EventType,
    IdType,
    OptionalType,
    OptionType,
    PageType,
    PartType,
    RecordType,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    UnionType,
    ValueObjectType,
)
from loom.lower.problems.inheritance import PolymorphicIdRefUnsupported
from loom.lower.problems.names import AmbiguousAggregate, ForeignType, SelfOutsideCapability, UnknownType
from loom.lower.problems.types import (
    AmbiguousPartRef,
    BareAggregateInType,
    CrossAggregateEntityPart,
    DurationNotStorable,
    GenericArgNotCarrier,
    GenericPosition,
    TypeNotAllowed,
    UnionDuplicateVariant,
    UnionPosition,
    UnionVariantNotCarrier,
)
from loom.lower.scope.names import Kind, Names
from loom.lower.scope.relations import show
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
    HANDLER_RESULT = "the result of a handler"
    EVENT_FIELD = "a field of an event"
    RECORD_FIELD = "a field of a record"
    VARIANT = "a variant of a union"
    CARRIED = "what a record carries"
    SERVICE_PARAMETER = "a parameter of a domain service"
    SERVICE_RESULT = "the result of a domain service"
    PREDICATE = "a parameter of a criterion or policy"
    CLAIM = "a claim"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


_WHOLE_AGGREGATE = (
    Position.OPERATION_RESULT,
    Position.FIND_RESULT,
    Position.WORKFLOW_RESULT,
    Position.HANDLER_RESULT,
    Position.PREDICATE,
    Position.SERVICE_PARAMETER,
    Position.SERVICE_RESULT,
    Position.VARIANT,
)
_WHOLE_RECORD = (
    Position.WORKFLOW_PARAMETER,
    Position.WORKFLOW_RESULT,
    Position.HANDLER_RESULT,
    Position.VARIANT,
    Position.CARRIED,
    Position.RECORD_FIELD,
)
_PART_ID_ELSEWHERE = (
    Position.PREDICATE,
    Position.SERVICE_PARAMETER,
    Position.WORKFLOW_PARAMETER,
    Position.EVENT_FIELD,
    Position.RECORD_FIELD,
    Position.FIND_RESULT,
)
_UNION = {
    Position.OPERATION_RESULT: Position.VARIANT,
    Position.FIND_RESULT: Position.VARIANT,
    Position.SERVICE_RESULT: Position.VARIANT,
    Position.HANDLER_RESULT: Position.VARIANT,
    Position.RECORD_FIELD: Position.CARRIED,
}
_CARRIERS = {
    Position.FIND_RESULT: ("paged", "envelope", "option"),
    Position.RECORD_FIELD: ("paged", "envelope", "option"),
    Position.HANDLER_RESULT: ("paged",),
}

SCALARS = {kind.value: Scalar(kind=kind) for kind in ScalarKind if kind is not ScalarKind.DURATION}


class TypeScope(msgspec.Struct, frozen=True):
    """`aggregate` is the one around, whose parts may be named; empty outside aggregates."""

    names: Names
    source: Source
    aggregate: str = ""

    def resolve(self, ref: ast.TypeRef, position: Position) -> Type | None:
        if ref.others:
            return self._union(ref, (replace(ref, others=()), *ref.others), position)
        if ref.carriers:
            return self._carried(ref, position)
        base = self._base(ref, position)
        if base is None:
            return None
        if ref.is_list:
            base = ArrayType(of=base)
        return OptionalType(of=base) if ref.is_optional else base

    def _carried(self, ref: ast.TypeRef, position: Position) -> Type | None:
        at, carrier = self.source.place(ref.at), ref.carriers[0]
        if carrier not in _CARRIERS.get(position, ()):
            return self._wrong(GenericPosition(at=at, carrier=carrier))
        for other in (*ref.carriers[1:], *(["[]"] if ref.is_list else []), *(["?"] if ref.is_optional else [])):
            return self._wrong(GenericArgNotCarrier(at=at, carrier=carrier, other=other))
        inner = self._base(ref, Position.CARRIED if position is Position.RECORD_FIELD else position)
        if inner is None:
            return None
        if carrier == "paged":
            if position is Position.RECORD_FIELD:
                self.source.use(ref.at, Feature.PAGES_IN_RECORDS)
            return PageType(of=inner)
        self.source.use(ref.at, Feature.OPTIONS if carrier == "option" else Feature.ENVELOPES)
        return OptionType(of=inner) if carrier == "option" else EnvelopeType(of=inner)

    def _union(self, ref: ast.TypeRef, written: tuple[ast.TypeRef, ...], position: Position) -> Type | None:
        """The union of what is `written`; names of unions among that are written out."""
        if position not in _UNION:
            return self._wrong(UnionPosition(at=self.source.place(ref.at)))
        self.source.use(ref.at, Feature.UNIONS)
        return self.united(written, position)

    def united(self, written: tuple[ast.TypeRef, ...], position: Position) -> UnionType | None:
        """The union of types that stand one by one."""
        found: dict[Type, None] = {}
        is_sound = True
        for item in written:
            made = self._variants(item, position)
            is_sound &= bool(made)
            for variant in made:
                if variant in found:
                    at = self.source.place(item.at)
                    self.source.report(UnionDuplicateVariant(at=at, variant=show(variant)))
                found[variant] = None
        return UnionType(variants=tuple(found)) if is_sound else None

    def _variants(self, ref: ast.TypeRef, position: Position) -> tuple[Type, ...]:
        """What `ref` adds to a union: nothing where it is wrong."""
        at = self.source.place(ref.at)
        variant: Type | None = None
        if not (ref.carriers or ref.is_list or ref.is_optional):
            inside = position if self.is_union(ref.name) and not ref.is_id else _UNION[position]
            variant = self._base(ref, inside)
        elif self._base(replace(ref, carriers=()), _UNION[position]) is not None:
            marks = "".join([*(f" {item}" for item in ref.carriers), "[]" * ref.is_list, "?" * ref.is_optional])
            variant = self._wrong(UnionVariantNotCarrier(at=at, variant=f"{ref.name}{' id' * ref.is_id}{marks}"))
        if isinstance(variant, UnionType):
            return variant.variants
        if variant == FILE:
            variant = self._wrong(UnionVariantNotCarrier(at=at, variant="File"))
        return (variant,) if variant is not None else ()

    def is_union(self, name: str) -> bool:
        """Whether a declared union is called that."""
        return Kind.UNION in (self.names.local.get(name), self.names.root.get(name))

    def _union_named(self, ref: ast.TypeRef, position: Position) -> Type | None:
        """What the name of a union stands for."""
        if ref.is_list or ref.is_optional or ref.carriers or position not in _UNION:
            return self._wrong(UnionPosition(at=self.source.place(ref.at)))
        self.source.use(ref.at, Feature.UNIONS)
        if ref.name in self.names.unions:  # a mistake in it is the same wherever its name stands
            plain = [item for item in self.names.unions[ref.name] if not self.is_union(item.name)]
            return self.united(tuple(plain), position)
        self.source.use(ref.at, Feature.ROOT_RECORDS)
        return self.names.root_unions.get(ref.name)

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
        if kind is None and position is Position.WORKFLOW_PARAMETER and ref.name in self.names.foreign_events:
            return EventType(ref=Ref(context=self.names.foreign_events[ref.name].context, name=ref.name))
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
            case Kind.UNION:
                return self._union_named(ref, position)
            case _:
                return self._message(ref, kind, target, position)

    def _message(self, ref: ast.TypeRef, kind: Kind, target: Ref, position: Position) -> Type | None:
        """Events and records travel: a workflow or handler takes one, a result or a record holds one."""
        if position is Position.WORKFLOW_PARAMETER and kind is Kind.EVENT:
            return EventType(ref=target)
        if kind is Kind.RECORD and position in _WHOLE_RECORD:
            if target.context == "":
                self.source.use(ref.at, Feature.ROOT_RECORDS)
            if position is Position.RECORD_FIELD:
                self.source.use(ref.at, Feature.RECORDS_IN_RECORDS)
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
        owners = self.names.owners_of(ref.name)
        at = self.source.place(ref.at)
        if self.aggregate in self.names.parts[ref.name]:
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
            self.source.use(ref.at, Feature.FILES)
            return FILE
        if ref.name == "duration":
            self.source.report(DurationNotStorable(at=at))
        elif ref.name in self.names.foreign:
            self.source.report(BareAggregateInType(at=at, name=ref.name))
        elif context := self.names.foreign_types.get(ref.name):
            self.source.report(ForeignType(at=at, name=ref.name, context=context))
        else:
            known = [*SCALARS, *self.names.known()]
            near = _ELSEWHERE.get(ref.name.lower()) or self._joined_id(ref.name) or nearest(ref.name, known)
            self.source.report(UnknownType(at=at, name=ref.name, nearest=near))
        return None

    def _joined_id(self, name: str) -> str:
        """`Order id` for `OrderId`, where there is such an aggregate."""
        owner = name[:-2]
        is_known = self.names.local.get(owner) is Kind.AGGREGATE or owner in self.names.foreign
        return f"{owner} id" if name[-2:] in ("Id", "ID") and is_known else ""

    def _wrong(self, problem: Diagnostic) -> Type | None:
        """Reports, and answers that there is no type."""
        self.source.report(problem)
        return None
