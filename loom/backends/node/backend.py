"""All files of one service: which view fills which template, and where the text goes.

In: a ServicePlan and the dependency lock. Out: the files of the project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from loom.backends.node import project, spelling
from loom.backends.node.code.types import http_module, http_values
from loom.backends.node.database.repository import repository_module, repository_view
from loom.backends.node.database.schema import schema_module, schema_view
from loom.backends.node.domain import aggregate_view, events_module, events_view, functions_view, values_view
from loom.backends.node.facts import PORT
from loom.backends.node.http.answers import http_values_view
from loom.backends.node.http.routes import routes_function, routes_mount, routes_view
from loom.backends.node.http.workflows import MODULE as WORKFLOWS
from loom.backends.node.http.workflows import uses_events, workflows_view
from loom.backends.node.model import Model
from loom.backends.node.runtime import with_runtime
from loom.backends.node.spelling import domain_module, values_module
from loom.backends.node.tests import tests_view
from loom.backends.node.text.imports import Imports
from loom.backends.node.text.modules import laid_out
from loom.backends.node.views import DockerfileView, IdsView, IndexView, ReadmeView, ServiceView
from loom.base import camel, words
from loom.emit import DepsLock, File
from loom.emit.project import contract, probe_options, settings_rows
from loom.emit.templates import View, render
from loom.ir.types import IdType, Ref
from loom.plan.model import AggregatePlan, EnumPlan, RecordPlan, ServicePlan, ValueObjectPlan

TEMPLATES = Path(__file__).with_name("templates")
MODULE, ROUTES = "src/module.ts.j2", "src/http/routes.ts.j2"


def files(plan: ServicePlan, lock: DepsLock) -> Iterator[File]:
    """The project of `plan`."""
    sources = [*_domain(plan), *_database(plan), *_http(plan), *_tests(plan), _service(plan)]
    emitted = {file.path for file in sources}
    for file in with_runtime(sources):
        if file.path in emitted:
            yield File(path=file.path, text=laid_out(file.text))
        elif file.path == "biome.jsonc":
            yield File(path=file.path, text=project.linter_settings(file.text, sources))
        else:
            yield file
    yield from _surroundings(plan, lock)
    yield from contract(plan)


def _module(module: str, template: str, view: View) -> File:
    return File(path=f"{module}.ts", text=render(TEMPLATES, template, view).rstrip("\n") + "\n")


def _domain(plan: ServicePlan) -> Iterator[File]:
    model = Model(plan)
    yield _module("src/domain/ids", "src/domain/ids.ts.j2", IdsView(types=tuple(_id_types(model.ids))))
    yield from _values(model, Ref(context="", name=""), plan.shared.enums, plan.shared.value_objects, ())
    if plan.shared.functions:
        functions = functions_view(model, plan.shared.functions)
        yield _module("src/domain/shared/functions", MODULE, functions)
    for context in plan.contexts:
        answered = model.answered_records(context)
        yield from _values(model, Ref(context=context.name, name=""), context.enums, context.value_objects, answered)
        if context.events:
            yield _module(events_module(context.name), MODULE, events_view(model, context))
        for aggregate in context.aggregates:
            module = domain_module(aggregate.ref)
            yield _module(module, "src/domain/aggregate.ts.j2", aggregate_view(model, aggregate))


def _values(
    model: Model,
    ref: Ref,
    enums: tuple[EnumPlan, ...],
    objects: tuple[ValueObjectPlan, ...],
    answered: tuple[RecordPlan, ...],
) -> Iterator[File]:
    """Enums, value objects and answers of one context, or of the model's root, in the domain and on the wire."""
    if enums or objects or answered:
        home = values_module(ref)
        yield _module(home, MODULE, values_view(model, enums, objects, answered, home))
        yield _module(http_values(ref), MODULE, http_values_view(model, enums, objects, answered, ref))


def _id_types(ids: Mapping[IdType, str]) -> Iterator[str]:
    for id_, name in ids.items():
        kind = ".".join(filter(None, (id_.aggregate.context, id_.aggregate.name, id_.part)))
        yield f"export type {name} = Id<'{kind}'>;"


def _database(plan: ServicePlan) -> Iterator[File]:
    model = Model(plan)
    for context in plan.contexts:
        yield _module(schema_module(context.name), MODULE, schema_view(model, context))
        for aggregate in context.aggregates:
            view = repository_view(model, aggregate)
            yield _module(repository_module(aggregate.ref), "src/db/repository.ts.j2", view)


def _http(plan: ServicePlan) -> Iterator[File]:
    model = Model(plan)
    imports = Imports("src/http/index")
    mounts = []
    for aggregate in _aggregates(plan):
        yield _module(http_module(aggregate.ref), ROUTES, routes_view(model, aggregate))
        imports.value(http_module(aggregate.ref), routes_function(aggregate))
        mounts.append(routes_mount(aggregate))
    if any(context.workflows for context in plan.contexts):
        yield _module(WORKFLOWS, ROUTES, workflows_view(model, plan.contexts))
        name = imports.value(WORKFLOWS, "allWorkflowRoutes")
        mounts.append(f"{name}({'db, events' if uses_events(model, plan.contexts) else 'db'})")
    imports.value("hono", "Hono")
    imports.type("src/http/requests", "HttpEnvironment")
    imports.type("src/db/client", "Connection")
    parameters = "db: Connection, _events: EventDispatcher"
    if any(mount.endswith("(db, events)") for mount in mounts):
        parameters = "db: Connection, events: EventDispatcher"
    imports.type("src/events/dispatcher", "EventDispatcher")
    view = IndexView(imports=imports.text(), parameters=parameters, mounts=tuple(mounts))
    yield _module("src/http/index", "src/http/index.ts.j2", view)


def _aggregates(plan: ServicePlan) -> list[AggregatePlan]:
    return [aggregate for context in plan.contexts for aggregate in context.aggregates]


def _tests(plan: ServicePlan) -> Iterator[File]:
    model = Model(plan)
    for ref, tests in model.suites:
        if tests:
            file = spelling.aggregate_file(ref) if ref.name else "values"
            home = f"test/{spelling.context_folder(ref)}/{file}.test"
            yield _module(home, "test/tests.ts.j2", tests_view(model, ref.name or "values", tests, home))


def _service(plan: ServicePlan) -> File:
    limits = tuple(f"{camel(words(name))}: {getattr(plan.limits, name):_}" for name in plan.limits.field_names())
    options = spelling.quoted(plan.session_options)
    view = ServiceView(name=spelling.quoted(plan.slug), port=str(PORT), session_options=options, limits=limits)
    return _module("src/service", "src/service.ts.j2", view)


def _surroundings(plan: ServicePlan, lock: DepsLock) -> Iterator[File]:
    yield File(path="package.json", text=project.package_json(plan, lock))
    yield File(path="package-lock.json", text=project.package_lock(plan, lock))
    port = str(PORT)
    yield File(path="README.md", text=render(TEMPLATES, "README.md.j2", _readme(plan)))
    dockerfile = DockerfileView(name=plan.slug, port=port, probe=probe_options(plan))
    yield File(path="Dockerfile", text=render(TEMPLATES, "Dockerfile.j2", dockerfile))


def _readme(plan: ServicePlan) -> ReadmeView:
    return ReadmeView(
        name=plan.slug,
        system=plan.system,
        port=str(PORT),
        database=plan.database,
        contexts=", ".join(context.name for context in plan.contexts),
        settings=settings_rows(plan, PORT),
    )
