"""Aggregates as tables."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from loom.ir.program import Aggregate, Containment, Part, Property
from loom.ir.types import INT, JSON, STRING, IdType, Ref, ValueObjectType
from loom.plan.database.columns import TEXT, Declared, spread
from loom.plan.database.keys import Ground
from loom.plan.database.tables import entity_tables
from loom.plan.facts import ContextFacts
from loom.plan.storage import (
    EntityTables,
    OnDelete,
    StoredApart,
    StoredColumn,
    StoredGroup,
    StoredMember,
    TablePlan,
    all_tables,
)
from tests.kit.build import aggregate, array, optional, part, value_object

CONTEXT = "HerbariumKeeping"
SHEET = Ref(context=CONTEXT, name="PressedSheet")
SPOT = ValueObjectType(ref=Ref(context=CONTEXT, name="DrawerSpot"))
DRAWER = ValueObjectType(ref=Ref(context=CONTEXT, name="CabinetDrawer"))
NOTE = ValueObjectType(ref=Ref(context="", name="HTMLNote"))


DECLARED = Declared(
    {
        SPOT.ref: value_object(
            "DrawerSpot",
            Property(name="order", type=optional(INT)),
            Property(name="note", type=optional(NOTE)),
            Property(name="class", type=STRING),
        ),
        DRAWER.ref: value_object(
            "CabinetDrawer", Property(name="spot", type=SPOT), Property(name="label", type=STRING)
        ),
        NOTE.ref: value_object("HTMLNote", Property(name="end", type=optional(STRING))),
    },
    {},
)


def sheet(*properties: Property, parts: tuple[Part, ...] = (), contains: tuple[Containment, ...] = ()) -> Aggregate:
    return aggregate("PressedSheet", *properties, parts=parts, contains=contains)


def tables_of(root: Aggregate, facts: ContextFacts | None = None) -> EntityTables:
    return entity_tables(Ground(CONTEXT, facts or ContextFacts(schema_name="herbarium_keeping"), DECLARED, root))


def shape(table: TablePlan) -> dict[str, str]:
    return {column.name: column.sql_type + ("?" if column.nullable else "") for column in table.columns}


def groups(members: Iterable[StoredMember]) -> list[tuple[str, str, bool, tuple[str, ...]]]:
    """Value objects with what tells of them, outer ones first."""
    found = []
    for item in members:
        if isinstance(item, StoredGroup):
            found += [(item.name, item.witness, item.is_marked, item.needed), *groups(item.members)]
    return found


def test_an_optional_value_object_is_witnessed_by_a_required_member() -> None:
    fields = spread([Property(name="spot", type=optional(SPOT))], DECLARED)
    assert [(column.name, column.nullable) for column in fields.columns] == [
        ("spot_order", True),
        ("spot_note_present", True),
        ("spot_note_end", True),
        ("spot_class", True),
    ]
    assert groups(fields.members) == [
        ("spot", "spot_class", False, ("spot_class",)),
        ("note", "spot_note_present", True, ()),
    ]


def test_a_required_value_object_keeps_its_required_members_required() -> None:
    fields = spread([Property(name="spot", type=SPOT)], DECLARED)
    assert [column.name for column in fields.columns if not column.nullable] == ["spot_class"]
    assert groups(fields.members)[0] == ("spot", "", False, ("spot_class",))
    nested = spread([Property(name="drawer", type=optional(DRAWER))], DECLARED)
    assert groups(nested.members)[0] == ("drawer", "drawer_spot_class", False, ("drawer_spot_class", "drawer_label"))


def test_members_are_stored_as_declared_each_where_it_lies() -> None:
    days = Containment(name="trials", part="GrowthTrial", many=True, optional=False)
    fields = (
        Property(name="class", type=STRING),
        Property(name="notes", type=array(SPOT)),
        Property(name="HTTPSpot", type=optional(SPOT)),
        Property(name="labels", type=optional(array(STRING))),
    )
    found = tables_of(sheet(*fields, parts=(part("GrowthTrial"),), contains=(days,)))
    assert [(type(item), item.name) for item in found.members] == [
        (StoredColumn, "class"),
        (StoredApart, "notes"),
        (StoredGroup, "HTTPSpot"),
        (StoredColumn, "labels"),
    ]
    assert [item.type for item in found.members if isinstance(item, StoredColumn)] == [STRING, array(STRING)]


def test_a_path_leads_to_its_column_and_an_optional_value_to_what_tells_of_it() -> None:
    found = tables_of(sheet(Property(name="HTTPSpot", type=optional(SPOT)), Property(name="notes", type=array(SPOT))))
    assert found.column(("HTTPSpot", "order")) == "http_spot_order"
    assert found.column(("HTTPSpot",)) == "http_spot_class"
    assert found.column(("HTTPSpot", "note")) == "http_spot_note_present"
    with pytest.raises(KeyError, match="notes"):
        found.column(("notes",))


def test_an_optional_collection_is_an_empty_one() -> None:
    table = tables_of(sheet(Property(name="labels", type=optional(array(STRING))))).table
    assert shape(table)["labels"] == 'TEXT[] COLLATE "C"'


def test_json_and_texts_have_types_that_behave_alike_everywhere() -> None:
    table = tables_of(sheet(Property(name="group", type=STRING), Property(name="metadata", type=JSON))).table
    assert shape(table) == {"id": "UUID", "group": TEXT, "metadata": "JSONB", "version": "INTEGER"}


def test_parts_lie_below_the_path_that_contains_them() -> None:
    days = Containment(name="dayCounts", part="DayCount", many=True, optional=False)
    trials = Containment(name="trials", part="GrowthTrial", many=False, optional=True)
    found = tables_of(sheet(parts=(part("GrowthTrial", contains=(days,)), part("DayCount")), contains=(trials,)))
    tables = list(all_tables(found))
    assert [table.name for table in tables] == [
        "pressed_sheets",
        "pressed_sheet_trials",
        "pressed_sheet_trials_day_counts",
    ]
    assert found.parts[0].tables.parts[0].tables.owner_column == "growth_trial_id"
    assert [key.target_table for key in tables[2].foreign_keys] == ["pressed_sheet_trials"]
    assert "version" not in shape(tables[2])


def test_only_ids_of_the_same_context_are_foreign_keys() -> None:
    other = IdType(aggregate=Ref(context="Loans", name="Borrower"))
    parent = Property(name="parent", type=optional(IdType(aggregate=SHEET)))
    table = tables_of(sheet(parent, Property(name="borrower", type=other))).table
    assert [(key.column, key.target_table, key.on_delete) for key in table.foreign_keys] == [
        ("parent", "pressed_sheets", OnDelete.RESTRICT)
    ]
    assert [index.name for index in table.indexes] == ["pressed_sheets_parent_idx"]


def test_a_collection_of_its_own_kind_has_two_different_columns() -> None:
    found = tables_of(sheet(Property(name="duplicates", type=array(IdType(aggregate=SHEET)))))
    assert shape(found.collections[0].table) == {"pressed_sheet_id": "UUID", "target_id": "UUID"}
    assert (found.collections[0].owner_column, found.collections[0].target_column) == ("pressed_sheet_id", "target_id")


def test_value_objects_of_a_collection_are_ordered_rows() -> None:
    found = tables_of(sheet(Property(name="notes", type=array(SPOT))))
    table = found.collections[0].table
    assert table.name == "pressed_sheet_notes"
    assert table.primary_key == ("pressed_sheet_id", "ordinal")
    assert groups(found.collections[0].members) == [("note", "note_present", True, ())]
    assert found.collections[0].element == SPOT


def test_what_an_element_holds_is_found_through_every_list_around_it() -> None:
    page = ValueObjectType(ref=Ref(context=CONTEXT, name="AlbumPage"))
    album = ValueObjectType(ref=Ref(context=CONTEXT, name="SheetAlbum"))
    held = {
        **DECLARED.value_objects,
        page.ref: value_object("AlbumPage", Property(name="spots", type=array(SPOT))),
        album.ref: value_object(
            "SheetAlbum", Property(name="end", type=page), Property(name="pages", type=array(page))
        ),
    }
    root = sheet(Property(name="album", type=optional(album)), Property(name="albums", type=array(album)))
    facts = ContextFacts(schema_name="herbarium_keeping")
    found = entity_tables(Ground(CONTEXT, facts, Declared(held, {}), root))
    assert groups(found.members) == [("album", "album_present", True, ()), ("end", "", False, ())]
    keys = {table.name: (table.primary_key, table.foreign_keys[0]) for table in list(all_tables(found))[1:]}
    assert {name: (key[1:], foreign.target_table, foreign.ordinals) for name, (key, foreign) in keys.items()} == {
        "pressed_sheet_album_end_spots": (("ordinal",), "pressed_sheets", ()),
        "pressed_sheet_album_pages": (("ordinal",), "pressed_sheets", ()),
        "pressed_sheet_album_pages_spots": (
            ("album_pages_ordinal", "ordinal"),
            "pressed_sheet_album_pages",
            (("album_pages_ordinal", "ordinal"),),
        ),
        "pressed_sheet_albums": (("ordinal",), "pressed_sheets", ()),
        "pressed_sheet_albums_end_spots": (
            ("albums_ordinal", "ordinal"),
            "pressed_sheet_albums",
            (("albums_ordinal", "ordinal"),),
        ),
        "pressed_sheet_albums_pages": (
            ("albums_ordinal", "ordinal"),
            "pressed_sheet_albums",
            (("albums_ordinal", "ordinal"),),
        ),
        "pressed_sheet_albums_pages_spots": (
            ("albums_ordinal", "albums_pages_ordinal", "ordinal"),
            "pressed_sheet_albums_pages",
            (("albums_ordinal", "albums_ordinal"), ("albums_pages_ordinal", "ordinal")),
        ),
    }
    assert {key[0] for key, _ in keys.values()} == {"pressed_sheet_id"}


def test_a_resource_names_schema_prefix_and_indexes() -> None:
    facts = ContextFacts(
        schema_name="archive", table_prefix="old_", indexes=(("PressedSheet", ("group", "orderNumber")),)
    )
    fields = (Property(name="group", type=STRING), Property(name="orderNumber", type=INT))
    table = tables_of(sheet(*fields), facts).table
    assert (table.schema_name, table.name) == ("archive", "old_pressed_sheets")
    assert [(index.name, index.columns) for index in table.indexes] == [
        ("old_pressed_sheets_group_order_number_idx", ("group", "order_number"))
    ]
