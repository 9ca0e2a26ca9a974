"""The repository of an aggregate: reads with a constant number of queries, saves as differences.

In: an AggregatePlan. Out: the view of its repository module.
Never: conditions of its own (queries.py) or the meaning of a failure (src/db/errors.ts).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.backends.node import spelling
from loom.backends.node.code.renderer import NodeRenderer
from loom.backends.node.code.steps import ERRORS, Steps
from loom.backends.node.code.types import Types
from loom.backends.node.database.children import Children
from loom.backends.node.database.queries import Queries
from loom.backends.node.database.rows import Rows
from loom.backends.node.database.schema import named_key, schema_module, table_constant
from loom.backends.node.domain import imports_of, typed
from loom.backends.node.model import Model
from loom.backends.node.spelling import domain_module, file_name, joined, local_name, quoted, type_name
from loom.backends.node.text import shapes
from loom.backends.node.views import RepositoryView
from loom.ir.statements import Cardinality, ReadKind
from loom.ir.types import Ref
from loom.plan.model import AggregatePlan, FindPlan, KeyPlan
from loom.plan.names import AGGREGATE_LOADED, FIND_EXECUTED, REPOSITORY_SAVE
from loom.plan.unplanned import unplanned

_DRIZZLE = "drizzle-orm"
_CLIENT = "src/db/client"
# What a repository's class has besides its finds; these names are reserved in the language or escaped here.
_TAKEN = frozenset({"db", "events", "page", "constructor"})

# Fields that a constructor declares stand on lines of their own as soon as there are two.
_EVENTFUL = """constructor(
    private readonly db: Connection,
    private readonly events: EventDispatcher,
  ) {}"""


def repository_module(aggregate: Ref) -> str:
    return f"src/db/{spelling.context_folder(aggregate)}/{file_name(aggregate.name)}-repository"


def repository_class(aggregate: Ref) -> str:
    return f"{type_name(aggregate.name).removesuffix('_')}Repository"


def find_method(name: str) -> str:
    return f"{name}_" if name in _TAKEN else name


def key_method(fields: Sequence[str], *, optional: bool) -> str:
    return joined("findBy" if optional else "getBy", *fields)


def read_method(kind: ReadKind, name: str, key: Sequence[str], cardinality: Cardinality) -> str:
    """The method behind a read of a workflow."""
    optional = cardinality is Cardinality.OPTIONAL
    match kind:
        case ReadKind.BY_ID:
            return "findById" if optional else "getById"
        case ReadKind.BY_KEY:
            return key_method(key, optional=optional)
        case ReadKind.FIND:
            return find_method(name)
        case ReadKind.CRITERION | ReadKind.RETRIEVAL | ReadKind.INLINE | ReadKind.ALL:
            unplanned(kind)


def repository_view(model: Model, plan: AggregatePlan) -> RepositoryView:
    return _Repository(model, plan).view()


class _Repository:
    def __init__(self, model: Model, plan: AggregatePlan) -> None:
        self.plan = plan
        self.renderer = NodeRenderer(model)
        self.types = Types(self.renderer.needs)
        self.need(repository_module(plan.ref), repository_class(plan.ref))
        self.name = type_name(plan.ref.name)
        self.subject = spelling.instance_name(plan.ref.name)
        self.table = self.need(schema_module(plan.ref.context), table_constant(plan.tables.table))
        self.rows = Rows(plan.tables.table)
        self.children = Children(self.renderer, plan)
        self.id_type = self.types.identifier(plan.ref)

    def need(self, module: str, name: str) -> str:
        return self.renderer.need(module, name)

    def drizzle(self, name: str) -> str:
        return self.need(_DRIZZLE, name)

    def view(self) -> RepositoryView:
        self.needs()
        methods = [self.get_by_id(), self.find_by_id()]
        if self.plan.is_listed:
            methods.append(self.page("page", [], []))
        methods += [self.find(item) for item in self.plan.finds]
        methods += [text for key in self.plan.keys for text in self.key(key)]
        methods.append(self.save())
        if self.plan.is_deleted:
            methods.append(self.delete())
        functions = [self.selection(), *self.reads(), self.assembled(), self.save_root(), *self.children.functions()]
        return RepositoryView(
            name=repository_class(self.plan.ref),
            start=_EVENTFUL if self.plan.emits else "constructor(private readonly db: Connection) {}",
            items=tuple(self.constants()),
            methods=tuple(map(shapes.indented, methods)),
            functions=(*functions, *self.children.rows()),
            imports=imports_of(repository_module(self.plan.ref), self.renderer),
        )

    def reads(self) -> list[str]:
        """The functions behind the reads, those that something calls."""
        kinds = {item.cardinality for item in self.plan.finds}
        found = [self.load_first()]
        if Cardinality.MANY in kinds:
            found.insert(0, self.load())
        if self.plan.sorts:
            found.append(self.load_page())
        return found

    def needs(self) -> None:
        self.types.erased(_CLIENT, "Connection")
        if self.plan.emits:
            self.types.erased("src/events/dispatcher", "EventDispatcher")
        self.types.erased(_DRIZZLE, "SQL")
        self.need(domain_module(self.plan.ref), self.name)

    def constants(self) -> Iterator[str]:
        """What a page may be sorted by, and the states that are saved as differences."""
        columns = [f"{wire}: {self.column(column)}," for wire, column in self.plan.sorts]
        if columns:
            yield f"export const SORTABLE = {shapes.braced(columns)};"
        if self.has_children():
            kept = f"const STORED = new WeakMap<{self.name}, {self.children.owner_type(self.children.root)}>();"
            yield f"/** States as the database has them: what is saved is the difference. */\n{kept}"

    def get_by_id(self) -> str:
        error = self.need(ERRORS, "AggregateNotFoundError")
        detail = self.plan.missing_detail.replace("{id}", "${id}")
        return shapes.method(
            f"async getById(id: {self.id_type}): Promise<{self.name}>",
            [
                "const found = await this.findById(id);",
                shapes.block("if (found === null)", [f"throw new {error}(`{detail}`);"]),
                self.told(AGGREGATE_LOADED, "id"),
                "return found;",
            ],
        )

    def told(self, event: str, *fields: str) -> str:
        """A line of the log for those who look closely."""
        log = self.need("src/observability/log", "log")
        named = [f"event: {quoted(event)}", f"aggregate: {quoted(self.plan.ref.name)}", *fields]
        return f"{log}.debug({shapes.braces(named)});"

    def find_by_id(self) -> str:
        eq = self.drizzle("eq")
        return shapes.method(
            shapes.signature("findById", [f"id: {self.id_type}"], f"Promise<{self.name} | null>"),
            [f"return {self.first([f'{eq}({self.table}.id, id)'])};"],
        )

    def first(self, where: list[str]) -> str:
        return shapes.call("loadFirst", ["this.db", *where])

    def find(self, plan: FindPlan) -> str:
        renderer = self.renderer.at("this", {item.name: local_name(item.name) for item in plan.parameters})
        parameters = typed(plan.parameters, self.types, plan.requires, plan.where)
        queries = Queries(renderer, self.column, self.join)
        where: list[str] = [] if plan.where is None else [queries.truth(plan.where)]
        name = find_method(plan.name)
        before = [
            *Steps(renderer).checks("authorize", plan.requires),
            self.told(FIND_EXECUTED, f"find: {quoted(plan.name)}"),
        ]
        match plan.cardinality:
            case Cardinality.MANY:
                body: list[str] = [*before, f"return {shapes.call('load', ['this.db', *where])};"]
                return shapes.method(shapes.signature(name, parameters, f"Promise<{self.name}[]>"), body)
            case Cardinality.PAGE:
                return self.page(name, parameters, where, before)
            case Cardinality.OPTIONAL:
                body = [*before, f"return {self.first(where)};"]
                return shapes.method(shapes.signature(name, parameters, f"Promise<{self.name} | null>"), body)
            case Cardinality.ONE:
                return self.one(name, parameters, self.first(where), plan.missing_detail, before)

    def one(self, name: str, parameters: list[str], read: str, detail: str, before: Sequence[str] = ()) -> str:
        """A method that refuses when `read` finds nothing."""
        error = self.need(ERRORS, "NotFoundError")
        found = "loaded" if any(_is_called(item, "found") for item in parameters) else "found"
        return shapes.method(
            shapes.signature(f"async {name}", parameters, f"Promise<{self.name}>"),
            [
                *before,
                f"const {found} = await {read};",
                shapes.block(f"if ({found} === null)", [f"throw new {error}({quoted(detail)});"]),
                f"return {found};",
            ],
        )

    def key(self, plan: KeyPlan) -> list[str]:
        """The methods by a key that a workflow calls; the one that refuses absence asks the other where both are."""
        parameters = [f"{local_name(item.name)}: {self.types.text(item.type)}" for item in plan.parameters]
        conditions: list[str] = [
            shapes.call(self.drizzle("eq"), [f"{self.table}.{name}", local_name(name)]) for name in plan.fields
        ]
        where = conditions[0] if len(conditions) == 1 else shapes.call(self.drizzle("and"), conditions)
        find, get = (key_method(plan.fields, optional=optional) for optional in (True, False))
        optional = shapes.signature(find, parameters, f"Promise<{self.name} | null>")
        read = self.first([where])
        methods: list[str] = []
        if plan.is_found:
            methods.append(shapes.method(optional, [f"return {read};"]))
            read = shapes.call(f"this.{find}", [local_name(name) for name in plan.fields])
        if plan.is_required:
            methods.append(self.one(get, parameters, read, plan.missing_detail))
        return methods

    def page(self, name: str, parameters: list[str], where: list[str], before: Sequence[str] = ()) -> str:
        asked = "asked" if any(_is_called(item, "request") for item in parameters) else "request"
        request = f"{asked}: {self.types.erased('src/db/paging', 'PageRequest')}<keyof typeof SORTABLE>"
        returns = f"Promise<{{ items: {self.name}[]; total: number }}>"
        body: list[str] = [*before, f"return {shapes.call('loadPage', ['this.db', asked, *where])};"]
        return shapes.method(shapes.signature(name, [*parameters, request], returns), body)

    def column(self, name: str) -> str:
        return f"{self.table}.{named_key(self.plan.tables.table, name)}"

    def join(self, field: str) -> str:
        """A condition on the ids that a collection holds, as a template with a hole for the id."""
        item = self.plan.tables.collection(field)
        table = self.need(schema_module(self.plan.ref.context), table_constant(item.table))
        owner, target = (named_key(item.table, name) for name in (item.owner_column, item.target_column))
        return (
            f"EXISTS (SELECT FROM ${{{{{table}}}}} WHERE ${{{{{table}.{owner}}}}} = ${{{{{self.table}.id}}}}"
            f" AND ${{{{{table}.{target}}}}} = {{0}})"
        )

    def save(self) -> str:
        head = f"async save({self.subject}: {self.name}): Promise<void>"
        told = self.told(REPOSITORY_SAVE, f"id: {self.subject}.state.id")
        if not self.has_children():
            return shapes.method(head, [f"await saveRoot(this.db, {self.subject});", told, *self.dispatched()])
        changes = self.need("src/db/rows", "saveChanges")
        writes: list[str] = [
            f"await saveRoot(tx, {self.subject});",
            f"await {changes}(tx, childRows(before), childRows([{self.subject}.state]));",
        ]
        before = f"const before = {self.need('src/db/rows', 'present')}(STORED.get({self.subject}) ?? null);"
        saved = f"await this.db.transaction(async (tx) => {shapes.braced(writes)});"
        return shapes.method(head, [before, saved, self.remembered(), told, *self.dispatched()])

    def remembered(self) -> str:
        return f"STORED.set({self.subject}, {{ ...{self.subject}.state }});"

    def has_children(self) -> bool:
        return bool(self.children.names(self.children.root))

    def dispatched(self) -> list[str]:
        return [f"await this.events.dispatch({self.subject}.events.splice(0));"] if self.plan.emits else []

    def delete(self) -> str:
        eq, both = self.drizzle("eq"), self.drizzle("and")
        where = shapes.call(both, [f"{eq}({self.table}.id, id)", f"{eq}({self.table}.version, version)"])
        stale = self.need(ERRORS, "VersionConflictError")
        conflict = self.need(ERRORS, "ConflictError")
        violated = self.need("src/db/errors", "isForeignKeyViolation")
        detail = self.plan.conflict_detail
        attempt: list[str] = [
            f"const {{ rowCount }} = await this.db.delete({self.table}).where({where});",
            shapes.block("if (rowCount === 0)", ["await this.getById(id);", f"throw new {stale}();"]),
        ]
        failure: list[str] = [
            shapes.block(f"if (!{violated}(error))", ["throw error;"]),
            f"throw new {conflict}({quoted(detail)});",
        ]
        guarded = shapes.block(f"{shapes.block('try', attempt)} catch (error)", failure)
        return shapes.method(
            f"async delete({self.subject}: {self.name}): Promise<void>",
            [
                f"const {{ id, version }} = {self.subject}.state;",
                guarded,
                *self.dispatched(),
            ],
        )

    def save_root(self) -> str:
        eq, both, table = self.drizzle("eq"), self.drizzle("and"), self.table
        stale = self.need(ERRORS, "VersionConflictError")
        row = ["id: state.id", *self.rows.written(self.plan.tables.members, "state"), "version: state.version + 1"]
        where = shapes.call(both, [f"{eq}({table}.id, state.id)", f"{eq}({table}.version, state.version)"])
        update: list[str] = [
            f"const {{ rowCount }} = await tx.update({table}).set(row).where({where});",
            shapes.block("if (rowCount === 0)", [f"throw new {stale}();"]),
        ]
        insert: list[str] = [f"await tx.insert({table}).values(row);"]
        branches = shapes.block(f"{shapes.block('if (state.version === 0)', insert)} else", update)
        return shapes.method(
            shapes.signature(
                "async function saveRoot", ["tx: Connection", f"{{ state }}: {self.name}"], "Promise<void>"
            ),
            [
                f"const row = {shapes.braces(row)};",
                branches,
                "state.version = row.version;",
            ],
        )

    def selection(self) -> str:
        asc = self.drizzle("asc")
        links = f".select().from({self.table}).where(where).orderBy({asc}({self.table}.id))"
        return shapes.method("function selection(db: Connection, where?: SQL)", [f"return db{links};"])

    def load(self) -> str:
        return shapes.method(
            shapes.signature("async function load", ["db: Connection", "where?: SQL"], f"Promise<{self.name}[]>"),
            ["const rows = await selection(db, where);", f"return {self.assembly().removeprefix('await ')};"],
        )

    def load_first(self) -> str:
        """Of several that match, the one with the smallest id."""
        parameters = ["db: Connection", "where?: SQL"]
        return shapes.method(
            shapes.signature("async function loadFirst", parameters, f"Promise<{self.name} | null>"),
            [
                "const rows = await selection(db, where).limit(1);",
                f"const [found] = {self.assembly()};",
                "return found ?? null;",
            ],
        )

    def load_page(self) -> str:
        asc, desc, count = self.drizzle("asc"), self.drizzle("desc"), self.drizzle("count")
        counting = f".select({{ total: {count}() }}).from({self.table}).where(where)"
        order = f".orderBy(order(SORTABLE[sort]), {asc}({self.table}.id))"
        links = f".select().from({self.table}).where(where){order}.limit(pageSize).offset((page - 1) * pageSize)"
        pages = self.types.erased("src/db/paging", "PageRequest")
        parameters = [
            "db: Connection",
            f"{{ page, pageSize, sort, dir }}: {pages}<keyof typeof SORTABLE>",
            "where?: SQL",
        ]
        return shapes.method(
            shapes.signature(
                "async function loadPage", parameters, f"Promise<{{ items: {self.name}[]; total: number }}>"
            ),
            [
                f"const order = dir === 'desc' ? {desc} : {asc};",
                f"const [counted] = await db{counting};",
                f"const rows = await db{links};",
                f"return {{ items: {self.assembly()}, total: counted?.total ?? 0 }};",
            ],
        )

    def assembled(self) -> str:
        """Rows as aggregates, with everything that they contain."""
        loads = self.children.loads("rows")
        members = [
            "id: row.id",
            *self.rows.members(self.plan.tables.members, self.children.collections("row.id")),
            *self.children.parts("row.id"),
            "version: row.version",
        ]
        mapped = f"rows.map((row) => new {self.name}({shapes.braces(members)}))"
        parameters = ["db: Connection", f"rows: (typeof {self.table}.$inferSelect)[]"]
        if not loads:
            return shapes.method(
                shapes.signature("function assembled", parameters[1:], f"{self.name}[]"), [f"return {mapped};"]
            )
        remembered = shapes.block(f"for (const {self.subject} of found)", [self.remembered()])
        head = shapes.signature("async function assembled", parameters, f"Promise<{self.name}[]>")
        return shapes.method(head, [*loads, f"const found = {mapped};", remembered, "return found;"])

    def assembly(self) -> str:
        """The call of `assembled`, which asks the database only when there are children."""
        return "await assembled(db, rows)" if self.has_children() else "assembled(rows)"


def _is_called(parameter: str, name: str) -> bool:
    return parameter.startswith(f"{name}: ")
