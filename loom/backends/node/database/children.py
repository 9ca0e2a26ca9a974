"""Tables below an aggregate's root: parts and collections, loaded for all owners at once and saved as differences.

In: the tables of an aggregate. Out: functions of its repository module, and the calls of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loom.backends.node import spelling
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.types import IDS, Types
from loom.backends.node.database.rows import Rows, reached
from loom.backends.node.database.schema import named_key, schema_module, table_constant
from loom.backends.node.spelling import domain_module, joined
from loom.backends.node.text import shapes
from loom.emit.renderer import Code
from loom.ir.types import IdType, PartType, Ref
from loom.plan.model import AggregatePlan
from loom.plan.storage import CollectionKind, CollectionTable, EntityTables, PartTables, TablePlan

_DRIZZLE = "drizzle-orm"
# Functions of a repository module, which those of a child must not be called like.
_TAKEN = frozenset({"childRows", "loadFirst", "loadPage", "tableRows"})
ROWS = "src/db/rows"


class Entity(NamedTuple):
    """The root or a part: its id type and what lies below it; `path` leads to it from the root."""

    path: tuple[str, ...]
    part: str
    id_type: str
    tables: EntityTables

    def named(self, verb: str, *child: str) -> str:
        return _apart(joined(verb, *self.path, *child))

    def rows_of(self, *child: str) -> str:
        """The function that makes the rows of a child."""
        return _apart(joined(*self.path, *child, "rows"))


def _apart(name: str) -> str:
    return f"{name}_" if name in _TAKEN else name


class Children:
    """What the repository of one aggregate does below its root."""

    def __init__(self, renderer: NodeRenderer, plan: AggregatePlan) -> None:
        self.renderer = renderer
        self.plan = plan
        self.types = Types(renderer.needs)
        self.root = Entity((), "", self.id_type(plan.ref), plan.tables)

    def need(self, module: str, name: str) -> str:
        return self.renderer.need(module, name)

    def id_type(self, aggregate: Ref, part: str = "") -> str:
        return self.types.needs.ids[IdType(aggregate=aggregate, part=part)]

    def part_entity(self, owner: Entity, tables: PartTables) -> Entity:
        id_type = self.id_type(self.plan.ref, tables.part)
        return Entity((*owner.path, tables.containment), tables.part, id_type, tables.tables)

    def loads(self, rows: str) -> list[str]:
        return self.entity_loads(self.root, rows)

    def collections(self, owner: str) -> dict[tuple[str, ...], Code]:
        return self.entity_collections(self.root, owner)

    def parts(self, owner: str) -> list[str]:
        return self.entity_parts(self.root, owner)

    def rows(self) -> list[str]:
        """The function that tells all rows below a root; nothing where there are no tables for them."""
        owners, calls = list[str](), list[str]()
        self.entity_rows(self.root, "owners", owners, calls)
        if not calls:
            return []
        made = self.types.erased(ROWS, "TableRows")
        head = shapes.signature("function childRows", [f"owners: {self.owner_type(self.root)}[]"], f"{made}[]")
        return [shapes.method(head, [*owners, f"return {shapes.listed(calls)};"])]

    def functions(self) -> list[str]:
        return list(self.entity_functions(self.root))

    def names(self, entity: Entity) -> list[tuple[str, ...]]:
        """The paths of what lies below an entity."""
        return [item.path for item in entity.tables.collections] + [(item.containment,) for item in entity.tables.parts]

    def entity_loads(self, entity: Entity, rows: str) -> list[str]:
        """The children of all rows, one query a table."""
        names = self.names(entity)
        if not names:
            return []
        ids = f"const ids = {rows}.map((row) => row.id);"
        return [ids, *[f"const {self.found(name)} = await {entity.named('load', *name)}(db, ids);" for name in names]]

    def found(self, path: Sequence[str]) -> str:
        return joined("found", *path)

    def entity_collections(self, entity: Entity, owner: str) -> dict[tuple[str, ...], Code]:
        return self.held(entity.tables.collections, owner)

    def held(self, collections: Iterable[CollectionTable], key: str) -> dict[tuple[str, ...], Code]:
        """What was found of collections for the owner or the element that has `key`, by their paths."""
        return {
            item.path: shapes.infix("??", shapes.COALESCE, [f"{self.found(item.path)}.get({key})", "[]"])
            for item in collections
        }

    def entity_parts(self, entity: Entity, owner: str) -> list[str]:
        return [shapes.member(item.containment, self.part_read(item, owner)) for item in entity.tables.parts]

    def part_read(self, item: PartTables, owner: str) -> Code:
        found = f"{self.found([item.containment])}.get({owner})"
        if item.many:
            return shapes.infix("??", shapes.COALESCE, [found, "[]"])
        if item.optional:
            return shapes.infix("??", shapes.COALESCE, [f"{found}?.at(0)", "null"])
        return shapes.atom(f"{self.need(ROWS, 'onlyChild')}({found})")

    def entity_rows(self, entity: Entity, source: str, owners: list[str], calls: list[str]) -> None:
        """Adds the rows of each table below an entity, whose instances `source` names, and who their owners are."""
        for each in placed(entity.tables.collections):
            table = each.last.table
            key = [named_key(table, name) for name in table.primary_key]
            calls.append(self.table_rows(table, key, f"{entity.rows_of(*each.path)}({source})"))
        for part in entity.tables.parts:
            calls.append(self.table_rows(part.tables.table, ["id"], f"{entity.rows_of(part.containment)}({source})"))
            below = self.part_entity(entity, part)
            if self.names(below):
                name = joined("all", *below.path)
                owners.append(self.instances(name, part, source))
                self.entity_rows(below, name, owners, calls)

    def table_rows(self, table: TablePlan, key: Sequence[str], rows: str) -> str:
        made = self.need(ROWS, "tableRows")
        return shapes.call(made, [self.table(table_constant(table)), shapes.listed(map(spelling.quoted, key)), rows])

    def instances(self, name: str, part: PartTables, source: str) -> str:
        """All parts of one kind."""
        if not part.many and not part.optional:
            return f"const {name} = {source}.map((owner) => owner.{part.containment});"
        return f"const {name} = {source}.flatMap((owner) => {self.part_children(part)});"

    def entity_functions(self, entity: Entity) -> Iterator[str]:
        for each in placed(entity.tables.collections):
            yield self.load_collection(entity, each)
            yield self.collection_rows(entity, each)
        for part in entity.tables.parts:
            below = self.part_entity(entity, part)
            yield self.load_part(entity, part, below)
            yield self.part_rows(entity, part, below)
            yield from self.entity_functions(below)

    def load(self, entity: Entity, path: Sequence[str], key: str, child: str, body: Sequence[str]) -> str:
        parameters = ["db: Connection", f"owners: {entity.id_type}[]"]
        self.types.erased(IDS, entity.id_type)
        returns = f"Promise<Map<{key}, {child}[]>>"
        return shapes.method(
            shapes.signature(f"async function {entity.named('load', *path)}", parameters, returns), body
        )

    def select(self, table: str, owner: str, order: str) -> str:
        within, asc = self.need(_DRIZZLE, "inArray"), self.need(_DRIZZLE, "asc")
        where = f".where({within}({table}.{owner}, owners)).orderBy({asc}({table}.{order}))"
        return f"const rows = await db.select().from({table}){where};"

    def grouped(self, key: str, made: str) -> str:
        group = self.need(ROWS, "groupedBy")
        read = "row" if made != "({})" else ""
        return f"return {group}(rows, (row) => {key}, ({read}) => {made});"

    def table(self, name: str) -> str:
        return self.need(schema_module(self.plan.ref.context), name)

    def load_part(self, entity: Entity, part: PartTables, below: Entity) -> str:
        table = self.table(table_constant(part.tables.table))
        owner = named_key(part.tables.table, part.tables.owner_column)
        collections = self.entity_collections(below, "row.id")
        members = ["id: row.id", *Rows(part.tables.table).members(part.tables.members, collections)]
        literal = shapes.braces([*members, *self.entity_parts(below, "row.id")])
        body = [
            self.select(table, owner, "id"),
            *self.entity_loads(below, "rows"),
            self.grouped(f"row.{owner}", f"({literal})"),
        ]
        return self.load(entity, [part.containment], entity.id_type, self.part_type(part), body)

    def part_type(self, part: PartTables) -> str:
        return self.types.text(PartType(aggregate=self.plan.ref, name=part.part))

    def load_collection(self, entity: Entity, each: Placed) -> str:
        """By the owner, or by the element that holds it; what its elements hold is loaded for all owners as well."""
        item = each.last
        table, order = self.table(table_constant(item.table)), named_key(item.table, item.table.primary_key[-1])
        if item.kind is CollectionKind.REFERENCES:
            loads, made = list[str](), f"row.{order}"
        else:
            loads = self.inner_loads(entity, each)
            held = self.held(item.collections, element_key(item.table, item.table.primary_key))
            made = f"({shapes.braces(Rows(item.table).members(item.members, held))})"
        key = element_key(item.table, item.table.primary_key[:-1])
        owner = named_key(item.table, item.owner_column)
        body = [self.select(table, owner, order), *loads, self.grouped(key, made)]
        key_type = "string" if item.outer_ordinals else entity.id_type
        return self.load(entity, each.path, key_type, self.types.text(item.element), body)

    def inner_loads(self, entity: Entity, each: Placed) -> list[str]:
        return [
            f"const {self.found(inner.path)} = await {entity.named('load', *each.path, *inner.path)}(db, owners);"
            for inner in each.last.collections
        ]

    def rows_function(self, entity: Entity, path: Sequence[str], body: str) -> str:
        owners = f"owners: Pick<{self.owner_type(entity)}, 'id' | '{path[0]}'>[]"
        return shapes.method(f"function {entity.rows_of(*path)}({owners})", [body])

    def owner_type(self, entity: Entity) -> str:
        if not entity.path:
            return self.types.erased(domain_module(self.plan.ref), f"{spelling.type_name(self.plan.ref.name)}State")
        return self.types.text(PartType(aggregate=self.plan.ref, name=entity.part))

    def part_rows(self, entity: Entity, part: PartTables, below: Entity) -> str:
        owner = named_key(part.tables.table, part.tables.owner_column)
        is_only = not part.many and not part.optional
        child = f"owner.{part.containment}" if is_only else "child"
        stored = Rows(part.tables.table).written(part.tables.members, child)
        row = shapes.braces([f"id: {child}.id", f"{owner}: owner.id", *stored])
        if is_only:
            return self.rows_function(entity, [part.containment], f"return owners.map((owner) => ({row}));")
        made = f"{self.part_children(part)}.map((child) => ({row}))"
        return self.rows_function(entity, [part.containment], self.of_all(made))

    def of_all(self, made: str) -> str:
        return f"return owners.flatMap((owner) => {made});"

    def part_children(self, part: PartTables) -> str:
        value = f"owner.{part.containment}"
        return value if part.many else f"{self.need(ROWS, 'present')}({value})"

    def collection_rows(self, entity: Entity, each: Placed) -> str:
        item = each.last
        owner = f"{named_key(item.table, item.owner_column)}: owner.id"
        if item.kind is CollectionKind.REFERENCES:
            row = shapes.braces([owner, f"{named_key(item.table, item.target_column)}: element"])
            parameters = "element"
        else:
            members = Rows(item.table).written(item.members, "element")
            places = [named_key(item.table, name) for name in item.outer_ordinals]
            row = shapes.braces([owner, *places, "ordinal", *members])
            parameters = "element, ordinal" if members else "_element, ordinal"
        *around, last = self.sources(entity, each)
        made = f"{last}.map(({parameters}) => ({row}))"
        for source, (element, place) in reversed(list(zip(around, each.variables(), strict=True))):
            made = f"{source}.flatMap(({element}, {place}) => {made})"
        return self.rows_function(entity, each.path, self.of_all(made))

    def sources(self, entity: Entity, each: Placed) -> Iterator[str]:
        """Each collection on the way as it is reached from the one before it, the first from the owner."""
        holders = ["owner", *[element for element, _ in each.variables()]]
        members = [entity.tables.members, *[outer.members for outer in each.collections]]
        for item, holder, found in zip(each.collections, holders, members, strict=False):
            value, is_absent = reached(found, holder, item.path)
            yield f"({value} ?? [])" if is_absent else value


class Placed(NamedTuple):
    """A collection behind those that it lies in, outermost first."""

    collections: tuple[CollectionTable, ...]

    @property
    def last(self) -> CollectionTable:
        return self.collections[-1]

    @property
    def path(self) -> tuple[str, ...]:
        """Its place below the entity."""
        return tuple(name for item in self.collections for name in item.path)

    def variables(self) -> list[tuple[str, str]]:
        """What an element of each outer collection is called, and its place."""
        paths = [Placed(self.collections[: count + 1]).path for count in range(len(self.collections) - 1)]
        places = [named_key(self.last.table, name) for name in self.last.outer_ordinals]
        return [(joined(*path, "element"), place) for path, place in zip(paths, places, strict=True)]


def placed(collections: Iterable[CollectionTable], around: tuple[CollectionTable, ...] = ()) -> Iterator[Placed]:
    """These and what their elements hold."""
    for item in collections:
        yield Placed((*around, item))
        yield from placed(item.collections, (*around, item))


def element_key(table: TablePlan, columns: Sequence[str]) -> str:
    """What tells the row of an owner or of an element from others, in text where that takes several columns."""
    keys = [f"row.{named_key(table, name)}" for name in columns]
    return keys[0] if len(keys) == 1 else f"`{','.join(f'${{{key}}}' for key in keys)}`"
