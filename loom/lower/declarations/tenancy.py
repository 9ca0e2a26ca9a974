"""Tenants: who they are, whose the rows of an aggregate are, and how far policies let one see.

In: `tenancy`, what aggregates say of it, and the policies of a context. Out: conditions of reads and writes.
Never: a rule that is left to targets: whose rows are seen is a filter like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from loom.base import Feature, nearest
from loom.ir.access import Stance
from loom.ir.expressions import (
    Arithmetic,
    Arithmetics,
    Call,
    Claim,
    Compare,
    Comparison,
    Domain,
    Expr,
    Field,
    FieldKind,
    Fn,
    Literal,
    Logic,
    Logical,
    This,
)
from loom.ir.persistence import Filter
from loom.ir.types import BOOL, STRING, IdType, Ref, ScalarKind, Type
from loom.lower.problems.names import LinkingError
from loom.lower.problems.tenancy import (
    CrossTenantWithoutTenancy,
    TenancyClaimTypeMismatch,
    TenancyConflictingStance,
    TenancyDuplicate,
    TenancyRegistryDuplicate,
    TenancyRegistryMarked,
    TenancyRegistryNotTarget,
    TenancyStanceUnmarked,
    TenantOwnedClaimType,
    TenantOwnedWithoutTenancy,
    TenantRegistryWithoutTenancy,
    UniqueMissingTenantScope,
)
from loom.lower.scope.frames import Frame
from loom.lower.scope.relations import scalar_kind, show
from loom.lower.scope.source import Source
from loom.lower.signature import ClaimSignature, ContextSignature, TenancySignature, capabilities_taken
from loom.parse import ast

OWNED, REGISTRY = Stance.OWNED.value, Stance.REGISTRY.value
_TEXTUAL = (ScalarKind.STRING, ScalarKind.GUID)


class Rows(msgspec.Struct, frozen=True):
    """How far the rows of an aggregate are read and written: `local`, `deep`, `global` or, denied, `nothing`."""

    read: str = "local"
    write: str = "local"


OWN_ROWS = Rows()


def tenancy_signature(
    declared: Sequence[tuple[Source, ast.Tenancy]],
    claims: Iterable[ClaimSignature],
    signatures: Sequence[ContextSignature],
) -> TenancySignature | None:
    """The first declaration; what is wrong with it is told once, and it is as good as any then."""
    for source, item in declared[1:]:
        source.report(TenancyDuplicate(at=source.place(item.at)))
    if not declared:
        return None
    source, first = declared[0]
    type_ = _claim_type(source, first, {item.name: item.type for item in claims})
    aggregates = [(context.name, item) for context in signatures for item in context.aggregates]
    registries = [(context, item) for context, item in aggregates if item.name == first.registry.name]
    if not registries:
        _report_registry(source, first, [item.name for _, item in aggregates])
        nobody = Ref(context="", name="")
        return TenancySignature(claim=first.claim.name, type=type_, registry=nobody, hierarchical=True)
    registry = Ref(context=registries[0][0], name=first.registry.name)
    if type_ is not None and scalar_kind(type_) not in _TEXTUAL and type_ != IdType(aggregate=registry):
        at, found = source.place(first.claim.at), show(type_)
        problem = TenancyClaimTypeMismatch(at=at, claim=first.claim.name, found=found, registry=registry.name)
        source.report(problem)
        type_ = None
    hierarchical = REGISTRY in registries[0][1].stances
    if hierarchical:
        _check_alone(source, first, signatures)
    return TenancySignature(claim=first.claim.name, type=type_, registry=registry, hierarchical=hierarchical)


def _report_registry(source: Source, declared: ast.Tenancy, known: Iterable[str]) -> None:
    at, near = source.place(declared.registry.at), nearest(declared.registry.name, known)
    source.report(LinkingError(at=at, kind="aggregate", name=declared.registry.name, nearest=near))


def _claim_type(source: Source, declared: ast.Tenancy, claims: Mapping[str, Type | None]) -> Type | None:
    if declared.claim.name not in claims:
        at, near = source.place(declared.claim.at), nearest(declared.claim.name, claims)
        source.report(LinkingError(at=at, kind="claim", name=declared.claim.name, nearest=near))
    return claims.get(declared.claim.name)


def _check_alone(source: Source, declared: ast.Tenancy, signatures: Iterable[ContextSignature]) -> None:
    marked = [item.name for context in signatures for item in context.aggregates if REGISTRY in item.stances]
    if len(marked) > 1:
        at, names = source.place(declared.registry.at), ", ".join(f"`{name}`" for name in marked)
        source.report(TenancyRegistryDuplicate(at=at, names=names, registry=declared.registry.name))


def stance(frame: Frame, declared: ast.Aggregate) -> Stance:
    """Whose its rows are; what contradicts that is reported."""
    taken = capabilities_taken(declared)
    known = frame.scope.principal.tenancy
    for name in (OWNED, REGISTRY):
        if name in taken:
            frame.scope.source.use(taken[name], Feature.TENANCY)
    if declared.cross_tenant is not None:
        frame.scope.source.use(declared.cross_tenant.at, Feature.TENANCY)
    if known is None:
        _check_without_tenants(frame, declared, taken)
        return Stance.NONE
    if declared.is_abstract:
        return Stance.NONE
    return _stance(frame, declared, taken, known)


def _check_without_tenants(frame: Frame, declared: ast.Aggregate, taken: Mapping[str, int]) -> None:
    if OWNED in taken:
        frame.report(TenantOwnedWithoutTenancy(at=frame.at(taken[OWNED]), name=declared.name))
    if REGISTRY in taken:
        frame.report(TenantRegistryWithoutTenancy(at=frame.at(taken[REGISTRY]), name=declared.name))
    if declared.cross_tenant is not None:
        frame.report(CrossTenantWithoutTenancy(at=frame.at(declared.cross_tenant.at), name=declared.name))


def _stance(frame: Frame, declared: ast.Aggregate, taken: Mapping[str, int], known: TenancySignature) -> Stance:
    is_shared = declared.cross_tenant is not None
    if known.registry == Ref(context=frame.scope.names.context, name=declared.name):
        frame.scope.source.use(taken.get(REGISTRY, declared.at), Feature.TENANCY)
        _check_registry(frame, declared, taken)
        return Stance.REGISTRY
    if REGISTRY in taken and not known.hierarchical:
        at = frame.at(taken[REGISTRY])
        frame.report(TenancyRegistryNotTarget(at=at, name=declared.name, registry=known.registry.name))
    if OWNED in taken and is_shared:
        frame.report(TenancyConflictingStance(at=frame.at(declared.at), name=declared.name))
    elif OWNED in taken:
        _check_claim(frame, declared, taken[OWNED], known)
    elif not is_shared and REGISTRY not in taken:
        frame.report(TenancyStanceUnmarked(at=frame.at(declared.at), name=declared.name))
    return Stance.OWNED if OWNED in taken else Stance.SHARED if is_shared else Stance.NONE


def _check_registry(frame: Frame, declared: ast.Aggregate, taken: Mapping[str, int]) -> None:
    marks = {OWNED: taken[OWNED]} if OWNED in taken else {}
    if declared.cross_tenant is not None:
        marks["crossTenant"] = declared.cross_tenant.at
    for mark, at in marks.items():
        frame.report(TenancyRegistryMarked(at=frame.at(at), name=declared.name, mark=mark))


def _check_claim(frame: Frame, declared: ast.Aggregate, at: int, known: TenancySignature) -> None:
    if known.type is not None and known.type != STRING:
        found = show(known.type)
        problem = TenantOwnedClaimType(at=frame.at(at), name=declared.name, claim=known.claim, found=found)
        frame.report(problem)


def check_key(frame: Frame, declared: ast.Unique, owner: str, found: Stance) -> None:
    """A key of rows that belong to tenants names the tenant."""
    names = [column.name for column in declared.columns]
    if found is Stance.OWNED and "tenantId" not in names:
        frame.report(UniqueMissingTenantScope(at=frame.at(declared.at), columns=", ".join(names), name=owner))


def seen(frame: Frame, found: Stance, rows: Rows) -> tuple[Filter, ...]:
    """The filter that keeps rows from those who may not see them."""
    if rows.read == "nothing":
        return (Filter(capability="", condition=_NOTHING),)
    if found is not Stance.OWNED:
        return ()
    return (Filter(capability=OWNED, condition=_reached(frame, rows.read)),)


def written(frame: Frame, found: Stance, rows: Rows) -> Expr | None:
    """What a row must meet to be changed or destroyed; another one is as if it were not there."""
    if rows.write == "nothing":
        return _NOTHING
    return _reached(frame, rows.write) if found is Stance.OWNED else None


_NOTHING = Literal(type=BOOL, text="false")


def _reached(frame: Frame, level: str) -> Expr:
    """Below its place in the tree of tenants, or below the root of that; else its own rows."""
    known, this = frame.scope.principal.tenancy, frame.this
    assert known is not None and this is not None
    if level == "local" or not known.hierarchical:
        return _equal(_column(this.type, "tenantId"), Claim(type=STRING, name=known.claim))
    top = Claim(type=STRING, name="orgPath" if level == "deep" else "rootOrg")
    slash = Literal(type=STRING, text="/")
    below = Arithmetics(type=STRING, op=Arithmetic.ADD, domain=Domain.STRING, operands=(top, slash))
    place = _column(this.type, "dataKey")
    inside = Call(type=BOOL, fn=Fn.STARTS_WITH, arguments=(place, below))
    return Logical(type=BOOL, op=Logic.OR, operands=(_equal(place, top), inside))


def _column(owner: Type, name: str) -> Expr:
    return Field(type=STRING, receiver=This(type=owner), name=name, kind=FieldKind.PROPERTY)


def _equal(left: Expr, right: Expr) -> Expr:
    return Compare(type=BOOL, op=Comparison.EQ, domain=Domain.STRING, left=left, right=right)
