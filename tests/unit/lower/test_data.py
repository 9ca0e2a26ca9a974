"""Rows from the start, and steps from older rows, as they reach the context that they belong to."""

from __future__ import annotations

from loom.ir import data as ir
from loom.ir.expressions import FieldValue, Literal, Null
from loom.ir.types import BOOL, DATETIME, LONG, IdType, Ref
from loom.parse import parse
from tests.kit.lowering import Lowered, lower_files


def lowered(text: str) -> Lowered:
    model = lower_files({"model.ddd": parse("model.ddd", text.encode()).ast})
    assert model.diagnostics() == []
    return model


def steps(model: Lowered, context: str) -> list[tuple[str, list[str]]]:
    return [(item.name, list(map(said, item.steps))) for item in model.context(context).context.migrations]


def said(step: ir.MigrationStep) -> str:
    match step:
        case ir.SqlStep(text=text):
            return text
        case ir.RenamedField(aggregate=name, old=old, new=new):
            return f"{name}.{old} -> {new}"
        case ir.RenamedTable(old=old, aggregate=name):
            return f"{old} -> {name}"
        case ir.Backfill(aggregate=name, field=field):
            return f"{name}.{field} ="


CONTEXTS = """
context BookShelves { aggregate HTTPShelf { class: string } }
context ShelfReaders { aggregate ShelfReader { end: int } }
"""


def test_sql_runs_in_the_context_of_the_step_before_it_or_else_of_the_first() -> None:
    model = lowered(
        CONTEXTS
        + """migration "both" {
          sql "zero" HTTPShelf.title -> class sql "one"
          Reader -> ShelfReader sql "two" ShelfReader.end = 3
        }
        migration "readers" { sql "three" ShelfReader.order -> end }"""
    )
    assert steps(model, "BookShelves") == [("both", ["zero", "HTTPShelf.title -> class", "one"])]
    assert steps(model, "ShelfReaders") == [
        ("both", ["Reader -> ShelfReader", "two", "ShelfReader.end ="]),
        ("readers", ["three", "ShelfReader.order -> end"]),
    ]


def test_sql_alone_runs_in_the_only_context() -> None:
    model = lowered('context BookShelves { aggregate HTTPShelf { class: string } } migration "alone" { sql "one" }')
    assert steps(model, "BookShelves") == [("alone", ["one"])]


def test_a_raw_row_has_its_id_and_the_defaults_of_what_it_leaves_out() -> None:
    model = lowered(
        """context BookShelves {
          aggregate HTTPShelf { class: string? end: long = 3 isOpen: bool seenAt: datetime }
          seed raw { HTTPShelf { id: "01900000-0000-7000-8000-00000000000A", seenAt: "2031-03-01T20:00:00Z" } }
        }"""
    )
    (seed,) = model.context("BookShelves").context.seeds
    assert (seed.dataset, seed.raw) == ("default", True)
    fields = {item.name: item.value for item in seed.rows[0].fields}
    shelf = IdType(aggregate=Ref(context="BookShelves", name="HTTPShelf"))
    assert fields["id"] == Literal(type=shelf, text="01900000-0000-7000-8000-00000000000a")
    assert fields["end"] == Literal(type=LONG, text="3")
    assert fields["isOpen"] == Literal(type=BOOL, text="false")
    assert fields["seenAt"] == Literal(type=DATETIME, text="2031-03-01T20:00:00Z")
    assert isinstance(fields["class"], Null)


def test_a_row_gives_every_input_of_the_create_in_its_order() -> None:
    model = lowered(
        """context BookShelves {
          aggregate HTTPShelf {
            class: string
            end: int managed
            create(title: string, end: int = 7) { class := title end := end }
          }
          seed demo { HTTPShelf { title: "a" } HTTPShelf { end: 8, title: "b" } }
        }"""
    )
    (seed,) = model.context("BookShelves").context.seeds
    assert seed.dataset == "demo"
    assert [[given(item) for item in row.fields] for row in seed.rows] == [
        ["title a", "end 7"],
        ["title b", "end 8"],
    ]


def given(item: FieldValue) -> str:
    assert isinstance(item.value, Literal)
    return f"{item.name} {item.value.text}"
