"""Filters of aggregates, and the finds that lift them.

In: an aggregate as written out, the frame of its instance. Out: IR filters; the capabilities that a find ignores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Feature, nearest
from loom.ir.persistence import Filter
from loom.lower.bodies.conditions import condition
from loom.lower.declarations.queryable import not_queryable
from loom.lower.declarations.tenancy import OWNED
from loom.lower.problems.capabilities import (
    CriterionNotSelectable,
    FilterBypassNoFilter,
    FilterBypassUnknownCapability,
)
from loom.lower.scope.aggregates import is_event_sourced
from loom.lower.scope.frames import Body, Frame
from loom.lower.signature import capabilities_taken
from loom.parse import ast


def filters(frame: Frame, declared: ast.Aggregate) -> tuple[Filter, ...]:
    return tuple(made for item in declared.members if isinstance(item, ast.Filter) for made in _filter(frame, item))


def _filter(frame: Frame, declared: ast.Filter) -> Iterator[Filter]:
    inner = frame.within(Body.FILTER)
    value = condition(inner, declared.condition, "`filter`")
    if value is None:
        return
    if obstacle := not_queryable(value):
        frame.report(CriterionNotSelectable(at=frame.at(declared.condition.at), reason=obstacle.reason))
        return
    frame.scope.source.use(declared.at, Feature.FILTERS)
    yield Filter(capability=declared.capability, condition=value)


def ignored(frame: Frame, written: Iterable[ast.NameRef], declared: ast.Aggregate) -> tuple[str, ...]:
    """The capabilities whose filters a read of `declared` lifts."""
    names = [item for item in written if _is_liftable(frame, item, declared)]
    if names:
        frame.scope.source.use(names[0].at, Feature.FILTER_BYPASS)
    return tuple(dict.fromkeys(item.name for item in names))


def _is_liftable(frame: Frame, item: ast.NameRef, declared: ast.Aggregate) -> bool:
    filtered = [member.capability for member in declared.members if isinstance(member, ast.Filter)]
    if OWNED in capabilities_taken(declared) and frame.scope.principal.tenancy is not None:
        filtered.append(OWNED)
    known = [] if is_event_sourced(declared) else [_BY_DEFAULT]
    known += [member.name for member in (*declared.macros, *declared.members) if isinstance(member, _TAKING)]
    if item.name in filtered or (item.name == "*" and filtered):
        return True
    at = frame.at(item.at)
    if item.name == "*":
        frame.report(FilterBypassNoFilter(at=at, case="all", aggregate=declared.name, name="*"))
    elif item.name in known:
        frame.report(FilterBypassNoFilter(at=at, case="one", aggregate=declared.name, name=item.name))
    else:
        near = nearest(item.name, [*known, *filter(None, filtered)])
        frame.report(FilterBypassUnknownCapability(at=at, aggregate=declared.name, name=item.name, nearest=near))
    return False


_TAKING = ast.MacroCall | ast.Implements
_BY_DEFAULT = "versioned"  # what every aggregate that keeps its state takes on
