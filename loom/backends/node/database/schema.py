"""Tables as the query builder declares them.

In: tables of a context's Plan. Out: the view of its schema module, and how other modules spell its columns.
Never: names of tables and columns (the Plan has them), keys and indexes (the SQL migrations make them).
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.types import PG, Types
from loom.backends.node.domain import imports_of
from loom.backends.node.model import Model
from loom.backends.node.spelling import context_folder, joined, quoted
from loom.backends.node.text import shapes
from loom.backends.node.views import ModuleView
from loom.base import camel, words
from loom.ir.types import IdType, Ref
from loom.plan.model import AggregatePlan, ContextPlan
from loom.plan.storage import CollectionTable, ColumnPlan, EntityTables, PartTables, TablePlan, all_collections


def schema_module(context: str) -> str:
    return f"src/db/{context_folder(Ref(context=context, name=''))}/schema"


def table_constant(table: TablePlan) -> str:
    return f"{camel(words(table.name))}Table"


def column_key(column: ColumnPlan) -> str:
    """The property that stands for a column: its field path in one word."""
    if not column.path:
        return camel(words(column.name))
    first, *rest = column.path
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def named_key(table: TablePlan, name: str) -> str:
    """The property of the column called `name`."""
    return next(column_key(column) for column in table.columns if column.name == name)


def schema_view(model: Model, context: ContextPlan) -> ModuleView:
    renderer = NodeRenderer(model)
    tables = _Tables(renderer, context.schema_name)
    items = tuple(text for plan in context.aggregates for text in tables.aggregate(plan))
    schema = filter(None, [tables.declaration()])
    return ModuleView(items=(*schema, *items), imports=imports_of(schema_module(context.name), renderer))


class _Tables:
    def __init__(self, renderer: NodeRenderer, schema_name: str) -> None:
        self.types = Types(renderer.needs)
        self.schema_name = schema_name
        self.constant = joined(schema_name, "schema")

    def declaration(self) -> str:
        """The schema; the query builder knows `public` without one."""
        if self.schema_name == "public":
            return ""
        return f"export const {self.constant} = {self.types.value(PG, 'pgSchema')}({quoted(self.schema_name)});"

    def aggregate(self, plan: AggregatePlan) -> Iterator[str]:
        yield from self.entity(plan.tables, plan.ref, IdType(aggregate=plan.ref), None)

    def entity(self, tables: EntityTables, ref: Ref, own: IdType, owner: IdType | None) -> Iterator[str]:
        yield self.table(tables.table, {"id": own, tables.owner_column: owner})
        for collection in all_collections(tables.collections):
            yield self.collection(collection, own)
        for part in tables.parts:
            yield from self.part(part, ref, own)

    def part(self, part: PartTables, ref: Ref, owner: IdType) -> Iterator[str]:
        yield from self.entity(part.tables, ref, IdType(aggregate=ref, part=part.part), owner)

    def collection(self, collection: CollectionTable, owner: IdType) -> str:
        return self.table(collection.table, {collection.owner_column: owner})

    def table(self, table: TablePlan, ids: dict[str, IdType | None]) -> str:
        call = f"{self.constant}.table" if self.schema_name != "public" else self.types.value(PG, "pgTable")
        columns = [self.column(item, ids.get(item.name), table.primary_key) for item in table.columns]
        head = f"export const {table_constant(table)} = {call}"
        return f"{head}({quoted(table.name)}, {shapes.braced(f'{column},' for column in columns)});"

    def column(self, column: ColumnPlan, identity: IdType | None, primary_key: tuple[str, ...]) -> str:
        builder = self.types.column(column.name, identity or column.type)
        is_primary = primary_key == (column.name,)
        end = ".primaryKey()" if is_primary else "" if column.nullable else ".notNull()"
        return f"{column_key(column)}: {builder}{end}"
