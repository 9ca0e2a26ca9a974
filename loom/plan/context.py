"""One context planned on its own, so that a change elsewhere never reaches it.

In: the context, the model's shared declarations, what its state resource and api say, its recorded history.
Out: ContextPlan and diagnostics.
Never: another context (ids of its aggregates are all that is seen of it).
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Diagnostic
from loom.ir import program as ir
from loom.ir.places import Places
from loom.ir.types import Ref
from loom.plan.code.absence import without_absence
from loom.plan.code.comparisons import settled
from loom.plan.code.gates import Rules
from loom.plan.code.reads import reads_of
from loom.plan.code.uses import declared_types, uses
from loom.plan.database.clashes import missing_columns, table_clashes
from loom.plan.database.columns import Declared
from loom.plan.database.keys import Ground
from loom.plan.database.migrations import Change, plan_migrations
from loom.plan.database.placed import Placed, placed
from loom.plan.database.suggestions import missing_indexes
from loom.plan.declarations.aggregates import plan_aggregate, tests
from loom.plan.declarations.values import enums, event, record, value_objects
from loom.plan.declarations.workflows import workflow
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from loom.plan.model import ContextPlan
from loom.plan.storage import MigrationPlan


def plan_context(
    context: ir.Context,
    shared: ir.Shared,
    places: Places,
    facts: ContextFacts,
    history: History,
    *,
    allow_destructive: bool = False,
) -> tuple[ContextPlan, tuple[Diagnostic, ...]]:
    """The plan of one context, and what is wrong with its tables or their pending migration."""
    context = settled(without_absence(context, declared_types(context)))
    declared = _declared(context, shared)
    plan = _plan(context, shared, facts, declared)
    tables = tuple(_placed(context, plan, declared))
    problems: tuple[Diagnostic, ...] = (
        *table_clashes(tables, places),
        *missing_columns(tables, facts.indexes, places),
    )
    files: tuple[MigrationPlan, ...] = ()
    if not problems:
        change = Change(context.name, tables, declared, history, places)
        files, problems = plan_migrations(change, allow_destructive=allow_destructive)
    problems += tuple(missing_indexes(context.aggregates, tables, facts.indexes, places))
    return plan.model_copy(update={"migrations": files}), problems


def _plan(context: ir.Context, shared: ir.Shared, facts: ContextFacts, declared: Declared) -> ContextPlan:
    name, used = context.name, uses(context, shared)
    records = tuple(record(item, name) for item in context.records)
    rules = Rules(declared.value_objects, {})
    workflows = tuple(workflow(item, name, records, rules) for item in context.workflows)
    reads = reads_of(workflows)
    return ContextPlan(
        name=name,
        schema_name=facts.schema_name,
        isolation=facts.isolation,
        enums=enums(context.enums, name),
        value_objects=value_objects(context.value_objects, name),
        events=tuple(event(item, name) for item in context.events),
        records=records,
        aggregates=tuple(plan_aggregate(Ground(name, facts, declared, item), reads) for item in context.aggregates),
        workflows=workflows,
        value_object_tests=tuple(test for item in context.value_objects for test in tests(item.tests)),
        migrations=(),
        ids=used.ids,
        shared=used.shared,
    )


def _placed(context: ir.Context, plan: ContextPlan, declared: Declared) -> Iterator[Placed]:
    for aggregate, planned in zip(context.aggregates, plan.aggregates, strict=True):
        yield from placed(aggregate, planned.tables, declared)


def _declared(context: ir.Context, shared: ir.Shared) -> Declared:
    homes = ((context.name, context), ("", shared))
    return Declared(
        value_objects={Ref(context=name, name=item.name): item for name, home in homes for item in home.value_objects},
        enums={Ref(context=name, name=item.name): item.values for name, home in homes for item in home.enums},
    )
