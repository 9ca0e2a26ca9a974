"""Pending migrations, and what they would lose; the SQL runs on a real server over stored rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from loom.base import Diagnostic
from loom.ir.places import Places
from loom.ir.program import Aggregate, Containment, Enum, Property, Shared, ValueObject
from loom.ir.types import BOOL, INT, LONG, STRING, EnumType, IdType, Ref, Type, ValueObjectType
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts
from loom.plan.history import History, RecordedMigration, table_shapes
from loom.plan.model import ContextPlan
from loom.plan.storage import StoredGroup
from tests.kit.build import (
    EMPTY,
    aggregate,
    array,
    construct,
    context,
    enum_value,
    integer,
    null,
    optional,
    part,
    text,
    value_object,
)
from tests.kit.postgres import Cluster, cluster

NAME = "TideLogging"
GAUGE = IdType(aggregate=Ref(context=NAME, name="TideGauge"))
SPAN = ValueObjectType(ref=Ref(context=NAME, name="DepthSpan"))
OBJECTS = (value_object("DepthSpan", Property(name="from", type=INT), Property(name="end", type=optional(INT))),)


def plan(
    *aggregates: Aggregate,
    shared: Shared = EMPTY,
    history: History | None = None,
    allow: bool = False,
    objects: tuple[ValueObject, ...] = OBJECTS,
) -> tuple[ContextPlan, tuple[Diagnostic, ...]]:
    return plan_context(
        context(NAME, *aggregates, objects=objects),
        shared,
        Places(entries=()),
        ContextFacts(schema_name="tide_logging"),
        history or History(),
        allow_destructive=allow,
    )


def recorded(*aggregates: Aggregate, shared: Shared = EMPTY, objects: tuple[ValueObject, ...] = OBJECTS) -> History:
    """The history after the tables of `aggregates` were recorded."""
    before, _ = plan(*aggregates, shared=shared, objects=objects)
    (first,) = before.migrations
    file = RecordedMigration(version=first.version, name="initial", sql=first.sql)
    return History(migrations=(file,), tables=table_shapes(before))


def gauge(*properties: Property) -> Aggregate:
    return aggregate("TideGauge", *properties)


def texts(problems: tuple[Diagnostic, ...]) -> list[str]:
    return [f"{problem.code}: {problem.text()}" for problem in problems]


def field(name: str, kind: Type = INT) -> Property:
    return Property(name=name, type=kind)


@dataclass(frozen=True)
class Database:
    server: Cluster

    def apply(self, sql: str) -> None:
        self.server.run(f"BEGIN;\n{sql}\nCOMMIT;")


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster() as running:
        yield running


@pytest.fixture
def database(server: Cluster) -> Iterator[Database]:
    server.run('DROP SCHEMA IF EXISTS "tide_logging" CASCADE')
    yield Database(server)


def test_the_first_file_is_the_initial_one() -> None:
    found, problems = plan(gauge(field("order")))
    assert problems == ()
    assert [(item.version, item.name, item.pending) for item in found.migrations] == [
        ("20260101000000", "initial", True)
    ]


def test_a_context_without_state_has_no_migration() -> None:
    found, problems = plan()
    assert (found.migrations, problems) == ((), ())


def test_nothing_is_pending_when_nothing_changed() -> None:
    found, _ = plan(gauge(field("order")), history=recorded(gauge(field("order"))))
    assert [item.pending for item in found.migrations] == [False]


def test_the_order_of_fields_means_nothing_to_the_database() -> None:
    first, second = field("order"), field("group")
    found, problems = plan(gauge(second, first), history=recorded(gauge(first, second)))
    assert ([item.pending for item in found.migrations], problems) == ([False], ())


def test_versions_go_on_from_the_last_recorded_one() -> None:
    found, _ = plan(gauge(field("order"), field("from", optional(INT))), history=recorded(gauge(field("order"))))
    assert [(item.version, item.name, item.pending) for item in found.migrations] == [
        ("20260101000000", "initial", False),
        ("20260101000001", "pending", True),
    ]


def test_stored_rows_get_literal_defaults(database: Database) -> None:
    history = recorded(gauge(field("order")))
    database.apply(history.migrations[0].sql)
    database.apply("""INSERT INTO "tide_logging"."tide_gauges" ("id", "order") VALUES (gen_random_uuid(), 7);""")
    more = (
        field("isOpen", BOOL),
        Property(name="class", type=STRING, default=text("it's new")),
        Property(name="labels", type=array(STRING)),
        Property(name="depth", type=SPAN, default=construct(SPAN, **{"from": integer(3)}, end=null(optional(INT)))),
    )
    found, problems = plan(gauge(Property(name="order", type=LONG), *more), history=history)
    assert problems == ()
    database.apply(found.migrations[-1].sql)
    columns = '"order", "is_open", "class", "labels", "depth_from", "depth_end"'
    row = database.server.run(f"SELECT {columns} FROM tide_logging.tide_gauges")
    assert row == "7|f|it's new|{}|3|"


def test_listed_values_that_are_stored_get_the_default_of_a_new_member(database: Database) -> None:
    spans = field("spans", array(SPAN))
    history = recorded(gauge(spans))
    database.apply(history.migrations[0].sql)
    database.apply("""
        INSERT INTO "tide_logging"."tide_gauges" ("id") VALUES ('0198c0de-0000-7000-8000-000000000000');
        INSERT INTO "tide_logging"."tide_gauge_spans" VALUES ('0198c0de-0000-7000-8000-000000000000', 0, 7);""")
    members = (*OBJECTS[0].properties, Property(name="HTTPOrder", type=INT, default=integer(4)))
    found, problems = plan(gauge(spans), objects=(value_object("DepthSpan", *members),), history=history)
    assert problems == ()
    database.apply(found.migrations[-1].sql)
    assert database.server.run('SELECT "from", "http_order" FROM tide_logging.tide_gauge_spans') == "7|4"


def spans(*members: Property) -> tuple[ValueObject, ...]:
    return (value_object("DepthSpan", *members),)


def with_two_gauges(database: Database, history: History, columns: str, values: str) -> None:
    """One gauge with a depth, one without."""
    database.apply(history.migrations[0].sql)
    database.apply(f"""
        INSERT INTO "tide_logging"."tide_gauges" ("id", {columns}) VALUES (gen_random_uuid(), {values});
        INSERT INTO "tide_logging"."tide_gauges" ("id") VALUES (gen_random_uuid());""")


def test_a_member_that_a_stored_optional_value_needs_is_filled_where_one_is_stored(database: Database) -> None:
    depth = gauge(field("depth", optional(SPAN)))
    history = recorded(depth)
    with_two_gauges(database, history, '"depth_from"', "7")
    new = Property(name="HTTPOrder", type=INT, default=integer(4))
    found, problems = plan(depth, objects=spans(new, *OBJECTS[0].properties), history=history)
    assert problems == ()
    (stored,) = found.aggregates[0].tables.members
    assert isinstance(stored, StoredGroup)
    assert stored.witness == "depth_http_order"
    database.apply(found.migrations[-1].sql)
    rows = 'SELECT "depth_http_order", "depth_from" FROM tide_logging.tide_gauges ORDER BY 1'
    assert database.server.run(rows) == "4|7\n|"


def test_a_value_of_which_all_may_be_absent_stays_stored(database: Database) -> None:
    depth = gauge(field("depth", optional(SPAN)))
    history = recorded(depth)
    with_two_gauges(database, history, '"depth_from"', "7")
    found, problems = plan(depth, objects=spans(field("from", optional(INT))), history=history, allow=True)
    assert problems == ()
    database.apply(found.migrations[-1].sql)
    rows = 'SELECT "depth_present", "depth_from" FROM tide_logging.tide_gauges ORDER BY 1'
    assert database.server.run(rows) == "t|7\n|"


def test_what_is_always_there_stays_when_it_may_be_absent(database: Database) -> None:
    sparse = spans(field("from", optional(INT)))
    history = recorded(gauge(field("depth", SPAN)), objects=sparse)
    with_two_gauges(database, history, '"depth_from"', "7")
    found, problems = plan(gauge(field("depth", optional(SPAN))), objects=sparse, history=history)
    assert problems == ()
    database.apply(found.migrations[-1].sql)
    rows = 'SELECT "depth_present", "depth_from" FROM tide_logging.tide_gauges ORDER BY 2'
    assert database.server.run(rows) == "t|7\nt|"


def test_a_member_that_stored_values_may_lack_is_needed_only_with_a_default() -> None:
    depth = gauge(field("depth", optional(SPAN)))
    strict = spans(field("from"), field("end"))
    _, problems = plan(depth, objects=strict, history=recorded(depth))
    told = (
        "loom.migration-backfill-needed: stored rows have no value for `tide_gauges.depth_end`, which is required now"
    )
    assert texts(problems) == [told]
    relaxed, problems = plan(depth, history=recorded(depth, objects=strict))
    assert problems == ()
    assert relaxed.migrations[-1].pending, "else nobody would know that rows without one were stored"
    new, problems = plan(gauge(field("depth", optional(SPAN))), objects=strict, history=recorded(gauge()))
    assert (problems, new.migrations[-1].pending) == ((), True)


def test_rows_with_another_key_are_other_rows(database: Database) -> None:
    values, ids = gauge(field("class", array(SPAN))), gauge(field("class", array(GAUGE)))
    history = recorded(values)
    database.apply(history.migrations[0].sql)
    _, lost = plan(ids, history=history)
    assert texts(lost) == [
        "loom.migration-destructive: "
        "the pending migration of TideLogging drops table `tide_gauge_class` with all its rows"
    ]
    found, problems = plan(ids, history=history, allow=True)
    assert problems == ()
    database.apply(found.migrations[-1].sql)
    database.apply("""
        INSERT INTO "tide_logging"."tide_gauges" ("id") VALUES ('0198c0de-0000-7000-8000-000000000000');
        INSERT INTO "tide_logging"."tide_gauge_class" SELECT "id", "id" FROM "tide_logging"."tide_gauges";""")
    with pytest.raises(AssertionError, match="duplicate key"):
        database.apply("INSERT INTO tide_logging.tide_gauge_class SELECT id, id FROM tide_logging.tide_gauges;")


def test_what_is_required_now_takes_its_default_for_empty_rows(database: Database) -> None:
    history = recorded(gauge(field("order", optional(INT))))
    database.apply(history.migrations[0].sql)
    database.apply("""INSERT INTO "tide_logging"."tide_gauges" ("id") VALUES (gen_random_uuid());""")
    found, problems = plan(gauge(Property(name="order", type=INT, default=integer(5))), history=history)
    assert problems == ()
    database.apply(found.migrations[-1].sql)
    assert database.server.run("SELECT * FROM tide_logging.tide_gauges").endswith("|5|1")


def test_tables_in_a_cycle_are_made_and_dropped(database: Database) -> None:
    other = IdType(aggregate=Ref(context=NAME, name="GaugeGroup"))
    cyclic = (gauge(field("group", optional(other))), aggregate("GaugeGroup", field("order", optional(GAUGE))))
    history = recorded(*cyclic)
    database.apply(history.migrations[0].sql)
    found, problems = plan(history=history, allow=True)
    assert problems == ()
    database.apply(found.migrations[-1].sql)
    assert database.server.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'tide_logging'") == "0"


def test_tables_are_altered_where_rows_that_refer_were_just_written(database: Database) -> None:
    linked = aggregate("TideTable", field("from", optional(GAUGE)))
    history = recorded(gauge(), linked)
    more, _ = plan(gauge(), aggregate("TideTable", *linked.properties, field("order", optional(INT))), history=history)
    rows = """
        INSERT INTO "tide_logging"."tide_gauges" ("id") VALUES ('0198c0de-0000-7000-8000-000000000000');
        INSERT INTO "tide_logging"."tide_tables" ("id", "from")
        VALUES (gen_random_uuid(), '0198c0de-0000-7000-8000-000000000000');"""
    initial, added = (item.sql for item in more.migrations)
    database.apply(f"{initial}\nSET CONSTRAINTS ALL DEFERRED;{rows}\n{added}")


def test_a_reference_is_added_and_removed(database: Database) -> None:
    plain = (gauge(), aggregate("TideTable", field("order")))
    linked = (gauge(), aggregate("TideTable", field("order"), field("from", optional(GAUGE))))
    history = recorded(*plain)
    database.apply(history.migrations[0].sql)
    added, _ = plan(*linked, history=history)
    database.apply(added.migrations[-1].sql)
    removed, problems = plan(*plain, history=recorded(*linked), allow=True)
    assert problems == ()
    database.apply(removed.migrations[-1].sql)


def test_a_dropped_table_is_a_loss() -> None:
    _, problems = plan(history=recorded(gauge(field("order"))))
    assert texts(problems) == [
        "loom.migration-destructive: the pending migration of TideLogging drops table `tide_gauges` with all its rows"
    ]


def test_a_dropped_column_is_a_loss() -> None:
    _, problems = plan(gauge(), history=recorded(gauge(field("order"))))
    assert texts(problems) == [
        "loom.migration-destructive: the pending migration of TideLogging drops column `tide_gauges.order`"
    ]


def test_a_narrower_type_is_a_loss_and_a_wider_one_is_not() -> None:
    _, narrower = plan(gauge(field("order", INT)), history=recorded(gauge(field("order", LONG))))
    _, wider = plan(gauge(field("order", LONG)), history=recorded(gauge(field("order", INT))))
    assert texts(narrower) == [
        "loom.migration-destructive: the pending migration of TideLogging "
        "changes `tide_gauges.order` to a type that may not hold its values"
    ]
    assert wider == ()


def with_states(*values: str) -> tuple[Aggregate, Shared]:
    state = EnumType(ref=Ref(context="", name="GaugeState"))
    properties = (Property(name="state", type=state, default=enum_value(state, values[0])),)
    every = Property(name="states", type=array(state))
    return gauge(*properties, every), Shared(
        enums=(Enum(name="GaugeState", values=values),), value_objects=(), functions=()
    )


def test_the_values_of_an_enum_grow_and_do_not_shrink_silently(database: Database) -> None:
    few, many = with_states("Open", "None"), with_states("Open", "None", "class")
    history = recorded(few[0], shared=few[1])
    database.apply(history.migrations[0].sql)
    grown, problems = plan(many[0], shared=many[1], history=history)
    assert problems == ()
    database.apply(grown.migrations[-1].sql)
    row = """(id, state, states) VALUES (gen_random_uuid(), 'class', '{class,Open}')"""
    database.apply(f"INSERT INTO tide_logging.tide_gauges {row};")
    _, lost = plan(few[0], shared=few[1], history=recorded(many[0], shared=many[1]))
    assert texts(lost) == [
        "loom.migration-destructive: the pending migration of TideLogging "
        f"forbids `tide_gauges.{column}=class`, which stored rows may have"
        for column in ("state", "states")
    ]
    with pytest.raises(AssertionError, match="tide_gauges_state_ck"):
        database.apply("UPDATE tide_logging.tide_gauges SET state = 'Shut';")


def test_a_column_for_a_column_of_its_type_may_be_a_rename() -> None:
    _, problems = plan(gauge(field("group", optional(STRING))), history=recorded(gauge(field("class", STRING))))
    assert texts(problems) == [
        "loom.migration-ambiguous-rename: `tide_gauges.class` became `tide_gauges.group`: "
        "whether its values move there is not known"
    ]


def test_a_required_field_without_a_default_needs_values() -> None:
    _, problems = plan(gauge(field("order"), field("from", LONG)), history=recorded(gauge(field("order"))))
    assert texts(problems) == [
        "loom.migration-backfill-needed: stored rows have no value for `tide_gauges.from`, which is required now"
    ]


def with_battery(*, many: bool = False, optional: bool = False) -> Aggregate:
    battery = Containment(name="mainBattery", part="BatteryPack", many=many, optional=optional)
    return aggregate("TideGauge", field("order"), parts=(part("BatteryPack"),), contains=(battery,))


NEEDED = "loom.migration-backfill-needed: stored rows have no value for `TideGauge.mainBattery`, which is required now"


def test_a_required_part_needs_rows() -> None:
    _, problems = plan(with_battery(), history=recorded(gauge(field("order"))))
    assert texts(problems) == [NEEDED]


def test_a_part_that_every_owner_has_is_needed_whatever_came_between() -> None:
    _, problems = plan(with_battery(), history=recorded(with_battery(optional=True)))
    assert texts(problems) == [NEEDED]
    relaxed, problems = plan(with_battery(optional=True), history=recorded(with_battery()))
    assert (problems, relaxed.migrations[-1].pending) == ((), True)


def test_one_part_where_there_were_many_is_a_loss() -> None:
    _, problems = plan(with_battery(optional=True), history=recorded(with_battery(many=True)))
    assert texts(problems) == [
        "loom.migration-destructive: the pending migration of TideLogging "
        "leaves one row of `tide_gauge_main_battery` for each owner, which may have more"
    ]
    grown, problems = plan(with_battery(many=True), history=recorded(with_battery()))
    assert (problems, grown.migrations[-1].pending) == ((), True)


def test_what_may_be_lost_goes_when_it_is_said_so() -> None:
    found, problems = plan(gauge(), history=recorded(gauge(field("order"))), allow=True)
    assert problems == ()
    assert 'DROP COLUMN "order"' in found.migrations[-1].sql


def test_two_declarations_in_one_table_are_a_clash() -> None:
    _, problems = plan(aggregate("HTTPProbe"), aggregate("HttpProbe"))
    assert texts(problems) == ["loom.duplicate-table: `HTTPProbe` and `HttpProbe` are both stored as `http_probes`"]


def test_two_fields_in_one_column_are_a_clash() -> None:
    _, problems = plan(gauge(field("orderId"), field("order_id")))
    assert texts(problems) == ["loom.duplicate-column: `orderId` and `order_id` are both stored in column `order_id`"]
