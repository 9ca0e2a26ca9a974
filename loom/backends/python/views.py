"""What each template prints: strings, flags and tuples of them."""

from __future__ import annotations

from loom.emit.templates import View


class MethodView(View):
    """`head` is the `def` line with its decorators above, `body` the lines below it.

    `is_first` when nothing of its class stands above it.
    """

    decorators: tuple[str, ...] = ()
    head: str
    body: tuple[str, ...]
    is_first: bool = False


class ClassView(View):
    """`decorator` may be empty. A class without a field, a method or a text says `pass`."""

    decorator: str
    head: str
    doc: str
    fields: tuple[str, ...]
    methods: tuple[MethodView, ...] = ()


class ModuleView(View):
    """A module: imports, then lines such as constants, then classes, then functions."""

    doc: str
    imports: str
    lines: tuple[str, ...] = ()
    classes: tuple[ClassView, ...] = ()
    functions: tuple[MethodView, ...] = ()


class TableView(View):
    name: str
    table: str
    columns: tuple[str, ...]


class TablesView(View):
    doc: str
    imports: str
    schema_name: str
    tables: tuple[TableView, ...]


class RepositoryView(View):
    doc: str
    imports: str
    sorts: str
    name: str
    aggregate: str
    instance: str
    table: str
    declared: str
    missing: str
    methods: tuple[MethodView, ...]
    conflict_detail: str
    deletes: bool
    children: tuple[str, ...]
    loaded: str
    functions: tuple[MethodView, ...]


class ApplicationView(View):
    imports: str
    routers: tuple[str, ...]


class ProjectView(View):
    title: str
    system: str
    slug: str
    port: str
    database: str
    contexts: tuple[str, ...]
    requirements: tuple[str, ...]


TEMPLATES: dict[str, type[View]] = {
    "Dockerfile.j2": ProjectView,
    "README.md.j2": ProjectView,
    "pyproject.toml.j2": ProjectView,
    "requirements-dev.txt.j2": ProjectView,
    "app/application.py.j2": ApplicationView,
    "app/module.py.j2": ModuleView,
    "app/persistence/repository.py.j2": RepositoryView,
    "app/persistence/tables.py.j2": TablesView,
}
