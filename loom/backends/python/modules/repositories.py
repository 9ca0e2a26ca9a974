"""The repository of an aggregate: reads by id, key and find, and saves as differences of rows.

In: an AggregatePlan. Out: a ModuleView.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.queries import ArgumentRenderer, Queries, column, table_name
from loom.backends.python.code.reads import find_method, key_method
from loom.backends.python.code.steps import Steps, raised
from loom.backends.python.modules.row_functions import RowFunctions, reader
from loom.backends.python.modules.storage import Apart, RowMapper, handed, row_item
from loom.backends.python.text.blocks import Class, Function, block, class_head
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import (
    Brackets,
    Call,
    Enclosed,
    Row,
    behind,
    keyword,
    member,
    quoted,
)
from loom.backends.python.text.statements import Signature, Statement
from loom.emit.index import ServiceIndex
from loom.ir.statements import Cardinality
from loom.ir.types import IdType, ValueObjectType
from loom.plan.model import AggregatePlan, FindPlan
from loom.plan.names import AGGREGATE_LOADED, FIND_EXECUTED, REPOSITORY_SAVE
from loom.plan.storage import CollectionTable, EntityTables, PartTables, all_collections, all_tables

WANTED = "wanted: Select[Any]"
PAGING = ("sort: str", "descending: bool", "limit: int", "offset: int")


class Repository:
    """The class, the functions beside it, and what their module needs."""

    def __init__(self, index: ServiceIndex, plan: AggregatePlan) -> None:
        self.index = index
        self.plan = plan
        self.needs: set[str] = {
            "typing:Any",
            "sqlalchemy:RowMapping",
            "sqlalchemy:Select",
            "sqlalchemy:select",
            "app.errors:AggregateNotFoundError",
            "app.persistence.database:UnitOfWork",
            "app.persistence.rows:RowSet",
            "app.persistence.rows:insert_rows",
            "app.persistence.rows:update_rows",
        }
        self.mapper = RowMapper(self.needs)
        self.tables = f"app.persistence.{spelling.folder_name(plan.ref.context)}.tables"
        self.kind = types.aggregate(plan.ref, self.needs)
        self.id = types.identifier(IdType(aggregate=plan.ref), self.needs)
        self.instance = spelling.instance_name(plan.ref.name)
        self.table = table_name(plan.tables.table.name)
        self.needs.update(f"{self.tables}:{table_name(table.name)}" for table in all_tables(plan.tables))

    def repository_class(self) -> Class:
        return Class(
            head=class_head(f"{self.kind}Repository"),
            doc="Reads and writes whole aggregates within one unit of work.",
            fields=(),
            methods=(
                self.start(),
                self.get_by_id(),
                *self.methods(),
                self.save(),
                *self.delete(),
                self.first(),
                self.load_all(),
            ),
        )

    def functions(self) -> tuple[Function, ...]:
        made = RowFunctions(self.index, self.plan, self.mapper)
        return (*made.readers(), made.writer())

    def start(self) -> Function:
        """Rows are kept for each object that was loaded, not for each id: one request may hold a row twice.

        `tests/conformance/recordings/metal_stocks.yaml` shows that the second save is refused.
        """
        loaded = Statement("self._loaded: ", Row(Brackets("dict", [self.kind, "RowSet"], "[]"), " = ", "{}"))
        return Function(head="def __init__(self, work: UnitOfWork) -> None:", body=("self._work = work", loaded))

    def get_by_id(self) -> Function:
        error = filled("AggregateNotFoundError({}, wanted_id)", quoted(self.plan.ref.name))
        return Function(
            head=Signature("async def get_by_id", ["self", f"wanted_id: {self.id}"], self.kind),
            body=found_or(
                self.first_by_id("wanted_id"),
                Statement("raise ", error),
                [self.told(AGGREGATE_LOADED, "id=wanted_id")],
            ),
        )

    def told(self, event: str, *fields: str) -> Statement:
        """A line of the log for those who look closely."""
        self.needs.add("app.log:log")
        named = [f"aggregate={quoted(self.plan.ref.name)}", *fields]
        return Statement("", Call("log", [quoted("debug"), quoted(event), *named]))

    def first_by_id(self, name: str) -> str:
        return filled("self._first(select({0}).where({0}.c.id == {1}))", self.table, name)

    def save(self) -> Function:
        rows = filled("_rows({})", self.instance)
        changed = (
            f"{self.instance}.version += 1",
            Statement("", filled("await update_rows(self._work.session, before, {})", rows)),
        )
        return Function(
            head=self.taking_instance("save"),
            body=(
                Statement("before = ", filled("self._loaded.get({})", self.instance)),
                "if before is None:",
                *block([Statement("", filled("await insert_rows(self._work.session, {})", rows))]),
                "else:",
                *block(changed),
                Statement(Row(filled("self._loaded[{}]", self.instance), " = "), rows),
                self.told(REPOSITORY_SAVE, f"id={self.instance}.id"),
                self.recorded(),
            ),
        )

    def taking_instance(self, name: str) -> Signature:
        return Signature(f"async def {name}", ["self", f"{self.instance}: {self.kind}"], "None")

    def recorded(self) -> Statement:
        return Statement("", filled("self._work.record({}.events)", self.instance))

    def delete(self) -> Iterator[Function]:
        if not self.plan.is_deleted:
            return
        self.needs.update({"app.persistence.rows:delete_root", "app.errors:StaleVersionError"})
        deleted = "await delete_root(self._work.session, {0}, {1}.id, {1}.version, refusal)"
        yield Function(
            head=self.taking_instance("delete"),
            body=(
                Statement("refusal = ", quoted(self.plan.conflict_detail)),
                Statement("is_deleted = ", filled(deleted, self.table, self.instance)),
                "if not is_deleted:",
                *block(
                    [Statement("", filled("await self.get_by_id({}.id)", self.instance)), "raise StaleVersionError"]
                ),
                self.recorded(),
            ),
        )

    def first(self) -> Function:
        ordered = filled("await self._load(wanted.order_by({}.c.id).limit(1))", self.table)
        return Function(
            head=Signature("async def _first", ["self", WANTED], types.optional(self.kind)),
            body=(Statement("found = ", ordered), "return found[0] if found else None"),
        )

    def load_all(self) -> Function:
        arguments = ["row", *self.nested_arguments(self.plan.tables, "row")]
        loaded = filled("[{} for row in rows]", Call(reader(self.plan.ref.name), arguments))
        return Function(
            head=Signature("async def _load", ["self", WANTED], types.listed(self.kind)),
            body=(
                "session = self._work.session",
                "rows = (await session.execute(wanted)).mappings().all()",
                *self.loads(self.plan.tables, '[row["id"] for row in rows]'),
                Statement("found = ", loaded),
                "self._loaded.update((item, _rows(item)) for item in found)",
                "return found",
            ),
        )

    def sorts(self) -> Iterator[Statement]:
        if self.plan.sorts:
            self.needs.update({"sqlalchemy:func", "app.persistence.rows:ordering"})
            entries = (behind(f"{quoted(wire)}: ", column(self.table, name)) for wire, name in self.plan.sorts)
            yield Statement("SORTS = ", Brackets("", entries, "{}"))

    def methods(self) -> Iterator[Function]:
        """What is found by an optional id, by keys, a page of all, and by finds."""
        if self.plan.is_found_by_id:
            name = f"{self.instance.rstrip('_')}_id"
            yield self.reading("find_by_id", [f"{name}: {self.id}"], self.first_by_id(name))
        yield from self.key_reads()
        if self.plan.is_listed:
            yield self.page("page", [], filled("select({})", self.table), [])
        for find in self.plan.finds:
            yield self.find(find)

    def key_reads(self) -> Iterator[Function]:
        for key in self.plan.keys:
            parameters = types.parameters(key.parameters, self.needs, spelling.query_name)
            where = member(filled("select({})", self.table), "where")
            wanted = filled("self._first({})", Call(where, map(self.key_condition, key.fields)))
            if key.is_found:
                yield self.reading(key_method(key.fields, optional=True), parameters, wanted)
            if key.is_required:
                yield self.reading(key_method(key.fields, optional=False), parameters, wanted, key.missing_detail)

    def reading(
        self, name: str, parameters: Sequence[str], wanted: str, detail: str = "", gates: Sequence[str] = ()
    ) -> Function:
        """A method that answers the first of what is wanted: or null, or with `detail` refuses."""
        kind = self.kind if detail else types.optional(self.kind)
        found = [Statement("return ", behind("await ", wanted))]
        lines = found_or(wanted, raised("NotFoundError", detail, self.needs)) if detail else found
        return Function(head=Signature(f"async def {name}", ["self", *parameters], kind), body=(*gates, *lines))

    def key_condition(self, name: str) -> str:
        return filled("{} == {}", column(self.table, self.plan.tables.column((name,))), spelling.query_name(name))

    def find(self, find: FindPlan) -> Function:
        values = ArgumentRenderer(self.index, self.needs)
        wanted: str = filled("select({})", self.table)
        if find.where is not None:
            wanted = filled("{}.where({})", wanted, Queries(values, self.plan.tables).truth(find.where))
        refusals = Steps(values, {}).refusals(find.requires, "ForbiddenError")
        gates = [*refusals, self.told(FIND_EXECUTED, f"find={quoted(find.name)}")]
        parameters = types.parameters(find.parameters, self.needs, spelling.query_name)
        name = find_method(find.name)
        match find.cardinality:
            case Cardinality.PAGE:
                return self.page(name, parameters, wanted, gates)
            case Cardinality.MANY:
                head = Signature(f"async def {name}", ["self", *parameters], types.listed(self.kind))
                load = filled("await self._load(wanted.order_by({}.c.id))", self.table)
                return Function(head=head, body=(*gates, Statement("wanted = ", wanted), Statement("return ", load)))
        detail = "" if find.cardinality is Cardinality.OPTIONAL else find.missing_detail
        return self.reading(name, parameters, filled("self._first({})", wanted), detail, gates)

    def page(self, name: str, parameters: Sequence[str], wanted: str, gates: Sequence[str]) -> Function:
        order = filled("ordering(SORTS[sort], {}.c.id, descending=descending)", self.table)
        answer = Brackets("tuple", [types.listed(self.kind), "int"], "[]")
        return Function(
            head=Signature(f"async def {name}", ("self", *parameters, "*", *PAGING), answer),
            body=(
                '"""One page, and how many there are on all pages together."""',
                *gates,
                Statement("wanted = ", wanted),
                "counted = select(func.count()).select_from(wanted.subquery())",
                "total = await self._work.session.scalar(counted)",
                Statement("order = ", order),
                "ordered = wanted.order_by(*order)",
                "return await self._load(ordered.limit(limit).offset(offset)), total or 0",
            ),
        )

    def loads(self, entity: EntityTables, owners: str) -> Iterator[str]:
        """One query for each child table, whatever the number of aggregates."""
        for collection in entity.collections:
            yield self.load("children_of", collection.table.name, collection.owner_column, owners)
            for inner in all_collections(collection.collections):
                yield self.load("elements_of", inner.table.name, inner.owner_column, owners)
        for part in entity.parts:
            name = part.tables.table.name
            yield self.load("children_of", name, part.tables.owner_column, owners)
            if part.tables.parts or part.tables.collections:
                self.needs.add("app.persistence.rows:ids_of")
                yield from self.loads(part.tables, filled("ids_of({})", _rows_of(name)))

    def load(self, function: str, table: str, owner: str, owners: str) -> str:
        self.needs.add(f"app.persistence.rows:{function}")
        children = filled(f"await {function}(session, {{}}, {{}}, {{}})", table_name(table), f'"{owner}"', owners)
        return Statement(f"{_rows_of(table)} = ", children)

    def nested_arguments(self, entity: EntityTables, row: str) -> Iterator[str]:
        for collection in entity.collections:
            yield keyword(handed(collection.path), self.elements(collection, "item", [row_item(row, "id")]))
        for part in entity.parts:
            yield keyword(handed([part.containment]), self.contained(part, row))

    def elements(self, collection: CollectionTable, item: str, key: Sequence[str]) -> str:
        """A collection out of the rows that have `key`; `item` is the name of each."""
        found = _rows_of(collection.table.name)
        rows = Enclosed(found, key, "[]") if len(key) == 1 else Brackets(found, key, "[]")
        match collection.element:
            case IdType():
                made = row_item(item, collection.target_column)
            case ValueObjectType(ref=ref):
                made = self.mapper.made(ref, collection.members, item, self.inner_elements(collection, item))
        return filled("[{} for {} in {}]", made, item, rows)

    def inner_elements(self, collection: CollectionTable, item: str) -> Apart:
        """What an element holds, whose row is called `item`."""
        key = [row_item(item, column) for column in collection.table.primary_key]
        inner = {each.path: each for each in collection.collections}
        return lambda path: self.elements(inner[path], _rows_of(inner[path].table.name).removesuffix("s"), key)

    def contained(self, part: PartTables, row: str) -> str:
        variable = f"{spelling.module_name(part.part).rstrip('_')}_row"
        nested = self.nested_arguments(part.tables, variable)
        made = Call(reader(part.part), [variable, *nested])
        rows = rows_below(part.tables.table.name, row)
        if part.many:
            return filled("[{} for {} in {}]", made, variable, rows)
        if part.optional:
            return filled("next(({} for {} in {}), None)", made, variable, rows)
        return filled("next({} for {} in {})", made, variable, rows)


def found_or(wanted: str, refusal: Statement, then: Sequence[str] = ()) -> tuple[str, ...]:
    """Answers the first of what is wanted, or refuses."""
    found = Statement("found = ", behind("await ", wanted))
    return (found, "if found is None:", *block([refusal]), *then, "return found")


def rows_below(table: str, row: str) -> str:
    """The rows of a child table that belong to `row`."""
    return Enclosed(_rows_of(table), [row_item(row, "id")], "[]")


def _rows_of(table: str) -> str:
    return f"{spelling.module_name(table).rstrip('_')}_rows"
