"""What each template prints: one view a file, made of texts that are laid out already.

In: nothing. Out: the views, and which template prints which.
"""

from __future__ import annotations

from loom.emit.templates import View


class IdsView(View):
    types: tuple[str, ...]


class RecordView(View):
    """An interface and the functions over it: a value object, a part."""

    name: str
    fields: tuple[str, ...]
    functions: tuple[str, ...]


class ValuesView(View):
    imports: str
    enums: tuple[str, ...]
    records: tuple[RecordView, ...]


class FunctionsView(View):
    imports: str
    functions: tuple[str, ...]


class EventView(View):
    name: str
    wire_type: str
    fields: tuple[str, ...]


class EventsView(View):
    imports: str
    events: tuple[EventView, ...]
    union: str


class AggregateView(View):
    """`members` are methods and getters, indented as members of the class."""

    imports: str
    parts: tuple[RecordView, ...]
    name: str
    event: str
    emits: bool
    fields: tuple[str, ...]
    input_fields: tuple[str, ...]
    is_created: bool
    members: tuple[str, ...]


class SchemaView(View):
    imports: str
    declaration: str
    tables: tuple[str, ...]


class RepositoryView(View):
    imports: str
    name: str
    emits: bool
    sortable: tuple[str, ...]
    methods: tuple[str, ...]
    functions: tuple[str, ...]
    remembers: str


class HttpValuesView(View):
    imports: str
    items: tuple[str, ...]


class RoutesView(View):
    """Requests, answers and routes of one aggregate."""

    imports: str
    items: tuple[str, ...]
    function: str
    parameters: str
    routes: tuple[str, ...]


class WorkflowsView(View):
    imports: str
    items: tuple[str, ...]
    parameters: str
    routes: tuple[str, ...]


class IndexView(View):
    imports: str
    parameters: str
    mounts: tuple[str, ...]


class ServiceView(View):
    name: str
    port: str


class TestsView(View):
    imports: str
    subject: str
    tests: str


class ReadmeView(View):
    name: str
    system: str
    port: str
    database: str
    contexts: str


class DockerfileView(View):
    name: str
    port: str


TEMPLATES: dict[str, type[View]] = {
    "src/domain/ids.ts.j2": IdsView,
    "src/domain/values.ts.j2": ValuesView,
    "src/domain/functions.ts.j2": FunctionsView,
    "src/domain/events.ts.j2": EventsView,
    "src/domain/aggregate.ts.j2": AggregateView,
    "src/db/schema.ts.j2": SchemaView,
    "src/db/repository.ts.j2": RepositoryView,
    "src/http/values.ts.j2": HttpValuesView,
    "src/http/aggregate.ts.j2": RoutesView,
    "src/http/workflows.ts.j2": WorkflowsView,
    "src/http/index.ts.j2": IndexView,
    "src/service.ts.j2": ServiceView,
    "test/tests.ts.j2": TestsView,
    "README.md.j2": ReadmeView,
    "Dockerfile.j2": DockerfileView,
}
