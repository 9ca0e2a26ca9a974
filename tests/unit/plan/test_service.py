"""Contexts planned alone, services made of them, and what is wrong with a service as a whole."""

from __future__ import annotations

import pytest

from loom.base import Feature, NodePath
from loom.ir import statements as st
from loom.ir.deployment import Api, Deployable, Resource, Subdomain, System
from loom.ir.places import Place, Places
from loom.ir.program import Containment, Enum, Isolation, Operation, Property, Shared
from loom.ir.types import INT, NOTHING, EnumType, IdType, Ref
from loom.plan.checks import service_problems
from loom.plan.code.initials import always_assigned
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts, context_facts
from loom.plan.history import History
from loom.plan.model import ContextPlan, ServicePlan
from loom.plan.service import plan_service
from tests.kit.build import EMPTY, aggregate, context, integer, local, part
from tests.kit.sample import sample_context, sample_deployable, sample_facts, sample_service
from tests.kit.seed_vault import mine, seed_vault, seed_vault_shared

NOWHERE = Places(entries=())


def planned(name: str, *properties: Property, shared: Shared = EMPTY) -> ContextPlan:
    model = context(name, aggregate("HTTPProbe", *properties))
    plan, problems = plan_context(model, shared, NOWHERE, ContextFacts(schema_name=name.lower()), History())
    assert problems == ()
    return plan


def hosting(*contexts: ContextPlan) -> ServicePlan:
    deployable = Deployable(
        name="ProbeHTTPApi",
        platform="loom",
        contexts=tuple(item.name for item in contexts),
        resources=(),
        serves=(),
        port=7000,
    )
    return plan_service("Probing", deployable, sample_facts("loom"), contexts, EMPTY)


def test_a_plan_reads_back_equal() -> None:
    plan = sample_service("loom")
    assert ServicePlan.from_canonical(plan.canonical()) == plan


def test_a_service_has_names_and_a_port_of_its_own() -> None:
    service = hosting(planned("Probing"))
    assert (service.slug, service.database, service.port) == ("probe_http_api", "probe_http_api", 7000)
    assert sample_service("loom").port == sample_facts("loom").default_port


def test_a_service_holds_only_what_it_hosts() -> None:
    plans = [planned("Probing"), planned("Archive")]
    deployable = sample_deployable("loom").model_copy(update={"contexts": ("Archive",)})
    service = plan_service("Probing", deployable, sample_facts("loom"), plans, EMPTY)
    assert [item.name for item in service.contexts] == ["Archive"]


def test_ids_of_other_contexts_are_known_by_reference_alone() -> None:
    other = IdType(aggregate=Ref(context="Elsewhere", name="Borrower"))
    assert planned("Probing", Property(name="from", type=other)).ids == (
        Ref(context="Elsewhere", name="Borrower"),
        Ref(context="Probing", name="HTTPProbe"),
    )


def test_only_used_declarations_of_the_root_are_carried() -> None:
    service = sample_service("loom")
    assert [item.ref.name for item in service.shared.enums] == ["OriginClass"]
    assert [item.ref.name for item in service.shared.value_objects] == ["TimeSpan"]
    assert [item.name for item in service.shared.functions] == ["doubled"]
    unused = hosting(planned("Probing", shared=seed_vault_shared()))
    assert not (unused.shared.enums or unused.shared.value_objects or unused.shared.functions)


def test_an_enum_of_the_root_is_found_through_a_field() -> None:
    kind = EnumType(ref=Ref(context="", name="ProbeClass"))
    shared = Shared(enums=(Enum(name="ProbeClass", values=("None", "class")),), value_objects=(), functions=())
    assert planned("Probing", Property(name="class", type=kind), shared=shared).shared == ("ProbeClass",)


def test_keys_that_no_workflow_reads_by_are_not_planned() -> None:
    lot, donor = sample_context().aggregates
    assert lot.keys == ()
    assert [key.fields for key in donor.keys] == [("fullName",)]


def test_a_field_that_create_always_sets_needs_no_start() -> None:
    initial = {field.name: field.initial for field in sample_context().aggregates[0].fields}
    assert initial["order"] is None
    assert initial["state"] is not None
    assert initial["auditNote"] is not None


def test_a_field_that_is_read_before_it_is_set_has_a_start() -> None:
    order = st.Assign(path=("order",), type=INT, value=integer(1))
    copied = st.Assign(path=("seedCount",), type=INT, value=mine("order", INT))
    branch = st.If(condition=local("isOpen", INT), then=(order,), otherwise=(copied,))
    assert always_assigned((order, copied)) == {"order", "seedCount"}
    assert always_assigned((copied, order)) == {"seedCount"}
    assert always_assigned((branch,)) == frozenset()


def test_emitted_events_are_listed_once() -> None:
    assert [ref.name for ref in sample_context().aggregates[0].emits] == ["LotSealed"]


def test_two_aggregates_of_one_name_cannot_share_a_service() -> None:
    first, second = planned("Probing"), planned("Archive")
    at = NodePath("archive.ddd#Archive/3")
    places = {"Probing": NOWHERE, "Archive": Places(entries=(Place(path=("HTTPProbe",), at=at),))}
    problems = service_problems(hosting(first, second), sample_facts("loom"), places)
    assert [problem.text() for problem in problems] == [
        "`GET /api/http_probes` would stand for both the aggregate `Probing.HTTPProbe` "
        "and the aggregate `Archive.HTTPProbe` in ProbeHTTPApi"
    ]
    assert {problem.at for problem in problems} == {at}


def test_two_ways_to_one_operation_id_are_a_clash() -> None:
    def closing(name: str) -> Operation:
        return Operation(
            name=name, parameters=(), returns=NOTHING, private=False, requires=(), when=None, body=(), mutates=False
        )

    line = aggregate("Line").model_copy(update={"operations": (closing("closeOrder"),)})
    order_line = aggregate("OrderLine").model_copy(update={"operations": (closing("close"),)})
    plan, _ = plan_context(
        context("Probing", line, order_line), EMPTY, NOWHERE, ContextFacts(schema_name="probing"), History()
    )
    problems = service_problems(hosting(plan), sample_facts("loom"), {"Probing": NOWHERE})
    assert [problem.text() for problem in problems] == [
        "`closeOrderLine` would stand for both the operation `Probing.Line.closeOrder` "
        "and the operation `Probing.OrderLine.close`"
    ]


def test_each_use_of_what_a_backend_lacks_is_told() -> None:
    facts = sample_facts("quill").model_copy(update={"supports": frozenset({Feature.STATE_AGGREGATES})})
    problems = service_problems(sample_service("quill"), facts, {"SeedVault": NOWHERE})
    assert [problem.text() for problem in problems].count("quill does not support repository finds yet") == 4
    assert service_problems(sample_service("quill"), sample_facts("quill"), {"SeedVault": NOWHERE}) == ()


def resource(
    context_name: str,
    *,
    schema_name: str = "",
    table_prefix: str = "",
    indexes: tuple[tuple[str, tuple[str, ...]], ...] = (),
    isolation: Isolation | None = None,
) -> Resource:
    return Resource(
        name="state",
        context=context_name,
        kind="state",
        storage="db",
        schema_name=schema_name,
        table_prefix=table_prefix,
        indexes=indexes,
        isolation=isolation,
    )


def test_facts_of_a_context_ignore_other_contexts() -> None:
    system = System(
        name="Probing",
        subdomains=(Subdomain(name="Core", contexts=("HTTPProbing",)), Subdomain(name="Rest", contexts=("Archive",))),
        contexts=("HTTPProbing", "Archive"),
        storages=(),
        resources=(
            resource("HTTPProbing", indexes=(("HTTPProbe", ("from",)),)),
            resource("Archive", schema_name="attic", table_prefix="old_", isolation=Isolation.REPEATABLE_READ),
        ),
        apis=(Api(name="CoreApi", subdomain="Core", resource_style=True),),
        deployables=(),
        scenarios=(),
    )
    assert context_facts(system, "HTTPProbing") == ContextFacts(
        schema_name="http_probing", indexes=(("HTTPProbe", ("from",)),), resource_style=True
    )
    assert context_facts(system, "Archive") == ContextFacts(
        schema_name="attic", table_prefix="old_", isolation="REPEATABLE READ"
    )


@pytest.mark.parametrize("many", [True, False])
def test_a_part_may_be_given_in_a_request(many: bool) -> None:
    days = Containment(name="dayCounts", part="DayCount", many=many, optional=False)
    model = context("Probing", aggregate("HTTPProbe", parts=(part("Trial", contains=(days,)), part("DayCount"))))
    plan, _ = plan_context(model, EMPTY, NOWHERE, ContextFacts(schema_name="probing"), History())
    (given,) = plan.aggregates[0].parts[0].inputs.inputs
    assert (given.name, given.required) == ("dayCounts", not many)


def test_planning_twice_gives_the_same_bytes() -> None:
    facts = ContextFacts(schema_name="seed_vault")
    again, _ = plan_context(seed_vault(), seed_vault_shared(), NOWHERE, facts, History())
    assert again.canonical() == sample_context().canonical()
