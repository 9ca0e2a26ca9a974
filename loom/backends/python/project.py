"""All files of one service's project.

In: a ServicePlan and the lock of its dependencies. Out: files, as `ruff format` leaves them.
Never: a decision that a client or the database could notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.facts import PORT
from loom.backends.python.lint import broken_rules
from loom.backends.python.modules.domain import DomainClasses, enum_class, id_lines, module_function, record_class
from loom.backends.python.modules.messages import Messages, messages_module, routes_file, values_module
from loom.backends.python.modules.repositories import Repository
from loom.backends.python.modules.routes import AggregateRoutes, request_classes
from loom.backends.python.modules.storage import table_lines
from loom.backends.python.modules.unit_tests import test_functions
from loom.backends.python.modules.workflows import WorkflowRoutes
from loom.backends.python.runtime import runtime_files
from loom.backends.python.text.blocks import Class, Function
from loom.backends.python.text.imports import import_lines
from loom.backends.python.text.shapes import quoted
from loom.backends.python.text.statements import laid_out
from loom.backends.python.views import ApplicationView, DatabaseView, ModuleView, ProjectView
from loom.emit.backend import DepsLock, File
from loom.emit.index import ServiceIndex
from loom.emit.project import contract, probe_options, settings_rows
from loom.emit.templates import View, render
from loom.ir.types import PartType, Ref, ValueObjectType
from loom.plan.model import (
    AggregatePlan,
    ContextPlan,
    RecordPlan,
    ServicePlan,
    SharedPlan,
    ValueObjectPlan,
)
from loom.plan.storage import all_tables

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
P = TypeVar("P")
ROUTER = "router = APIRouter(route_class=JsonRoute)"


def files(plan: ServicePlan, lock: DepsLock) -> Iterator[File]:
    """The project of `plan`."""
    emitted = list(_Project(plan).python())
    runtime = list(runtime_files([file.text for file in emitted]))
    yield from emitted
    yield from runtime
    yield from _packages([*emitted, *runtime])
    yield from _data(plan, lock, broken_rules(file.text for file in emitted))


def _packages(written: list[File]) -> Iterator[File]:
    """What makes a package of each folder of the application that is none yet."""
    paths = {file.path for file in written}
    folders = {path.rpartition("/")[0] for path in paths if path.startswith("app/") and path.endswith(".py")}
    for path in sorted(f"{folder}/__init__.py" for folder in folders):
        if path not in paths:
            yield File(path=path, text="")


class _Project:
    def __init__(self, plan: ServicePlan) -> None:
        self.plan = plan
        self.index = ServiceIndex(plan)

    def python(self) -> Iterator[File]:
        yield from self.ids()
        yield from self.shared()
        for context in self.plan.contexts:
            yield from self.domain(context)
            yield from self.persistence(context)
            yield from self.http(context)
        yield from self.workflows()
        doc = "What the model says of the service as a whole."
        yield module("app.service", doc, set(), lines=service_lines(self.plan))
        yield python_file("app/application.py", "app/application.py.j2", self.application())
        yield python_file("app/persistence/database.py", "app/persistence/database.py.j2", self.database())
        yield from self.tests()

    def ids(self) -> Iterator[File]:
        """Ids by context, also of contexts that live elsewhere."""
        kinds = self.index.id_types
        for context in sorted({kind.aggregate.context for kind in kinds}):
            needs: set[str] = set()
            own = [kind for kind in kinds if kind.aggregate.context == context]
            lines = id_lines(sorted(own, key=types.id_name), needs)
            yield module(f"{types.folder(context)}.ids", f"Ids of {context}.", needs, lines=lines)

    def shared(self) -> Iterator[File]:
        shared = self.plan.shared
        yield from self.values_declared("", shared)
        yield from self.values("", shared.value_objects, ())
        if shared.functions:
            needs: set[str] = set()
            renderer = PythonRenderer(self.index, needs)
            named = ((spelling.function_name(item.name), item) for item in shared.functions)
            functions = tuple(module_function(name, item, renderer) for name, item in named)
            home = f"{types.folder('')}.functions"
            yield module(home, "Functions that every context may use.", needs, functions=functions)

    def values_declared(self, context: str, declared: ContextPlan | SharedPlan) -> Iterator[File]:
        """Enums and value objects."""
        yield from _classes("enums", context, enum_class, declared.enums)
        yield from _classes("value_objects", context, self.value_object, declared.value_objects)

    def value_object(self, plan: ValueObjectPlan, needs: set[str]) -> Class:
        return DomainClasses(self.index, needs).value_object(plan)

    def domain(self, context: ContextPlan) -> Iterator[File]:
        yield from self.values_declared(context.name, context)
        yield from _classes("events", context.name, record_class, context.events)
        yield from _classes("commands", context.name, record_class, context.records)
        for aggregate in context.aggregates:
            yield self.aggregate(aggregate)

    def aggregate(self, plan: AggregatePlan) -> File:
        domain = DomainClasses(self.index, set())
        classes = (*map(domain.part, plan.parts), domain.aggregate(plan))
        home = types.aggregate_module(plan.ref)
        return module(home, f"The aggregate {plan.ref.name}.", domain.needs, classes=classes)

    def persistence(self, context: ContextPlan) -> Iterator[File]:
        if not context.aggregates:
            return
        folder = f"app/persistence/{spelling.folder_name(context.name)}"
        needs: set[str] = set()
        tables = [table for aggregate in context.aggregates for table in all_tables(aggregate.tables)]
        lines = [f'metadata = MetaData(schema="{context.schema_name}")']
        lines += [line for table in tables for line in ("", *table_lines(table, needs))]
        home, doc = f"{folder.replace('/', '.')}.tables", f"Tables of {context.name}; the migrations make them."
        yield module(home, doc, needs, lines=tuple(lines))
        for aggregate in context.aggregates:
            name = spelling.module_name(aggregate.ref.name).rstrip("_")
            yield self.repository(aggregate, f"app.persistence.{spelling.folder_name(context.name)}.{name}_repository")

    def repository(self, plan: AggregatePlan, home: str) -> File:
        found = Repository(self.index, plan)
        classes, functions, lines = (found.repository_class(),), found.functions(), tuple(found.sorts())
        doc = f"Stores and finds {plan.ref.name}."
        return module(home, doc, found.needs, lines=lines, classes=classes, functions=functions)

    def http(self, context: ContextPlan) -> Iterator[File]:
        yield from self.values(context.name, context.value_objects, self.index.answered_records(context))
        for aggregate in context.aggregates:
            yield self.messages(aggregate)
            routes = AggregateRoutes(self.index, aggregate)
            functions = tuple(routes.functions())
            home = f"app.http.{routes_file(aggregate.ref)}"
            doc = f"Routes of {aggregate.ref.name}."
            yield module(home, doc, routes.needs, lines=(ROUTER,), functions=functions)

    def values(
        self, context: str, plans: tuple[ValueObjectPlan, ...], records: tuple[RecordPlan, ...]
    ) -> Iterator[File]:
        """JSON forms of the value objects that travel, and of the records that are answered."""
        home = values_module(context)
        messages = Messages(self.index, home)
        kinds = {item: ValueObjectType(ref=item.ref) for item in plans}
        classes = [messages.value_input(item) for item, kind in kinds.items() if kind in self.index.requested]
        functions = [
            messages.json_view(item.ref.name, types.value_object(item.ref, messages.needs), item.members)
            for item, kind in kinds.items()
            if kind in self.index.answered
        ]
        functions += [
            messages.json_view(item.ref.name, types.record(item.ref, messages.needs), item.members) for item in records
        ]
        if classes or functions:
            doc = f"JSON forms of the values of {title(context)}."
            yield module(home, doc, messages.needs, classes=tuple(classes), functions=tuple(functions))

    def messages(self, plan: AggregatePlan) -> File:
        home = messages_module(plan.ref)
        messages = Messages(self.index, home)
        parts = plan.parts
        inputs = [messages.part_input(item) for item in parts if part_type(plan.ref, item.name) in self.index.requested]
        classes = [*inputs, *request_classes(plan, messages)]
        kind = types.aggregate(plan.ref, messages.needs)
        functions = [messages.json_view(plan.ref.name, kind, plan.members)]
        for item in parts:
            if part_type(plan.ref, item.name) in self.index.answered:
                name = types.part(plan.ref, item.name, messages.needs)
                functions.append(messages.json_view(item.name, name, item.members))
        doc = f"JSON forms of {plan.ref.name} and of what is asked of it."
        return module(home, doc, messages.needs, classes=tuple(classes), functions=tuple(functions))

    def workflows(self) -> Iterator[File]:
        routes = WorkflowRoutes(self.index)
        plans = [plan for context in self.plan.contexts for plan in context.workflows]
        classes: list[Class] = []
        functions: list[Function] = []
        for plan in plans:
            classes += routes.classes(plan)
            functions += routes.functions(plan)
        if functions:
            doc = "Workflows, each with its route."
            home = "app.http.workflows_routes"
            yield module(home, doc, routes.needs, lines=(ROUTER,), classes=tuple(classes), functions=tuple(functions))

    def application(self) -> ApplicationView:
        modules = [routes_file(aggregate.ref) for context in self.plan.contexts for aggregate in context.aggregates]
        if any(context.workflows for context in self.plan.contexts):
            modules.append("workflows_routes")
        needs = {
            "pathlib:Path",
            "fastapi:FastAPI",
            "app.http:infrastructure",
            "app.http.cross_origin:CrossOriginMiddleware",
            "app.http.head:answer_head",
            "app.http.middleware:RequestFrameMiddleware",
            "app.http.problems:install_problem_handlers",
            "app.persistence.database:Database",
            "app.settings:Settings",
            *(f"app.http:{name}" for name in modules),
        }
        return ApplicationView(imports=import_lines(needs), routers=tuple(f"{name}.router" for name in modules))

    def database(self) -> DatabaseView:
        workflows = [plan for context in self.plan.contexts for plan in context.workflows]
        creates = [create for plan in workflows for create in plan.creates]
        return DatabaseView.of(
            emits=any(create.emits for create in creates),
            isolates=any(create.isolation for create in creates),
        )

    def tests(self) -> Iterator[File]:
        suites = self.index.suites
        names = [suite.subject.name or suite.subject.context for suite in suites]
        files = spelling.distinct(tuple(f"test_{spelling.module_name(name).rstrip('_')}" for name in names))
        for file_name, name, suite in zip(files, names, suites, strict=True):
            if suite.tests:
                needs: set[str] = set()
                functions = tuple(test_functions(self.index, suite.tests, needs))
                yield module(f"tests.{file_name}", f"What {title(name)} must do.", needs, functions=functions)


def _classes(kind: str, context: str, made: Callable[[P, set[str]], Class], plans: tuple[P, ...]) -> Iterator[File]:
    """The module of a context that holds one kind of classes, where there are any."""
    if plans:
        needs: set[str] = set()
        classes = tuple(made(plan, needs) for plan in plans)
        doc = f"{kind.replace('_', ' ').capitalize()} of {title(context)}."
        yield module(f"{types.folder(context)}.{kind}", doc, needs, classes=classes)


def module(
    home: str,
    doc: str,
    needs: set[str],
    *,
    lines: tuple[str, ...] = (),
    classes: tuple[Class, ...] = (),
    functions: tuple[Function, ...] = (),
) -> File:
    """The module called `home`; it does not import what it declares itself."""
    imports = import_lines(need for need in needs if need.partition(":")[0] != home)
    view = ModuleView(
        doc=doc,
        imports=imports,
        lines="\n".join(laid_out(line, 0) for line in lines),
        blocks=(*[each.text() for each in classes], *[each.text() for each in functions]),
    )
    return python_file(f"{home.replace('.', '/')}.py", "app/module.py.j2", view)


def python_file(path: str, template: str, view: View) -> File:
    return File(path=path, text=render(TEMPLATES, template, view))


def service_lines(plan: ServicePlan) -> tuple[str, ...]:
    """Its name, its sessions with the database, and what bounds it."""
    bounds = (f"{name.upper()} = {getattr(plan.limits, name):_}" for name in plan.limits.field_names())
    return (f'NAME = "{plan.slug}"', f"SESSION_OPTIONS = {quoted(plan.session_options)}", *bounds)


def title(context: str) -> str:
    return context or "the shared kernel"


def part_type(owner: Ref, name: str) -> PartType:
    return PartType(aggregate=owner, name=name)


def _data(plan: ServicePlan, lock: DepsLock, ignored: list[str]) -> Iterator[File]:
    """What is not Python: the contract, packaging."""
    yield from contract(plan)
    yield File(path="requirements.lock", text=lock.text("requirements.lock"))
    view = ProjectView(
        title=plan.deployable,
        system=plan.system,
        slug=plan.slug,
        port=str(PORT),
        database=plan.database,
        contexts=tuple(context.name for context in plan.contexts),
        settings=settings_rows(plan, PORT),
        probe=probe_options(plan),
        ignored=", ".join(f'"{code}"' for code in ignored),
        requirements=tuple(line for line in lock.text("requirements.in").splitlines() if line[:1] not in ("", "#")),
    )
    for path in ("README.md", "pyproject.toml", "requirements-dev.txt", "Dockerfile"):
        yield File(path=path, text=render(TEMPLATES, f"{path}.j2", view))
