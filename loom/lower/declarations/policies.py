"""Policies over rows: how far each aggregate of a context is read and written.

In: the `policy` blocks of a context; all of them hold together. Out: the rows of each aggregate that one names.
Never: a condition; that is `tenancy`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from loom.base import Diagnostic, Feature, nearest
from loom.lower.declarations.tenancy import OWNED, Rows
from loom.lower.problems.tenancy import (
    PolicyDenyDuplicate,
    PolicyDenyShadowsAllow,
    PolicyDenyUnknownAggregate,
    PolicyDuplicateTarget,
    PolicyLevelRequiresHierarchy,
    PolicyTargetNotTenantOwned,
    PolicyUnknownAggregate,
    PolicyWriteGlobalInvalid,
    PolicyWriteWiderThanRead,
)
from loom.lower.scope.frames import Frame
from loom.lower.signature import capabilities_taken
from loom.parse import ast

_WIDTH = {"nothing": -1, "local": 0, "deep": 1, "global": 2}
Kinds = dict[tuple[str, bool], ast.PolicyRule]


def policies(frame: Frame, context: ast.Context) -> Mapping[str, Rows]:
    blocks = [item for item in context.members if isinstance(item, ast.Policy)]
    for block in blocks:
        frame.scope.source.use(block.at, Feature.ROW_POLICIES)
    rules = [rule for block in blocks for rule in block.rules if _is_known(frame, rule)]
    denied = _first(frame, [rule for rule in rules if rule.level is None])
    allowed = _first(frame, [rule for rule in rules if rule.level is not None])
    for key, rule in allowed.items():
        _check_allowed(frame, rule, is_denied=key in denied)
    made = dict(_rows(allowed, denied))
    for name, rows in made.items():
        _check_width(frame, name, rows, allowed)
    return made


def _is_known(frame: Frame, rule: ast.PolicyRule) -> bool:
    aggregates = frame.scope.tables.aggregates
    if rule.aggregate.name in aggregates:
        return True
    kind = PolicyUnknownAggregate if rule.level is not None else PolicyDenyUnknownAggregate
    at, near = frame.at(rule.aggregate.at), nearest(rule.aggregate.name, aggregates)
    frame.report(kind(at=at, name=rule.aggregate.name, nearest=near))
    return False


def _first(frame: Frame, rules: list[ast.PolicyRule]) -> Kinds:
    """The first rule of each aggregate and kind."""
    kept: Kinds = {}
    for rule in rules:
        key = (rule.aggregate.name, rule.is_write)
        if key in kept:
            frame.report(_doubled(frame, rule))
        kept.setdefault(key, rule)
    return kept


def _doubled(frame: Frame, rule: ast.PolicyRule) -> Diagnostic:
    kind = PolicyDuplicateTarget if rule.level is not None else PolicyDenyDuplicate
    return kind(at=frame.at(rule.at), doing=_doing(rule), name=rule.aggregate.name)


def _doing(rule: ast.PolicyRule) -> str:
    return "writing" if rule.is_write else "reading"


def _check_allowed(frame: Frame, rule: ast.PolicyRule, *, is_denied: bool) -> None:
    assert rule.level is not None
    name, at = rule.aggregate.name, frame.at(rule.level.at)
    tenancy = frame.scope.principal.tenancy
    if OWNED not in capabilities_taken(frame.scope.tables.aggregates[name].declaration):
        frame.report(PolicyTargetNotTenantOwned(at=frame.at(rule.aggregate.at), name=name))
    elif rule.is_write and rule.level.name == "global":
        frame.report(PolicyWriteGlobalInvalid(at=at, name=name))
    elif rule.level.name != "local" and tenancy is not None and not tenancy.hierarchical:
        registry = tenancy.registry.name
        frame.report(PolicyLevelRequiresHierarchy(at=at, level=rule.level.name, registry=registry))
    if is_denied:
        frame.report(PolicyDenyShadowsAllow(at=frame.at(rule.at), doing=_doing(rule), name=name))


def _rows(allowed: Kinds, denied: Kinds) -> Iterator[tuple[str, Rows]]:
    for name in dict.fromkeys(name for name, _ in (*allowed, *denied)):
        found = Rows()
        if (read := allowed.get((name, False))) is not None and read.level is not None:
            found = replace(found, read=read.level.name)
        if (write := allowed.get((name, True))) is not None and write.level is not None:
            found = replace(found, write=write.level.name)
        if (name, False) in denied:
            found = replace(found, read="nothing")
        if (name, True) in denied:
            found = replace(found, write="nothing")
        yield name, found


def _check_width(frame: Frame, name: str, rows: Rows, allowed: Kinds) -> None:
    rule = allowed.get((name, True))
    if rule is None or rows.write in ("global", "nothing") or rows.read == "nothing":
        return
    if _WIDTH[rows.write] > _WIDTH[rows.read]:
        frame.report(PolicyWriteWiderThanRead(at=frame.at(rule.at), name=name, write=rows.write, read=rows.read))
