"""Every construct of the language that Loom does not compile yet is named, each use once, and nothing else is said.

A row puts one construct where it may stand in a model that is sound without it.
"""

from __future__ import annotations

import re

import pytest

from loom.lower.problems.names import UnsupportedFeature
from loom.parse import parse
from tests.kit.lowering import lower_files

MODEL = """
enum GridRole { Pilot, Lead }
<TOP>
payload RootNote { text: string }
system Mission {
  storage mainStore { type: postgres <STORAGE> }
  resource fieldState { for: DeepField, kind: state, use: mainStore <RESOURCE> }
  api FieldApi <API_HEAD> from Surface { <API> }
  deployable fieldService {
    platform: python <PLATFORM>
    contexts: [DeepField], dataSources: [fieldState], serves: FieldApi, port: 8100 <DEPLOYABLE>
  }
  test e2e "a rover drives" against fieldService <E2E_HEAD> { let made = api.roverUnits.create({ order: 1 }) <E2E> }
  <SYSTEM>
}
subdomain Surface {
  <SUBDOMAIN>
  context DeepField <CONTEXT_HEAD> {
    enum RoverState { Parked, Driving }
    valueobject GridPlace { row: int  check: int <VALUE> }
    event RoverMoved { rover: RoverUnit id, order: int }
    error NotFound { order: int }
    criterion Big(than: int) of RoverUnit = order > than
    aggregate RoverCrew with crudish { callSign: string }
    aggregate RoverUnit <HEADER> with crudish <MACRO> {
      order: int <FIELD>
      state: RoverState managed = Parked
      seenAt: datetime?
      contains wheels: RoverWheel[]
      entity RoverWheel { size: int <PART> }
      <AGGREGATE>
      operation drive(to: int) <OPERATION> { order := to <BODY> }
      test "drives" <TEST_HEAD> { let one = RoverUnit.create({ order: 1 }) <TEST> }
    }
    repository RoverUnits for RoverUnit { find parked(): RoverUnit[] where state == Parked <FIND> <REPOSITORY> }
    workflow moveRover <WORKFLOW_HEAD> {
      create(rover: RoverUnit id, to: int) <ENTRY> { let found = RoverUnits.getById(rover)  found.drive(to) <STEPS> }
      <WORKFLOW>
    }
    <CONTEXT>
  }
}
"""

# Where, what, and the feature that is named.
ROWS = [
    # channels, timers, after commit
    ("CONTEXT", "channel RoverMoves { carries: RoverMoved, delivery: queue, retention: work, key: rover }", "channels"),
    ("STEPS", "afterCommit { let size = to + 1 }", "afterCommit"),
    ("STEPS", "enqueue workflow moveRover(rover, 3)", "enqueue"),
    # projections
    ("CONTEXT", "projection Moves keyed by rover { rover: RoverUnit id  total: int  on(e: RoverMoved) by e.rover "
                "{ total += 1 } }", "projection"),
    ("CONTEXT", "projection Parked(least: int) { order: int from RoverUnit as r where r.order > least "
                "select order = r.order }", "projection"),
    ("CONTEXT", "projection Totals { total: int from RoverUnit group by state select total = count() }", "projection"),
    # who may do what
    ("SYSTEM", "user { org: string, role: GridRole }", "user"),
    ("SUBDOMAIN", "permissions { drive implies park, park }", "permissions"),
    ("WORKFLOW_HEAD", "requires 1 < 2", "`requires` of a workflow"),
    # fields
    ("FIELD", "sensitive(pii, phi)", "sensitive"),
    ("FIELD", "provenanced", "provenanced"),
    ("VALUE", "sensitive(pii)", "sensitive"),
    ("PART", "sensitive(pii)", "sensitive"),
    ("CONTEXT", "event PhotosTaken { photos: File[] }", "File"),
    # aggregates
    ("HEADER", "shape: embedded", "shape: embedded"),
    ("HEADER", "shape: document", "shape: document"),
    ("HEADER", "audited", "audited"),
    ("CONTEXT", "abstract aggregate BaseUnit { order: int }  aggregate LaterUnit extends BaseUnit { end: int }",
     "in one table"),
    ("MACRO", ", softDeletable", "filters"),
    ("MACRO", ", softDeletable, softDelete", "filters"),
    ("CONTEXT_HEAD", "with softDeleteByDefault", "filters"),
    ("AGGREGATE", "filter order > 0", "filter"),
    ("AGGREGATE", "cycles: int = 0  stamp onUpdate { cycles := cycles + 1 }", "stamp"),
    ("AGGREGATE", "implements softDeletable", "filters"),
    ("CONTEXT", "filter version > 0", "filter"),
    ("CONTEXT", "implements softDeletable", "filters"),
    ("OPERATION", "audited", "audited"),
    ("AGGREGATE", "operation stop() audited { order := 0 }", "audited"),
    ("AGGREGATE", "operation stop() extern { precondition order > 0 }", "extern"),
    # reading
    ("CONTEXT", "retrieval Latest(n: int) of RoverUnit { where: order > n sort: [order desc] }",
     "retrieval"),
    ("CONTEXT", "retrieval Any of RoverUnit = order > 0", "retrieval"),
    ("REPOSITORY", "find one(order: int): RoverUnit or NotFound", "or"),
    ("REPOSITORY", "find other(order: int): RoverUnit option", "option"),
    ("REPOSITORY", "find more(order: int): RoverUnit envelope", "envelope"),
    ("STEPS", "let all = RoverUnits.run(retrieval { where: order > to }, page: { offset: 0, limit: 2 })", "retrievals"),
    ("STEPS", "let all = RoverUnits.all()", "all"),
    ("STEPS", "for one in RoverUnits.findAll(Big(3), page: { limit: 2 }) { one.drive(1) }", "criterion"),
    ("STEPS", "let some = RoverUnits.count()", "count"),
    # messages
    ("CONTEXT", "workflow tellRoot { create(n: RootNote) { let one = RoverCrew.create(callSign: n.text) } }",
     "records at the root"),
    ("CONTEXT", "payload RoverRow { rover: RoverUnit id or string }", "or"),
    ("CONTEXT", "response RoverRows { rovers: RoverCrew id paged }", "paged"),
    ("CONTEXT", "response RoverRows { rover: RoverCrew id option }", "option"),
    ("AGGREGATE", "operation weigh(): RoverUnit id or string { return \"none\" }", "or"),
    ("CONTEXT", "commandHandler Recall(rover: RoverUnit id) { let one = RoverUnits.getById(rover)  one.drive(1) }",
     "handlers"),
    ("CONTEXT", "queryHandler Ask(order: int): int { return order }", "handlers"),
    ("CONTEXT", "extern commandHandler Recall(rover: RoverUnit id);", "handlers"),
    ("CONTEXT", "extern queryHandler Ask(rover: RoverUnit id): int;", "handlers"),
    ("CONTEXT", "domainService Planner { operation plan(order: int): int { return order } test \"plans\" { } }",
     "domain service"),
    # workflows
    ("WORKFLOW", "total: int", "state"),
    ("ENTRY", "by rover", "by"),
    # statements and expressions
    ("BODY", "let double = wheels.map(w => { let size = w.size return size })", "lambda"),
    # data, tests, traces
    ("CONTEXT", "seed { RoverUnit { order: 1 } }", "seed"),
    ("CONTEXT", "seed demo raw { }", "seed"),
    ("TOP", 'migration "rename" { RoverUnit.size -> order, RoverUnit.order = 1, Old -> RoverUnit, sql "select 1" }',
     "migration"),
    ("CONTEXT", 'test "together" for DeepField { let all = RoverUnits.parked() }', "tests of a context"),
    # deployment
    ("SYSTEM", 'storage otherStore { type: s3, config: { bucket: "x" } }', "s3"),
    ("STORAGE", ", instance: shared", "instance"),
    ("STORAGE", ', connection: env("DEEP_FIELD_URL")', "`connection: env(…)`"),
    ("STORAGE", ", connection: service(otherStore)", "`connection: service(…)`"),
    ("STORAGE", ", connection: secret(db)", "`connection: secret(…)`"),
    ("STORAGE", ', connection: literal("postgresql://db/loom")', "`connection: literal(…)`"),
    *[
        ("SYSTEM", f"storage otherStore {{ type: {kind} }}", kind)
        for kind in (
            "mysql", "sqlite", "inMemory", "redis", "elastic", "meilisearch", "kafka", "clickhouse", "bigquery",
            "localDisk", "rabbitmq", "nats", "restApi", "smtp", "ses", "sendgrid",
        )
    ],
    *[
        ("SYSTEM", f"resource other {{ for: DeepField, kind: {kind}, use: mainStore }}", kind)
        for kind in ("eventLog", "snapshot", "cache", "replica")
    ],
    ("RESOURCE", ", shape: document", "shape"),
    ("PLATFORM", "{ persistence: mapped }", "mapped"),
    ("PLATFORM", "{ directoryLayout: byFeature }", "byFeature"),
    ("SYSTEM", 'deployable pinned { platform: "node@v4", contexts: [DeepField], dataSources: [fieldState] }', "pinned"),
]  # fmt: skip


def told(model: str) -> list[str]:
    parsed = parse("model.ddd", model.encode())
    assert [problem.text() for problem in parsed.diagnostics] == []
    lowered = lower_files({"model.ddd": parsed.ast})
    found = [*lowered.diagnostics(), *lowered.unplanned(), *lowered.validated()]
    return [item.feature if isinstance(item, UnsupportedFeature) else item.text() for item in found]


def without_places(model: str) -> str:
    return re.sub("<[A-Z0-9_]+>", "", model)


def model_with(place: str, text: str) -> str:
    return without_places(MODEL.replace(f"<{place}>", text))


def test_the_model_is_sound_without_them() -> None:
    assert told(without_places(MODEL)) == []


def test_what_can_be_used_in_place_of_a_storage_is_named() -> None:
    model = model_with("SYSTEM", "storage otherStore { type: mysql }")
    lowered = lower_files({"model.ddd": parse("model.ddd", model.encode()).ast})
    helps = [item.help_text() for item in [*lowered.diagnostics(), *lowered.validated()]]
    assert helps == ["use `postgres` in its place: this version cannot compile it"]


@pytest.mark.parametrize("connection", ['env("DATABASE_URL")', "service(db)"])
def test_a_connection_that_services_have_anyway_may_be_said(connection: str) -> None:
    assert told(model_with("STORAGE", f", connection: {connection}")) == []
    elsewhere = model_with(
        "SYSTEM", f'storage files {{ type: s3, connection: {connection}, config: {{ bucket: "x" }} }}'
    )
    assert any("connection" in feature for feature in told(elsewhere))


def test_another_connection_is_told_the_one_that_there_is() -> None:
    model = model_with("STORAGE", ", connection: secret(vault)")
    (problem,) = lower_files({"model.ddd": parse("model.ddd", model.encode()).ast}).diagnostics()
    assert problem.help_text() == ('use `connection: env("DATABASE_URL")` in its place: this version cannot compile it')


def test_a_level_of_isolation_is_that_of_a_state_resource() -> None:
    other = "resource other { for: DeepField, kind: eventLog, use: mainStore, isolationLevel: serializable }"
    assert any("isolationLevel" in feature for feature in told(model_with("SYSTEM", other)))
    assert told(model_with("RESOURCE", ", isolationLevel: serializable")) == []


@pytest.mark.parametrize(("place", "text", "feature"), ROWS, ids=[f"{place}: {text}"[:60] for place, text, _ in ROWS])
def test_one_use_is_named_once(place: str, text: str, feature: str) -> None:
    assert f"<{place}>" in MODEL
    found = told(model_with(place, text))
    assert len(found) == 1 and feature in found[0], found


# The same, where callers are known.
OF_CALLERS = [
    ("SYSTEM", 'auth { oidc { issuer: env("ISSUER"), clientId: "x", scopes: ["openid"] } sessions: jwt }', "`auth`"),
    ("OPERATION", "requires currentUser.isLead", "`currentUser`"),
    ("OPERATION", "requires currentUser.permissions.contains(permissions.park)", "`currentUser`"),
    ("BODY", "requires currentUser.isLead", "`currentUser`"),
    ("FIND", "requires currentUser.isLead", "`currentUser`"),
    ("ENTRY", "requires currentUser.isLead", "`currentUser`"),
    ("AGGREGATE", "createdFor: string = currentUser.org", "`currentUser`"),
    ("FIELD", "mask unless currentUser.isLead", "`mask unless`"),
    ("CONTEXT", "policy { deny write on RoverUnit deny on RoverCrew }", "policies over rows"),
    ("MACRO", ", auditable", "stamps that read `currentUser`"),
    ("CONTEXT_HEAD", "with auditable", "stamps that read `currentUser`"),
    ("AGGREGATE", "implements auditable", "stamps that read `currentUser`"),
    ("CONTEXT", "implements auditable", "stamps that read `currentUser`"),
]
CALLERS = "user { org: string, isLead: bool, permissions: string[] } "


@pytest.mark.parametrize(("place", "text", "feature"), OF_CALLERS, ids=[text[:60] for _, text, _ in OF_CALLERS])
def test_one_use_of_callers_is_named_once(place: str, text: str, feature: str) -> None:
    model = MODEL.replace(f"<{place}>", f"{text} <{place}>").replace("<SYSTEM>", CALLERS)
    model = model.replace("<DEPLOYABLE>", ", auth: required")
    found = told(without_places(model.replace("<SUBDOMAIN>", "permissions { drive implies park, park }")))
    assert sorted(set(found)) == sorted([feature, "`user`", "`permissions`", "`auth: required`"])


@pytest.mark.parametrize(
    ("kind", "storage"), [("objectStore", "localDisk"), ("queue", "rabbitmq"), ("mailer", "smtp"), ("api", "restApi")]
)
def test_a_resource_and_its_storage_are_two_features(kind: str, storage: str) -> None:
    resource = f"storage other {{ type: {storage} }} resource more {{ for: DeepField, kind: {kind}, use: other }}"
    assert told(model_with("SYSTEM", resource)) == [f"storage type `{storage}`", f"resource kind `{kind}`"]


def test_nothing_is_said_of_tests_that_use_what_is_not_understood() -> None:
    rows = "projection RoverMoves keyed by rover { rover: RoverUnit id  on(e: RoverMoved) { } }"
    model = MODEL.replace("<CONTEXT>", rows)
    model = model.replace("<MACRO>", ", softDeletable, softDelete")
    model = model.replace("<E2E>", "let rows = api.roverMoves.list()  api.roverUnits.softDelete(made, { })")
    assert told(without_places(model)) == ["filters", "projections that fold events"]
