"""The repository of an aggregate: reads by id, key and find, and saves as differences of rows.

In: an AggregatePlan. Out: a RepositoryView.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.queries import QueryRenderer, column, table_name
from loom.backends.python.code.reads import find_method, key_method
from loom.backends.python.index import Index
from loom.backends.python.modules.storage import Layout, RowMapper, all_tables, element_fields, target_column
from loom.backends.python.modules.usage import Reads
from loom.backends.python.text.formatting import quoted
from loom.backends.python.text.imports import import_lines
from loom.backends.python.views import MethodView, RepositoryView
from loom.ir.program import Parameter
from loom.ir.statements import Cardinality
from loom.ir.types import IdType, OptionalType, Type
from loom.plan.model import AggregatePlan, ContainmentPlan, FieldPlan, FindPlan, PartPlan
from loom.plan.storage import CollectionKind, CollectionTable, EntityTables, PartTables

PAGING = ("sort: str", "descending: bool", "limit: int", "offset: int")


def repository_view(index: Index, plan: AggregatePlan, reads: Reads) -> RepositoryView:
    return _Repository(index, plan, reads).view()


class _Repository:
    def __init__(self, index: Index, plan: AggregatePlan, reads: Reads) -> None:
        self.index = index
        self.plan = plan
        self.reads = reads
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
        self.mapper = RowMapper(index, self.needs)
        self.tables = f"app.persistence.{spelling.module_name(plan.ref.context)}.tables"
        self.kind = types.aggregate(plan.ref, self.needs)
        self.id = types.identifier(IdType(aggregate=plan.ref), self.needs)
        self.instance = spelling.instance_name(plan.ref.name)
        self.needs.update(f"{self.tables}:{table_name(table.name)}" for table in all_tables(plan.tables))

    def view(self) -> RepositoryView:
        table = table_name(self.plan.tables.table.name)
        methods = tuple(self.methods(table))
        deletes = self.plan.ref in self.index.deleted
        if deletes:
            self.needs.add("app.persistence.rows:delete_root")
        children = tuple(self.child_loads())
        loaded = self.loaded()
        functions = (*self.readers(self.plan, self.plan.tables), *self.writers())
        return RepositoryView(
            doc=f"Stores and finds {self.plan.ref.name}.",
            sorts=self.sorts(table),
            name=f"{self.kind}Repository",
            aggregate=self.kind,
            instance=self.instance,
            table=table,
            declared=quoted(self.plan.ref.name),
            missing=self.id,
            methods=methods,
            conflict_detail=quoted(self.plan.conflict_detail),
            deletes=deletes,
            children=children,
            loaded=loaded,
            functions=functions,
            imports=import_lines(self.imports()),
        )

    def imports(self) -> Iterator[str]:
        for need in self.needs:
            yield need if not need.startswith("@table:") else f"{self.tables}:{table_name(need[7:])}"

    def sorts(self, table: str) -> str:
        if not self.is_paged():
            return ""
        entries = (f"{quoted(wire)}: {column(table, name)}" for wire, name in self.plan.sorts)
        return f"SORTS = {{{', '.join(entries)}}}"

    def is_paged(self) -> bool:
        return self.plan.paged or any(find.cardinality is Cardinality.PAGE for find in self.plan.finds)

    def methods(self, table: str) -> Iterator[MethodView]:
        if self.reads.optional_by_id(self.plan.ref):
            yield self.find_by_id(table)
        yield from self.key_reads(table)
        if self.plan.paged and not any(find.name == "all" for find in self.plan.finds):
            yield self.page("page", (), f"select({table})", [])
        for find in self.plan.finds:
            yield self.find(find, table)
        if self.is_paged():
            self.needs.update({"sqlalchemy:func", "app.persistence.rows:ordering"})

    def find_by_id(self, table: str) -> MethodView:
        name = f"{self.instance.rstrip('_')}_id"
        return MethodView(
            head=f"async def find_by_id(self, {name}: {self.id}) -> {self.kind} | None:",
            body=(f"return await self._first(select({table}).where({table}.c.id == {name}))",),
        )

    def key_reads(self, table: str) -> Iterator[MethodView]:
        for key in self.plan.keys:
            parameters = tuple(
                f"{spelling.query_name(name)}: {types.annotation(kind, self.needs)}"
                for name, kind in zip(key.fields, key.types, strict=True)
            )
            conditions = ", ".join(self.key_condition(name, table) for name in key.fields)
            wanted = f"self._first(select({table}).where({conditions}))"
            head = f"async def {{}}(self, {', '.join(parameters)}) -> {self.kind}"
            if self.reads.key(self.plan.ref, key.fields, optional=True):
                name = key_method(key.fields, optional=True)
                yield MethodView(head=f"{head.format(name)} | None:", body=(f"return await {wanted}",))
            if self.reads.key(self.plan.ref, key.fields, optional=False):
                name = key_method(key.fields, optional=False)
                yield MethodView(
                    head=f"{head.format(name)}:",
                    body=self.must_find(wanted, key.missing_detail),
                )

    def key_condition(self, name: str, table: str) -> str:
        stored = next(item.name for item in self.plan.tables.table.columns if item.path == (name,))
        return f"{column(table, stored)} == {spelling.query_name(name)}"

    def must_find(self, wanted: str, detail: str) -> tuple[str, ...]:
        self.needs.add("app.errors:NotFoundError")
        return (
            f"found = await {wanted}",
            "if found is None:",
            f"    raise NotFoundError({quoted(detail)})",
            "return found",
        )

    def find(self, find: FindPlan, table: str) -> MethodView:
        renderer = QueryRenderer(self.index, self.plan.tables)
        renderer.needs = self.needs
        where = "" if find.where is None else f".where({renderer.truth(find.where)})"
        wanted = f"select({table}){where}"
        gates: list[str] = []
        for gate in find.requires:
            self.needs.add("app.errors:ForbiddenError")
            values = renderer.values()
            gates += [f"if {values.negated(gate.condition)}:", f"    raise ForbiddenError({quoted(gate.detail)})"]
        parameters = tuple(_parameters(find.parameters, self.needs))
        name = find_method(find.name)
        if find.cardinality is Cardinality.PAGE:
            return self.page(name, parameters, wanted, gates)
        return self.plain_find(find, f"async def {name}({', '.join(('self', *parameters))})", wanted, gates)

    def plain_find(self, find: FindPlan, head: str, wanted: str, gates: list[str]) -> MethodView:
        match find.cardinality:
            case Cardinality.MANY:
                table = table_name(self.plan.tables.table.name)
                load = f"return await self._load(wanted.order_by({table}.c.id))"
                return MethodView(head=f"{head} -> list[{self.kind}]:", body=(*gates, f"wanted = {wanted}", load))
            case Cardinality.OPTIONAL:
                return MethodView(
                    head=f"{head} -> {self.kind} | None:", body=(*gates, f"return await self._first({wanted})")
                )
            case _:
                lines = self.must_find(f"self._first({wanted})", find.missing_detail)
                return MethodView(head=f"{head} -> {self.kind}:", body=(*gates, *lines))

    def page(self, name: str, parameters: tuple[str, ...], wanted: str, gates: list[str]) -> MethodView:
        table = table_name(self.plan.tables.table.name)
        arguments = ", ".join(("self", *parameters, "*", *PAGING))
        return MethodView(
            head=f"async def {name}({arguments}) -> tuple[list[{self.kind}], int]:",
            body=(
                '"""One page, and how many there are on all pages together."""',
                *gates,
                f"wanted = {wanted}",
                "counted = select(func.count()).select_from(wanted.subquery())",
                "total = await self._work.session.scalar(counted)",
                f"order = ordering(SORTS[sort], {table}.c.id, descending=descending)",
                "ordered = wanted.order_by(*order)",
                "return await self._load(ordered.limit(limit).offset(offset)), total or 0",
            ),
        )

    def child_loads(self) -> Iterator[str]:
        """One query for each child table, whatever the number of aggregates."""
        yield from self.loads(self.plan.tables, '[row["id"] for row in rows]')

    def loads(self, entity: EntityTables, owners: str) -> Iterator[str]:
        for collection in entity.collections:
            yield self.load(collection.table.name, collection.owner_column, owners)
        for part in entity.parts:
            name = part.tables.table.name
            yield self.load(name, part.tables.owner_column, owners)
            if part.tables.parts or part.tables.collections:
                self.needs.add("app.persistence.rows:ids_of")
                yield from self.loads(part.tables, f"ids_of({_rows_of(name)})")

    def load(self, table: str, owner: str, owners: str) -> str:
        self.needs.add("app.persistence.rows:children_of")
        return f'{_rows_of(table)} = await children_of(session, {table_name(table)}, "{owner}", {owners})'

    def loaded(self) -> str:
        arguments = ["row", *self.nested_arguments(self.plan, self.plan.tables, "row")]
        return f"[{_reader(self.plan.ref.name)}({', '.join(arguments)}) for row in rows]"

    def nested_arguments(self, plan: AggregatePlan | PartPlan, entity: EntityTables, row: str) -> Iterator[str]:
        for collection in entity.collections:
            yield f"{spelling.member_name(collection.field)}={self.elements(plan, collection, row)}"
        for part in entity.parts:
            yield f"{spelling.member_name(part.containment)}={self.contained(plan, part, row)}"

    def elements(self, plan: AggregatePlan | PartPlan, collection: CollectionTable, row: str) -> str:
        rows = f'{_rows_of(collection.table.name)}[{row}["id"]]'
        if collection.kind is CollectionKind.REFERENCES:
            return f'[item["{target_column(collection)}"] for item in {rows}]'
        kind = _field(plan, collection.field).type
        inner = kind.of if isinstance(kind, OptionalType) else kind
        fields = element_fields(inner, self.index)
        layout = Layout(collection.table.columns, collection.groups)
        members = ", ".join(
            f"{spelling.member_name(item.name)}={self.mapper.read(item, layout, 'item')}" for item in fields
        )
        return f"[{types.annotation(_element(inner), self.needs)}({members}) for item in {rows}]"

    def contained(self, plan: AggregatePlan | PartPlan, part: PartTables, row: str) -> str:
        rows = f'{_rows_of(part.tables.table.name)}[{row}["id"]]'
        variable = f"{spelling.module_name(part.part).rstrip('_')}_row"
        nested = self.nested_arguments(self.part(part.part), part.tables, variable)
        made = f"{_reader(part.part)}({', '.join([variable, *nested])})"
        if part.many:
            return f"[{made} for {variable} in {rows}]"
        if part.optional:
            return f"next(({made} for {variable} in {rows}), None)"
        return f"next({made} for {variable} in {rows})"

    def part(self, name: str) -> PartPlan:
        return self.index.parts[self.plan.ref, name]

    def readers(self, plan: AggregatePlan | PartPlan, entity: EntityTables) -> Iterator[MethodView]:
        """A function that makes an instance of a row and of what hangs below it."""
        name = plan.ref.name if isinstance(plan, AggregatePlan) else plan.name
        kind = self.kind if isinstance(plan, AggregatePlan) else types.part(plan.aggregate, plan.name, self.needs)
        layout = Layout(entity.table.columns, entity.groups)
        below = {item.field for item in entity.collections}
        values = ['id=row["id"]']
        extra = []
        for item in plan.fields:
            member = spelling.member_name(item.name)
            values.append(f"{member}={member if item.name in below else self.mapper.read(item, layout, 'row')}")
            if item.name in below:
                extra.append(f"{member}: {types.annotation(_collection_type(item.type), self.needs)}")
        for containment in plan.containments:
            member = spelling.member_name(containment.name)
            values.append(f"{member}={member}")
            extra.append(f"{member}: {self.containment_annotation(containment)}")
        if isinstance(plan, AggregatePlan):
            values.append('version=row["version"]')
        keywords = f", *, {', '.join(extra)}" if extra else ""
        yield MethodView(
            head=f"def {_reader(name)}(row: RowMapping{keywords}) -> {kind}:",
            body=(f"return {kind}({', '.join(values)})",),
        )
        for part in entity.parts:
            yield from self.readers(self.part(part.part), part.tables)

    def containment_annotation(self, item: ContainmentPlan) -> str:
        kind = types.part(self.plan.ref, item.part, self.needs)
        if item.many:
            return f"list[{kind}]"
        return f"{kind} | None" if item.optional else kind

    def writers(self) -> Iterator[MethodView]:
        tables = list(self.row_lists(self.plan, self.plan.tables, self.instance, ""))
        entries = ", ".join(f"{name}: {rows}" for name, rows in tables)
        yield MethodView(
            head=f"def _rows({self.instance}: {self.kind}) -> RowSet:",
            body=(f"return {{{entries}}}",),
        )

    def row_lists(
        self, plan: AggregatePlan | PartPlan, entity: EntityTables, instance: str, loops: str
    ) -> Iterator[tuple[str, str]]:
        """Table constants with the rows that an aggregate has in them; `loops` reach the entity."""
        yield table_name(entity.table.name), self.rows(plan, entity, instance, loops)
        for collection in entity.collections:
            yield table_name(collection.table.name), self.collection_rows(plan, collection, instance, loops)
        for part in entity.parts:
            variable = spelling.local_name(part.part)
            source = f"{instance}.{spelling.member_name(part.containment)}"
            loop = f" for {variable} in {source if part.many else f'[{source}]'}"
            loop += f" if {variable} is not None" * part.optional
            yield from self.row_lists(self.part(part.part), part.tables, variable, loops + loop)

    def rows(self, plan: AggregatePlan | PartPlan, entity: EntityTables, instance: str, loops: str) -> str:
        entries = [f'"id": {instance}.id']
        if entity.owner_column:
            entries.append(f'"{entity.owner_column}": {_owner(loops)}.id')
        entries += self.mapper.row(Layout(entity.table.columns, entity.groups), plan.fields, instance)
        if isinstance(plan, AggregatePlan):
            entries.append(f'"version": {instance}.version')
        return f"[{{{', '.join(entries)}}}{loops}]"

    def collection_rows(
        self, plan: AggregatePlan | PartPlan, collection: CollectionTable, instance: str, loops: str
    ) -> str:
        field = _field(plan, collection.field)
        source = f"{instance}.{spelling.member_name(field.name)}"
        if isinstance(field.type, OptionalType):
            source = f"({source} or [])"
        owner = f'"{collection.owner_column}": {instance}.id'
        if collection.kind is CollectionKind.REFERENCES:
            return f'[{{{owner}, "{target_column(collection)}": item}}{loops} for item in dict.fromkeys({source})]'
        fields = element_fields(field.type, self.index)
        entries = self.mapper.row(Layout(collection.table.columns, collection.groups), fields, "item")
        members = ", ".join([owner, '"ordinal": ordinal', *entries])
        return f"[{{{members}}}{loops} for ordinal, item in enumerate({source})]"


def _owner(loops: str) -> str:
    """The instance that the last loop runs through."""
    return loops.rsplit(" in ", 1)[1].removeprefix("[").split(".")[0]


def _rows_of(table: str) -> str:
    return f"{spelling.module_name(table).rstrip('_')}_rows"


def _reader(name: str) -> str:
    """The function that makes what is called `name` of a row, apart from the one that makes rows."""
    spelled = f"_{spelling.module_name(name).rstrip('_')}"
    return f"{spelled}_" if spelled == "_rows" else spelled


def _field(plan: AggregatePlan | PartPlan, name: str) -> FieldPlan:
    return next(item for item in plan.fields if item.name == name)


def _collection_type(kind: Type) -> Type:
    return kind.of if isinstance(kind, OptionalType) else kind


def _element(kind: Type) -> Type:
    inner = getattr(kind, "of", None)
    if inner is None:
        raise TypeError("not a collection")
    element: Type = inner
    return element


def _parameters(parameters: Iterable[Parameter], needs: set[str]) -> Iterator[str]:
    for item in parameters:
        yield f"{spelling.query_name(item.name)}: {types.annotation(item.type, needs)}"
