"""What macros, capabilities and stamps stand for is what a person would have written: the same program.

Each pair is one context, short and written out.
"""

from __future__ import annotations

import pytest

from loom.base import Value, descendants
from loom.ir.expressions import Local
from loom.ir.members import Gate
from loom.ir.program import Context
from loom.parse import parse
from tests.kit.lowering import lower_files

TOP = """
capability GeoTagged {
  gridRef: string = "unset", surveyedBy: Self id? managed  stamp onUpdate { seenAt := now() } seenAt: datetime?
}
"""


def lowered(body: str, head: str = "") -> Context:
    parsed = parse("model.ddd", f"{TOP} context DeepField {head} {{ {body} }}".encode())
    assert [problem.text() for problem in parsed.diagnostics] == []
    model = lower_files({"model.ddd": parsed.ast})
    found = [*model.diagnostics(), *model.validated()]
    assert [problem.text() for problem in found] == ["the model declares no system"]
    return model.context("DeepField").context


def unquoted(item: object) -> object:
    """The same without the texts of conditions: a refusal quotes what was written."""
    if isinstance(item, Gate):
        return unquoted(item.condition)
    if isinstance(item, Value):
        return type(item).__name__, {name: unquoted(getattr(item, name)) for name in item.field_names()}
    return tuple(map(unquoted, item)) if isinstance(item, tuple) else item


PAIRS = {
    "a capability of the model": (
        "aggregate RoverUnit with crudish, GeoTagged { serialNumber: string }",
        """aggregate RoverUnit {
             serialNumber: string  gridRef: string = "unset"  surveyedBy: RoverUnit id? managed
             seenAt: datetime? managed
             create(serialNumber: string, gridRef: string = "unset") {
               serialNumber := serialNumber  gridRef := gridRef  seenAt := now() }
             operation update(serialNumber: string, gridRef: string) {
               serialNumber := serialNumber  gridRef := gridRef  seenAt := now() }
             destroy { } }""",
    ),
    "implements in an aggregate": (
        "aggregate RoverUnit { serialNumber: string implements GeoTagged }",
        "aggregate RoverUnit with GeoTagged { serialNumber: string }",
    ),
    "implements in a context": (
        "implements GeoTagged aggregate RoverUnit { order: int } aggregate HTTPProbe { class: string }",
        "aggregate RoverUnit with GeoTagged { order: int } aggregate HTTPProbe with GeoTagged { class: string }",
    ),
    "with on a context": (
        "aggregate RoverUnit { order: int }",
        "aggregate RoverUnit { order: int implements GeoTagged }",
    ),
    "a stamp before each return": (
        """aggregate RoverUnit with crudish { order: int  changedAt: datetime?
             stamp onUpdate { changedAt := now() }
             operation rank(to: int): string {
               order := to
               if to > 3 { return "high" } else { order := 1 }
               return "low" } }""",
        """aggregate RoverUnit { order: int  changedAt: datetime? managed
             create(order: int) { order := order  changedAt := now() }
             operation rank(to: int): string {
               order := to
               if to > 3 { changedAt := now() return "high" } else { order := 1 }
               changedAt := now()
               return "low" }
             operation update(order: int) { order := order  changedAt := now() }
             destroy { } }""",
    ),
    "a stamp on create": (
        """aggregate RoverUnit { order: int  madeAt: datetime  stamp onCreate { madeAt := now() }
             create(order: int) { order := order }
             operation drive() { order += 1 } }""",
        """aggregate RoverUnit { order: int  madeAt: datetime managed
             create(order: int) { order := order  madeAt := now() }
             operation drive() { order += 1 } }""",
    ),
    "a stamp of the context, and nothing where nothing is saved": (
        """stamp onUpdate { changedAt := now() }
           aggregate RoverUnit { order: int changedAt: datetime?
             operation rank(): int { return order }
             private operation reset() { order := 0 }
             operation restart() { reset() } }""",
        """aggregate RoverUnit { order: int changedAt: datetime? managed
             operation rank(): int { return order }
             private operation reset() { order := 0 }
             operation restart() { reset() changedAt := now() } }""",
    ),
    "softDelete": (
        "aggregate RoverUnit with softDeletable, softDelete { order: int }",
        """aggregate RoverUnit with softDeletable { order: int
             operation softDelete() { isDeleted := true  deletedAt := now() }
             operation restore() { isDeleted := false  deletedAt := null } }""",
    ),
    "softDeleteByDefault": (
        "aggregate RoverUnit { order: int } aggregate HTTPProbe { class: string }",
        "aggregate RoverUnit with softDeletable, softDelete { order: int } "
        "aggregate HTTPProbe with softDeletable, softDelete { class: string }",
    ),
    "criteria": (
        """aggregate RoverUnit { order: int  class: string?  marks: int[]
             derived isLate: bool = Late(order + 1)
             filter Always }
           criterion Late(least: int, end: int = 7) of RoverUnit as unit =
             unit.order > least && Named("x") && order < end
           criterion Named(class: string) of RoverUnit = this.class == class || Always
           criterion Always of bool = 1 < 2
           repository RoverUnits for RoverUnit {
             find late(order: int): RoverUnit[] where Late(order) && marks.contains(3) }""",
        """aggregate RoverUnit { order: int  class: string?  marks: int[]
             derived isLate: bool = order > order + 1 && (class == "x" || 1 < 2) && order < 7
             filter 1 < 2 }
           repository RoverUnits for RoverUnit {
             find late(order: int): RoverUnit[]
               where (this.order > order && (class == "x" || 1 < 2) && this.order < 7) && marks.contains(3) }""",
    ),
    "policies": (
        """aggregate RoverUnit { order: int  marks: int[]
             operation drive(mark: int) requires mayDrive(this, mark) when isCalm(order) { order := mark } }
           policy mayDrive(unit: RoverUnit, mark: int): bool { unit.marks.any(old => old > mark) && isCalm(mark) }
           policy isCalm(order: int): bool = order < 3""",
        """aggregate RoverUnit { order: int  marks: int[]
             operation drive(mark: int) requires this.marks.any(old => old > mark) && mark < 3 when order < 3 {
               order := mark } }""",
    ),
    "match and lambda with blocks": (
        """aggregate RoverUnit { order: int  marks: int[]
             operation drive(to: int): int {
               match { to > 3 => { order := to } to > 2 => { marks += to return 2 } else => { order := 0 } }
               match { to > 1 => { order := 1 } }
               return marks.map(mark => { return mark + 1 }).count } }""",
        """aggregate RoverUnit { order: int  marks: int[]
             operation drive(to: int): int {
               if to > 3 { order := to } else if to > 2 { marks += to return 2 } else { order := 0 }
               if to > 1 { order := 1 }
               return marks.map(mark => mark + 1).count } }""",
    ),
    "records of every kind": (
        """response SoilSample { depth: int } query SoilQuery { class: string }
           workflow takeSample { create(class: string): SoilSample { return SoilSample { depth: class.length } } }""",
        """payload SoilSample { depth: int } payload SoilQuery { class: string }
           workflow takeSample { create(class: string): SoilSample { return SoilSample { depth: class.length } } }""",
    ),
    "inheritance into tables of their own": (
        """abstract aggregate HTTPDevice inheritanceUsing: ownTable {
             serialNumber: string  class: int = 1
             derived display: string = serialNumber
             invariant class > 0
             contains ports: DevicePort[]
             entity DevicePort { end: int }
             function isBig(): bool = class > 3 }
           abstract aggregate ProbeDevice extends HTTPDevice with GeoTagged { depth: int? }
           aggregate SoilProbe extends ProbeDevice with crudish { soilClass: string }
           aggregate RoverUnit extends HTTPDevice { order: int
             operation rank(to: int) when isBig() { order := to  ports += DevicePort { end: class } } }""",
        """aggregate SoilProbe with GeoTagged, crudish {
             serialNumber: string  class: int = 1
             derived display: string = serialNumber
             invariant class > 0
             contains ports: DevicePort[]
             entity DevicePort { end: int }
             function isBig(): bool = class > 3
             depth: int?  soilClass: string }
           aggregate RoverUnit {
             serialNumber: string  class: int = 1
             derived display: string = serialNumber
             invariant class > 0
             contains ports: DevicePort[]
             entity DevicePort { end: int }
             function isBig(): bool = class > 3
             order: int
             operation rank(to: int) when isBig() { order := to  ports += DevicePort { end: class } } }""",
    ),
}  # fmt: skip
HEADS = {"with on a context": "with GeoTagged", "softDeleteByDefault": "with softDeleteByDefault"}


@pytest.mark.parametrize("name", PAIRS)
def test_short_and_written_out_are_one_program(name: str) -> None:
    short, written = PAIRS[name]
    assert unquoted(lowered(short, HEADS.get(name, ""))) == unquoted(lowered(written))


def test_a_filter_is_an_unwritten_one_of_the_capability() -> None:
    made = lowered("aggregate RoverUnit with softDeletable { order: int  filter order > 0 }").aggregates[0]
    assert [item.capability for item in made.filters] == ["", "softDeletable"]
    assert [field.name for field in made.properties] == ["order", "isDeleted", "deletedAt"]


def test_a_stamp_that_reads_what_it_changes_stays_a_stamp() -> None:
    body = "aggregate RoverUnit with crudish { order: int  saves: int = 0  stamp onUpdate { saves := saves + 1 } }"
    made = lowered(body).aggregates[0]
    assert [(item.once, item.path) for item in made.stamps] == [(False, ("saves",))]
    assert made.create is not None and len(made.create.body) == 1


def test_a_hierarchy_in_one_table_says_whose_it_is() -> None:
    made = lowered(
        "abstract aggregate HTTPDevice { class: int }"
        "abstract aggregate ProbeDevice extends HTTPDevice { depth: int }"
        "aggregate SoilProbe extends ProbeDevice { device: HTTPDevice id? }"
    )
    assert [(item.name, item.shares) for item in made.aggregates] == [("SoilProbe", "HTTPDevice")]
    assert [field.name for field in made.aggregates[0].properties] == ["class", "depth", "device"]


def test_a_value_keeps_its_meaning_inside_of_a_lambda() -> None:
    made = lowered(
        """aggregate RoverUnit { marks: int[]  operation drive(old: int) { precondition Above(old) marks += old } }
           criterion Above(least: int) of RoverUnit = marks.all(old => old > least)"""
    )
    guard = made.aggregates[0].operations[0].body[0]
    names = [item.name for item in descendants(guard) if isinstance(item, Local)]
    assert names == ["oldInner", "old"]
