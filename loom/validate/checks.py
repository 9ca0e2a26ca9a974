"""All invariants of a context, of the root and of a system, in order.

In: what lowering made, with its places. Out: diagnostics.
Never: a change to the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loom.base import Diagnostic, Facts
from loom.ir import program as ir
from loom.ir.uses import Uses
from loom.lower.context import LoweredContext
from loom.lower.shared import LoweredShared
from loom.lower.signature import ContextSignature, SharedSignature
from loom.lower.system import LoweredSystem
from loom.validate import (
    cycles,
    delivery,
    endless,
    exposure,
    gates,
    hosting,
    names,
    persisted,
    principal,
    reactions,
    remote,
    reserved,
    storage,
    timers,
)
from loom.validate.where import Where


def validate_context(lowered: LoweredContext, shared: SharedSignature) -> tuple[Diagnostic, ...]:
    where = Where(lowered.places)
    context = lowered.context
    root = [*(item.name for item in shared.enums), *(item.name for item in shared.value_objects)]
    found: list[Diagnostic] = [*names.types(context, root, where), *names.members(context, where)]
    found += names.bindings(context, where)
    found += persisted.tables(context, where)
    found += reactions.gates(context, where)
    found += cycles.value_objects(context.value_objects, where)
    found += endless.calls(context, where)
    for value in context.value_objects:
        found += cycles.derived(value, (value.name,), where)
    found += exposure.selected(context, where)
    for aggregate in context.aggregates:
        found += _aggregate(aggregate, where)
    if shared.default_deny:
        found += gates.ungated(context, where)
    return tuple(found)


def _aggregate(aggregate: ir.Aggregate, where: Where) -> Iterator[Diagnostic]:
    yield from cycles.derived(aggregate, (aggregate.name,), where)
    yield from cycles.containments(aggregate, where)
    yield from exposure.secrets(aggregate, (aggregate.name,), where)
    for part in aggregate.parts:
        path = (aggregate.name, part.name)
        yield from cycles.derived(part, path, where)
        yield from exposure.secrets(part, path, where)


def validate_shared(lowered: LoweredShared) -> tuple[Diagnostic, ...]:
    where = Where(lowered.places)
    shared = lowered.shared
    found = list(cycles.value_objects(shared.value_objects, where))
    found += endless.value_objects(shared.value_objects, where)
    for enum in shared.enums:
        found += names.enum_values(enum, where)
    for value in shared.value_objects:
        found += [*names.value_object(value, where), *cycles.derived(value, (value.name,), where)]
    return tuple(found)


def validate_system(lowered: LoweredSystem, facts: Mapping[str, Facts]) -> tuple[Diagnostic, ...]:
    """What single declarations say, or several against each other; `facts` are those of the backends by platform."""
    where = Where(lowered.places)
    system = lowered.system
    return (
        *hosting.platforms(system, facts, where),
        *hosting.knobs(system, facts, where),
        *hosting.slugs(system, where),
        *hosting.ports(system, facts, where),
        *reserved.slugs(system, where),
        *reserved.ports(system, facts, where),
        *hosting.url_styles(system, where),
        *storage.capabilities(system, where),
        *storage.indexes(system, where),
        *storage.schema_names(system, where),
        *storage.schemas(system, where),
    )


def validate_wiring(
    lowered: LoweredSystem, signatures: Iterable[ContextSignature], uses: Mapping[str, Uses]
) -> tuple[Diagnostic, ...]:
    """What nothing is connected to, and what needs something that is not there; `uses` are those of contexts by name.

    Of a system that lost a declaration to a mistake it would say that it is missing.
    """
    where = Where(lowered.places)
    system = lowered.system
    by_name = {item.name: item for item in signatures}
    return (
        *hosting.contexts(system, where),
        *hosting.apis(system, where),
        *storage.needs(system, by_name, where),
        *storage.files(system, by_name, where),
        *storage.unused(system, by_name, where),
        *remote.servers(system, where),
        *delivery.channels(system, by_name, where),
        *timers.timers(system, by_name, where),
        *principal.unauthenticated(system, uses),
    )
