"""Routes, requests, answers and the documents that describe them."""

from __future__ import annotations

import json
from typing import Any

from openapi_spec_validator import validate

from loom.ir.places import Places
from loom.ir.types import Ref
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from loom.plan.http import MemberSource, RouteKind
from loom.plan.model import AggregatePlan, ContextPlan, SharedPlan
from loom.plan.service import plan_shared
from loom.plan.wire.json_text import Json, json_text
from loom.plan.wire.openapi import openapi
from loom.plan.wire.schemas import component_names
from loom.plan.wire.spec import context_wire
from tests.kit.sample import sample_context, sample_service, sample_system
from tests.kit.seed_vault import seed_vault, seed_vault_shared

NO_SHARED = SharedPlan(enums=(), value_objects=(), functions=())


def lot() -> AggregatePlan:
    return sample_context().aggregates[0]


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(sample_service("loom").openapi)
    return found


def statuses(path: str, method: str) -> list[str]:
    return list(document()["paths"][path][method]["responses"])


def test_literal_segments_come_before_ids() -> None:
    paths = [route.path for route in lot().routes if route.method == "GET"]
    assert paths == [
        "/api/seed_lots",
        "/api/seed_lots/by_tag",
        "/api/seed_lots/in_room",
        "/api/seed_lots/sealed",
        "/api/seed_lots/prepare",
        "/api/seed_lots/{id}",
        "/api/seed_lots/{id}/can_seal",
    ]


def test_operation_ids_keep_the_spelling_of_names() -> None:
    assert [route.operation_id for route in lot().routes] == [
        "createSeedLot",
        "allSeedLot",
        "byTagSeedLot",
        "inRoomSeedLot",
        "sealedSeedLot",
        "prepareSeedLot",
        "getSeedLotById",
        "can_sealSeedLot",
        "updateSeedLot",
        "sealSeedLot",
        "addTrialSeedLot",
        "dropTrialSeedLot",
        "destroySeedLot",
    ]


def test_resource_style_puts_operations_in_the_plural() -> None:
    facts = ContextFacts(schema_name="seed_vault", resource_style=True)
    plan, _ = plan_context(seed_vault(), seed_vault_shared(), Places(entries=()), facts, History())
    posted = [route.path for route in plan.aggregates[0].routes if route.kind is RouteKind.OPERATION]
    assert posted == [
        "/api/seed_lots/{id}/update",
        "/api/seed_lots/{id}/seals",
        "/api/seed_lots/{id}/add_trials",
        "/api/seed_lots/{id}/drop_trials",
    ]


def test_a_create_asks_for_what_a_client_may_write() -> None:
    (route,) = [route for route in lot().routes if route.kind is RouteKind.CREATE]
    assert route.request is not None
    required = {item.name: item.required for item in route.request.inputs}
    assert "state" not in required and "auditNote" not in required
    assert {name for name, must in required.items() if must} == {
        "RFIDTag", "class", "seedCount", "moisture", "spot", "readings", "labels", "donors",
    }  # fmt: skip


def test_a_bool_is_false_on_create_only() -> None:
    inputs = {route.kind: {item.name: item for item in route.request.inputs} for route in lot().routes if route.request}
    assert not inputs[RouteKind.CREATE]["isOrganic"].required
    (update,) = [route for route in lot().routes if route.member == "update"]
    assert update.request is not None
    assert {item.name for item in update.request.inputs if item.required} >= {"isOrganic", "order", "from"}


def test_a_check_follows_the_parameter_that_becomes_the_field() -> None:
    (route,) = [route for route in lot().routes if route.kind is RouteKind.CREATE]
    assert route.request is not None
    tag = next(item for item in route.request.inputs if item.name == "RFIDTag")
    assert [check.message for check in tag.checks] == ["a tag has at least 4 characters"]
    assert tag.checks[0].code.startswith("msg.")


def test_an_answer_hides_what_is_internal_or_secret() -> None:
    names = [member.wire for member in lot().members]
    assert names[0] == "id"
    assert names[-4:] == ["version", "trials", "seedsTried", "display"]
    assert not {"lockCode", "auditNote"} & set(names)
    assert [member.source for member in lot().members][-3:] == [
        MemberSource.CONTAINMENT,
        MemberSource.DERIVED,
        MemberSource.DERIVED,
    ]


def test_sorting_is_by_visible_scalars() -> None:
    sorts = dict(lot().sorts)
    assert list(sorts)[:3] == ["id", "RFIDTag", "order"]
    assert not {"metadata", "labels", "lockCode", "mainDonor", "spot_room"} & set(sorts)


def test_prepare_knows_what_only_the_server_does() -> None:
    (route,) = [route for route in lot().routes if route.kind is RouteKind.PREPARE]
    assert [item.name for item in route.prefill] == ["from"]


def test_an_answer_about_one_aggregate_tells_its_version() -> None:
    told = {route.operation_id for route in lot().routes if route.is_versioned}
    assert told >= {"createSeedLot", "getSeedLotById", "byTagSeedLot", "updateSeedLot"}
    assert told.isdisjoint({"allSeedLot", "destroySeedLot", "prepareSeedLot"})
    answers = [
        (operation["operationId"], answer)
        for path in document()["paths"].values()
        for operation in path.values()
        if "SeedLot" in operation["operationId"]
        for status, answer in operation["responses"].items()
        if status < "300"
    ]
    assert {name for name, answer in answers if "ETag" in answer.get("headers", {})} == told


def test_the_document_is_valid_openapi() -> None:
    validate(document())


def test_documented_answers_follow_the_ladder() -> None:
    assert statuses("/api/seed_lots", "post") == ["201", "400", "409", "413", "415", "422"]
    assert statuses("/api/seed_lots", "get") == ["200", "422"]
    assert statuses("/api/seed_lots/by_tag", "get") == ["200", "404", "422"]
    assert statuses("/api/seed_lots/prepare", "get") == ["200"]
    assert statuses("/api/seed_lots/{id}/seal", "post") == ["204", "400", "403", "404", "409", "413", "415", "422"]
    assert statuses("/api/seed_lots/{id}/add_trial", "post") == ["200", "400", "404", "409", "413", "415", "422"]
    assert statuses("/api/seed_lots/{id}", "delete") == ["204", "404", "409", "422"]


def test_a_workflow_answers_what_its_steps_can() -> None:
    body = ["400", "413", "415", "422"]
    assert statuses("/api/workflows/receive_seed_lot", "post") == ["200", *sorted([*body, "404", "409"])]
    assert statuses("/api/workflows/seal_room", "post") == ["204", *sorted([*body, "403", "409"])]


def test_a_request_and_an_answer_have_schemas_of_their_own() -> None:
    schemas = document()["components"]["schemas"]
    assert schemas["StorageSpotInput"]["required"] == ["room"]
    assert schemas["StorageSpot"]["required"] == ["room", "shelf", "order", "roomLabel"]
    assert schemas["GerminationTrial"]["required"] == ["id", "seedsSown", "class", "medium", "dayCounts", "isLarge"]


def test_checks_become_keywords() -> None:
    schema = document()["paths"]["/api/seed_lots"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert schema["properties"]["RFIDTag"]["minLength"] == 4
    page, size, *_ = document()["paths"]["/api/seed_lots"]["get"]["parameters"]
    assert (page["schema"]["minimum"], page["schema"]["maximum"]) == (1, 1_000_000)
    assert (size["schema"]["minimum"], size["schema"]["maximum"], size["schema"]["default"]) == (1, 500, 20)


def test_names_of_two_contexts_are_qualified() -> None:
    first = sample_context()
    second = renamed(first, "ArchiveVault")
    names = component_names(NO_SHARED, [first, second]).components
    assert names["value", "SeedVault", "StorageSpot"] == "SeedVault.StorageSpot"
    assert names["value", "ArchiveVault", "StorageSpot", "Input"] == "ArchiveVault.StorageSpotInput"
    assert len(set(names.values())) == len(names)


def renamed(context: ContextPlan, name: str) -> ContextPlan:
    values = tuple(
        item.model_copy(update={"ref": Ref(context=name, name=item.ref.name)}) for item in context.value_objects
    )
    emptied: dict[str, object] = {"enums": (), "aggregates": (), "workflows": ()}
    return context.model_copy(update=emptied | {"name": name, "value_objects": values})


def test_a_declaration_may_be_called_like_the_problem() -> None:
    spot = sample_context().value_objects[0]
    inside = spot.model_copy(update={"ref": Ref(context="Faults", name="Problem")})
    at_root = spot.model_copy(update={"ref": Ref(context="", name="Problem")})
    context = renamed(sample_context(), "Faults").model_copy(update={"value_objects": (inside,)})
    shared = NO_SHARED.model_copy(update={"value_objects": (at_root,)})
    schemas = json.loads(openapi("Faulty", shared, (context,)))["components"]["schemas"]
    assert sorted(schemas) == ["Faults.Problem", "Faults.ProblemInput", "Problem", "Problem-root", "Problem-rootInput"]


def test_the_wire_spec_joins_contexts() -> None:
    plan = sample_context()
    wire = context_wire(plan, plan_shared(seed_vault_shared(), set(plan.shared)))
    system = sample_system([wire, wire.model_copy(update={"context": "AnotherVault"})])
    spec = json.loads(system.wire_spec)
    assert list(spec["contexts"]) == ["AnotherVault", "SeedVault"]
    assert spec["contexts"]["SeedVault"]["routes"]["createSeedLot"]["path"] == "/api/seed_lots"
    assert list(spec["contexts"]["SeedVault"]["events"]) == ["SeedVault.LotSealed", "SeedVault.LotReceived"]
    assert list(json.loads(system.messages).values()) == ["a tag has at least 4 characters"]


def test_an_empty_system_has_documents_too() -> None:
    system = sample_system([])
    assert json.loads(system.wire_spec) == {"system": "GeneBank", "contexts": {}}
    assert json.loads(system.messages) == {}


def test_what_fits_on_a_line_stays_on_one() -> None:
    assert json_text({"class": ["a", None, True, 1]}) == '{"class": ["a", null, true, 1]}'
    long: Json = {"order": ["x" * 60, "y" * 60]}
    assert json_text(long).splitlines()[:2] == ["{", '  "order": [']
    assert json.loads(json_text(long)) == long
