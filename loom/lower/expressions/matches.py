"""`match` over the variants of a union: what is matched, which variant an arm is, and the value form.

In: a match as written. Out: the typed value; for the form with blocks, what its cases need.
Never: blocks; those are for bodies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from loom.base import Feature, nearest
from loom.ir.expressions import Expr, VariantCase, VariantMatch
from loom.ir.types import OptionalType, Type, UnionType
from loom.lower.expressions.branches import branches
from loom.lower.mentions import below
from loom.lower.problems.matches import (
    MatchDuplicateVariant,
    MatchNonExhaustive,
    MatchNonUnionSubject,
    MatchSubjectNotSimple,
    MatchUnknownVariant,
)
from loom.lower.problems.names import DuplicateLocal
from loom.lower.problems.types import TernaryBranches, TypeUnknownHere
from loom.lower.scope.frames import Frame, Origin
from loom.lower.scope.relations import fitted, is_optional, join, show
from loom.parse import ast
from loom.parse.printer import show_type


class Matching(msgspec.Struct):
    """The subject of one match, and what has been seen of its variants; `union` is None when it is wrong."""

    frame: Frame
    at: int
    subject: Expr | None
    union: UnionType | None
    seen: set[str] = msgspec.field(default_factory=set)

    def variant(self, written: ast.TypeRef) -> Type | None:
        """The variant that an arm names; None when it is none or has an arm already."""
        if self.union is None:
            return None
        variants = {show(item): item for item in self.union.variants}
        name, at = show_type(written), self.frame.at(written.at)
        if name not in variants:
            near = nearest(name, variants)
            self.frame.report(MatchUnknownVariant(at=at, name=name, union=show(self.union), nearest=near))
        elif name in self.seen:
            self.frame.report(MatchDuplicateVariant(at=at, name=name))
        else:
            self.seen.add(name)
            return variants[name]
        return None

    def bound(self, name: ast.NameRef | None, variant: Type | None) -> Frame:
        """The frame of an arm."""
        if name is None:
            return self.frame
        if name.name in self.frame.locals:
            self.frame.report(DuplicateLocal(at=self.frame.at(name.at), name=name.name))
        return self.frame.bind(name.name, variant, Origin.LET)

    def is_total(self, *, has_else: bool) -> bool:
        """Whether every variant has its arm; those that have none are warned of."""
        if has_else or self.union is None:
            return True
        missing = [name for name in map(show, self.union.variants) if name not in self.seen]
        if missing:
            names = ", ".join(f"`{name}`" for name in missing)
            self.frame.report(MatchNonExhaustive(at=self.frame.at(self.at), variants=names))
        return not missing


def matching(frame: Frame, at: int, written: ast.Expression) -> Matching:
    if any(isinstance(item, ast.Call) for item in below(written)):
        frame.report(MatchSubjectNotSimple(at=frame.at(written.at)))
        return Matching(frame, at, None, None)
    subject = frame.lower(written)
    union = subject.type if subject is not None and isinstance(subject.type, UnionType) else None
    if subject is not None and union is None:
        frame.report(MatchNonUnionSubject(at=frame.at(written.at), found=show(subject.type)))
    return Matching(frame, at, subject, union)


def variant_match(frame: Frame, node: ast.VariantMatch, expected: Type | None) -> Expr | None:
    frame.scope.source.use(node.at, Feature.VARIANT_MATCH)
    found = matching(frame, node.at, node.subject)
    variants = [found.variant(arm.variant) for arm in node.arms]
    written = [(found.bound(arm.name, its), arm.value) for arm, its in zip(node.arms, variants, strict=True)]
    values = branches([*written, *([(frame, node.otherwise)] if node.otherwise is not None else [])], expected)
    is_total = found.is_total(has_else=node.otherwise is not None)
    whole = [item for item in values if item is not None]
    kept = [item for item in variants if item is not None]
    if found.subject is None or len(whole) < len(values) or len(kept) < len(variants):
        return None
    made = _joined(frame, node.at, whole, is_total=is_total)
    if made is None:
        return None
    named = [arm.name.name if arm.name is not None else "" for arm in node.arms]
    cases = zip(kept, named, made, strict=False)
    return VariantMatch(
        type=made[0].type if is_total else _optional(made[0].type),
        subject=found.subject,
        cases=tuple(VariantCase(variant=variant, name=name, value=value) for variant, name, value in cases),
        otherwise=made[-1] if node.otherwise is not None else None,
    )


def _joined(frame: Frame, at: int, values: Sequence[Expr], *, is_total: bool) -> list[Expr] | None:
    """All `values` in their common type."""
    if not values:
        frame.report(TypeUnknownHere(at=frame.at(at), literal="match"))
        return None
    common = values[0]
    for value in values[1:]:
        both = join(common, value)
        if both is None:
            left, right = show(common.type), show(value.type)
            frame.report(TernaryBranches(at=frame.at(at), left=left, right=right))
            return None
        common = both[0]
    return list(_fitted(values, common.type if is_total else _optional(common.type)))


def _fitted(values: Iterable[Expr], type_: Type) -> Iterable[Expr]:
    for value in values:
        yield fitted(value, type_) or value


def _optional(type_: Type) -> Type:
    return type_ if is_optional(type_) else OptionalType(of=type_)
