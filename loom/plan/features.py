"""What a program uses, held against what the Plan can say and what a backend emits.

In: the uses that lowering saw; the table of the Plan; facts of a backend. Out: a diagnostic for each use
that is too much.
Never: how a construct is spelled. The program says all of the language; this is the one place that says no.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from loom.base import Diagnostic, Facts, Feature
from loom.ir.uses import Use, Uses
from loom.lower.problems import UnsupportedFeature
from loom.parse.stage import NoValue

# A construct enters this table when the Plan says everything about it that services must agree on.
PLANNED = frozenset(
    {
        Feature.STATE_AGGREGATES,
        Feature.REPOSITORY_FINDS,
        Feature.WORKFLOW_COMMANDS,
        Feature.UNIT_TESTS,
    }
)

# The parts of a program that belong to a feature, besides what every program has.
SAID_BY: Mapping[Feature, tuple[str, ...]] = {
    Feature.FILTERS: ("Aggregate.filters",),
    Feature.FILTER_BYPASS: ("Find.ignoring", "Read.ignoring"),
    Feature.CRITERION_READS: ("Context.criteria", "Read.page"),
    Feature.RETRIEVALS: ("Context.retrievals", "Read.where", "Read.sort", "Read.page"),
    Feature.WHOLE_READS: ("Read.page",),
    Feature.COUNTS: ("Read.counts", "Context.criteria"),
    Feature.STAMPS: ("Aggregate.stamps",),
    Feature.OPTIONS: ("Find.carrier",),
    Feature.ENVELOPES: ("Find.carrier",),
    Feature.UNIONS: ("Find.absent",),
    Feature.AUDIT: ("Operation.audited", "Create.audited", "Destroy.audited"),
    Feature.EXTERN_OPERATIONS: ("Operation.extern",),
    Feature.SENSITIVITY: ("Property.sensitive",),
    Feature.PROVENANCE: ("Property.provenanced",),
    Feature.CHANNELS: ("Context.channels",),
    **{item: ("Storage.config",) for item in Feature if item.name.startswith("STORAGE_")},
    Feature.CHANNEL_BINDINGS: ("Deployable.channels",),
    Feature.CHANNEL_SOURCES: ("System.channel_sources",),
    Feature.TIMERS: ("System.timers",),
    Feature.WORKFLOW_STATE: ("Workflow.state", "Workflow.key", "WorkflowCreate.key"),
    Feature.WORKFLOW_REACTIONS: ("Workflow.starters", "Workflow.reactors"),
    Feature.INSTANCE_GATES: ("Workflow.requires",),
    Feature.EVENT_SOURCED_WORKFLOWS: (
        "Workflow.event_sourced",
        "Workflow.appliers",
        "Workflow.state",
        "Workflow.key",
        "WorkflowCreate.key",
    ),
    Feature.EVENT_SOURCED_AGGREGATES: ("Aggregate.event_sourced", "Aggregate.appliers"),
    Feature.FOLDED_PROJECTIONS: ("Context.projections",),
    Feature.QUERY_PROJECTIONS: ("Context.projections",),
    Feature.DOMAIN_SERVICES: ("Context.services",),
    Feature.HANDLERS: ("Context.handlers",),
    Feature.ROUTES: ("Api.routes",),
    Feature.HTTP_STATUSES: ("Api.statuses",),
    Feature.SHARED_TABLE: ("Aggregate.shares",),
    Feature.EMBEDDED_SHAPE: ("Aggregate.shape",),
    Feature.DOCUMENT_SHAPE: ("Aggregate.shape",),
    Feature.USER: ("System.user",),
    Feature.AUTHENTICATED: ("Deployable.authenticated",),
    Feature.AUTH: ("System.auth",),
    Feature.PERMISSIONS: ("Subdomain.permissions",),
    Feature.TENANCY: ("System.tenancy", "Aggregate.stance", "Aggregate.filters", "Aggregate.writable"),
    Feature.ROW_POLICIES: ("Aggregate.filters", "Aggregate.writable"),
    Feature.MASKS: ("Property.mask",),
    Feature.CONTEXT_TESTS: ("Context.tests",),
    Feature.DESTROY_PARAMETERS: ("Destroy.parameters",),
    Feature.SEEDS: ("Context.seeds",),
    Feature.MIGRATIONS: ("Context.migrations",),
}

# Parts of a program in which no service has a part, so that nobody can lack them; `hosting.knobs` lets through of the
# choices of a deployable what its backend emits anyway.
SILENT = (
    "Record.error",
    "Shared.records",
    "System.traces",
    "Test.verifies",
    "Scenario.verifies",
    "Deployable.persistence",
    "Deployable.layout",
)


def check(uses: Uses) -> tuple[NoValue, tuple[Diagnostic, ...]]:
    """The stage over what no Plan can say; contexts and systems without such a use are planned."""
    return NoValue(), tuple(missing(uses.entries, PLANNED, "loom"))


def unemitted(uses: Iterable[Use], facts: Facts) -> Iterator[Diagnostic]:
    """What the Plan says and this backend does not emit."""
    planned = [use for use in uses if use.feature in PLANNED]
    return missing(planned, facts.supports, facts.name)


def missing(uses: Iterable[Use], supported: frozenset[Feature], target: str) -> Iterator[Diagnostic]:
    for use in uses:
        if use.feature not in supported:
            yield UnsupportedFeature(at=use.at, target=target, feature=use.feature.value)
