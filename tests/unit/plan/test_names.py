"""Names that the database and clients see."""

from __future__ import annotations

from loom.plan import names

LONG = "measurementOfTheAverageGerminationRateInTheNorthernGreenhouseWing"


def test_acronyms_are_words() -> None:
    assert names.root_table("", "HTTPProbe") == "http_probes"
    assert names.workflow_operation("HTTPProbe", "") == "httpProbeWorkflow"
    assert names.workflow_operation("scanHTTP", "again") == "againScanHTTPWorkflow"
    assert names.column(("RFIDTag", "class")) == "rfid_tag_class"


def test_paths_are_plural_nouns() -> None:
    paths = [names.aggregate_path(name) for name in ("SeedBox", "Entry", "Day", "OrderLine")]
    assert paths == ["/api/seed_boxes", "/api/entries", "/api/days", "/api/order_lines"]


def test_a_short_name_is_kept() -> None:
    assert names.unique_index("orders", ("group", "from")) == "orders_group_from_uq"


def test_a_long_name_is_cut_to_what_postgresql_keeps() -> None:
    name = names.index(LONG, ("from",))
    assert len(name) <= names.LONGEST
    assert name.startswith("measurementOfThe")
    assert name.endswith("_idx")


def test_long_names_that_begin_alike_stay_apart() -> None:
    first, second = names.column((LONG + "First",)), names.column((LONG + "Second",))
    assert first != second
    assert len(first) == len(second) == names.LONGEST


def test_a_prefix_stands_before_tables_of_parts_too() -> None:
    assert names.child_table("vault_", "SeedLot", ("trials", "dayCounts")) == "vault_seed_lot_trials_day_counts"


def test_a_message_code_is_empty_without_a_message() -> None:
    assert names.message_code("") == ""
    assert names.message_code("too short") != names.message_code("too long")
