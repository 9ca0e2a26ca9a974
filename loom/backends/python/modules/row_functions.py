"""The functions beside a repository: one makes instances of rows, one makes the rows of an instance.

In: an AggregatePlan. Out: functions; what they need is added to that of the mapper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.queries import table_name
from loom.backends.python.modules.storage import RowMapper, handed, reached, row_item, unless_absent
from loom.backends.python.text.blocks import Function
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import Brackets, Call, Clauses, Enclosed, behind, keyword
from loom.backends.python.text.statements import Signature, Statement
from loom.emit.index import ServiceIndex
from loom.ir.types import bare
from loom.plan.model import AggregatePlan, PartPlan
from loom.plan.storage import CollectionKind, CollectionTable, EntityTables, PartTables, StoredMember, all_apart

Loops = tuple[str, ...]


class Held(NamedTuple):
    """What collections are read from: the variable of an entity or an element, and that of the entity."""

    name: str
    owner: str
    members: tuple[StoredMember, ...]

    def apart(self, name: str) -> str:
        """A variable beside the entity, which may be called as others are: an aggregate `Item`, say."""
        spelled = spelling.local_name(name)
        return f"{spelled}_" if spelled == self.owner else spelled


class RowFunctions:
    """Those of one aggregate."""

    def __init__(self, index: ServiceIndex, plan: AggregatePlan, mapper: RowMapper) -> None:
        self.index = index
        self.plan = plan
        self.mapper = mapper
        self.needs = mapper.needs
        self.kind = types.aggregate(plan.ref, self.needs)
        self.instance = spelling.instance_name(plan.ref.name)

    def part(self, name: str) -> PartPlan:
        return self.index.parts[self.plan.ref, name]

    def readers(self) -> Iterator[Function]:
        """A function for the root and for each part, once each, wherever the part is contained."""
        yield self.reader_of(self.plan, self.plan.tables)
        for name, tables in {part.part: part.tables for part in all_parts(self.plan.tables)}.items():
            yield self.reader_of(self.part(name), tables)

    def reader_of(self, plan: AggregatePlan | PartPlan, entity: EntityTables) -> Function:
        """Makes an instance of a row, which has the same columns in each table of a part, and of what hangs below."""
        name_of = reader(plan.ref.name if isinstance(plan, AggregatePlan) else plan.name)
        kind = self.kind if isinstance(plan, AggregatePlan) else types.part(plan.aggregate, plan.name, self.needs)
        values = [behind("id=", row_item("row", "id"))]
        values += [
            keyword(spelling.member_name(item.name), self.mapper.read(item, "row", handed)) for item in entity.members
        ]
        extra = [
            behind(f"{handed(item.path)}: ", types.annotation(bare(item.type), self.needs))
            for item in all_apart(entity.members)
        ]
        for containment in plan.containments:
            given = handed([containment.name])
            values.append(f"{spelling.member_name(containment.name)}={given}")
            extra.append(behind(f"{given}: ", types.annotation(containment.type, self.needs)))
        if isinstance(plan, AggregatePlan):
            values.append(behind("version=", row_item("row", "version")))
        parameters = ["row: RowMapping", *["*"][: len(extra)], *extra]
        return Function(
            head=Signature(f"def {name_of}", parameters, kind), body=(Statement("return ", Call(kind, values)),)
        )

    def writer(self) -> Function:
        """The function that makes the rows of an instance, by table."""
        tables = self.row_lists(self.plan, self.plan.tables, (self.instance,), ())
        return Function(
            head=Signature("def _rows", [f"{self.instance}: {self.kind}"], "RowSet"),
            body=(Statement("return ", Brackets("", [behind(f"{name}: ", rows) for name, rows in tables], "{}")),),
        )

    def row_lists(
        self, plan: AggregatePlan | PartPlan, entity: EntityTables, instances: tuple[str, ...], loops: Loops
    ) -> Iterator[tuple[str, str]]:
        """Table constants with the rows that an aggregate has in them; `loops` reach the last of `instances`."""
        *_, instance = instances
        yield table_name(entity.table.name), self.rows(plan, entity, instances, loops)
        for collection in entity.collections:
            yield from self.collection_rows(Held(instance, instance, entity.members), collection, loops)
        for part in entity.parts:
            variable = spelling.local_name(part.part)
            source = f"{instance}.{spelling.member_name(part.containment)}"
            loop = behind(f"for {variable} in ", source if part.many else Brackets("", [source], "[]"))
            given = [behind("if ", filled("{} is not None", variable))] if part.optional else []
            inner = (*loops, loop, *given)
            yield from self.row_lists(self.part(part.part), part.tables, (*instances, variable), inner)

    def rows(
        self, plan: AggregatePlan | PartPlan, entity: EntityTables, instances: tuple[str, ...], loops: Loops
    ) -> str:
        *_, instance = instances
        entries = [f'"id": {instance}.id']
        if entity.owner_column:
            entries.append(f'"{entity.owner_column}": {instances[-2]}.id')
        entries += self.mapper.row(entity.members, instance)
        if isinstance(plan, AggregatePlan):
            entries.append(f'"version": {instance}.version')
        return row_list(entries, loops)

    def collection_rows(self, held: Held, collection: CollectionTable, loops: Loops) -> Iterator[tuple[str, str]]:
        """A table constant with its rows, and those of what the elements hold."""
        source, absent = reached(held.members, held.name, collection.path)
        keys, item, ordinal = (
            [f'"{collection.owner_column}": {held.owner}.id'],
            held.apart("item"),
            held.apart("ordinal"),
        )
        if collection.kind is CollectionKind.REFERENCES:
            loop = behind(f"for {item} in ", Call("dict.fromkeys", [source]))
            entries = [*keys, f'"{collection.target_column}": {item}']
            yield table_name(collection.table.name), row_list(entries, (*loops, loop))
            return
        keys += [f'"{column}": {held.apart(column)}' for column in collection.outer_ordinals]
        values = unless_absent(source, absent, "[]")
        entries = [*keys, f'"ordinal": {ordinal}', *self.mapper.row(collection.members, item)]
        loop = behind(f"for {ordinal}, {item} in ", Call("enumerate", [values]))
        yield table_name(collection.table.name), row_list(entries, (*loops, loop))
        for inner in collection.collections:
            place = inner.outer_ordinals[-1]
            element = held.apart(f"{place.removesuffix('_ordinal')}_item")
            around = behind(f"for {held.apart(place)}, {element} in ", Call("enumerate", [values]))
            yield from self.collection_rows(Held(element, held.owner, collection.members), inner, (*loops, around))


def all_parts(entity: EntityTables) -> Iterator[PartTables]:
    """What hangs below an entity, parents first."""
    for part in entity.parts:
        yield part
        yield from all_parts(part.tables)


def row_list(entries: Sequence[str], loops: Loops) -> str:
    """Rows of a table: one, or one for each turn of the loops."""
    row = Brackets("", entries, "{}")
    return Enclosed("", [Clauses([row, *loops])], "[]") if loops else Brackets("", [row], "[]")


def reader(name: str) -> str:
    """The function that makes what is called `name` of a row, apart from the one that makes rows."""
    spelled = f"_{spelling.module_name(name).rstrip('_')}"
    return f"{spelled}_" if spelled == "_rows" else spelled
