"""Criteria and policies by name: their parameters and what they are about.

In: their declarations. Out: shapes. Never: their conditions, which are lowered where they are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from loom.base import circles
from loom.ir.types import BOOL, AggregateType
from loom.lower.mentions import below, mapped
from loom.lower.problems.predicates import (
    CriterionAliasCollision,
    CriterionCycle,
    CriterionUnsupportedTarget,
    PolicyFnCycle,
    PolicyFnReturnType,
)
from loom.lower.problems.types import TypeNotAllowed
from loom.lower.scope.members import parameters
from loom.lower.scope.names import Kind
from loom.lower.scope.relations import show
from loom.lower.scope.shapes import PredicateShape, RetrievalShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast

Declared = ast.Criterion | ast.PolicyFunction


def predicates(declared: Iterable[ast.ContextMember], types: TypeScope) -> Mapping[str, PredicateShape]:
    kept: dict[str, Declared] = {}
    for item in declared:
        if isinstance(item, Declared):
            kept.setdefault(item.name, item)
    shapes = {name: _shape(item, types) for name, item in kept.items()}
    endless = _endless(shapes, types)
    return {name: replace(shape, is_sound=False) if name in endless else shape for name, shape in shapes.items()}


def retrievals(declared: Iterable[ast.ContextMember], types: TypeScope) -> Mapping[str, RetrievalShape]:
    found: dict[str, RetrievalShape] = {}
    for item in declared:
        if isinstance(item, ast.Retrieval) and item.name not in found:
            given = parameters(item.parameters, types, Position.PREDICATE)
            found[item.name] = RetrievalShape(item.name, given, _read_aggregate(item.of, types), item)
    return found


def _read_aggregate(of: ast.TypeRef, types: TypeScope) -> str:
    type_ = types.resolve(of, Position.PREDICATE)
    if isinstance(type_, AggregateType):
        return type_.ref.name
    if type_ is not None:
        at = types.source.place(of.at)
        types.source.report(TypeNotAllowed(at=at, found=f"`{show(type_)}`", where="what a retrieval reads"))
    return ""


def _shape(item: Declared, types: TypeScope) -> PredicateShape:
    given = parameters(item.parameters, types, Position.PREDICATE)
    at = types.source.place(item.at)
    if isinstance(item, ast.PolicyFunction):
        returns = types.resolve(item.returns, Position.FUNCTION)
        if returns not in (BOOL, None):
            types.source.report(PolicyFnReturnType(at=at, name=item.name, found=show(returns)))
        return PredicateShape(item.name, given, "", item.condition, item, is_sound=returns == BOOL)
    if item.alias in [parameter.name for parameter in given]:
        alias_at = types.source.place(item.of.at + 2)  # behind `as`
        types.source.report(CriterionAliasCollision(at=alias_at, name=item.alias))
    target, is_sound = _target(item.of, types)
    return PredicateShape(item.name, given, target, _of_instance(item), item, is_sound)


def _target(of: ast.TypeRef, types: TypeScope) -> tuple[str, bool]:
    """The aggregate that a criterion is about, empty for none; and whether it can be about that."""
    is_plain = not (of.is_id or of.is_list or of.is_optional or of.carriers or of.others)
    kind = types.names.local.get(of.name)
    if is_plain and of.name == "bool":
        return "", True
    if is_plain and kind in (Kind.AGGREGATE, Kind.ABSTRACT, Kind.UNSUPPORTED):
        return of.name, kind is not Kind.UNSUPPORTED
    if is_plain and not types.is_known(of.name):
        types.resolve(of, Position.FIND_RESULT)
    else:
        at = types.source.place(of.at)
        types.source.report(CriterionUnsupportedTarget(at=at, found=f"`{of.name}{' id' if of.is_id else ''}`"))
    return of.name, False


def _of_instance(item: ast.Criterion) -> ast.Expression:
    """The condition with `this` for the name that the criterion gives its instance."""
    return renamed(item.condition, item.alias) if item.alias else item.condition


def renamed(node: ast.Expression, alias: str) -> ast.Expression:
    """`node` with `this` in place of the name `alias`."""
    return mapped(node, lambda item: ast.This(item.at) if isinstance(item, ast.Name) and item.name == alias else item)


def _endless(known: Mapping[str, PredicateShape], types: TypeScope) -> set[str]:
    """Those that need themselves; each circle is reported once."""
    found: set[str] = set()
    for way in circles({name: _mentioned(shape, known) for name, shape in known.items()}):
        declared = known[way[0]].declaration
        kind = PolicyFnCycle if isinstance(declared, ast.PolicyFunction) else CriterionCycle
        types.source.report(kind(at=types.source.place(declared.at), name=way[0], path=" → ".join(way)))
        found |= set(way)
    return found


def _mentioned(shape: PredicateShape, known: Mapping[str, PredicateShape]) -> tuple[str, ...]:
    own = {item.name for item in shape.parameters}
    names = [item.name for item in below(shape.condition) if isinstance(item, ast.Name)]
    return tuple(name for name in dict.fromkeys(names) if name in known and name not in own)
