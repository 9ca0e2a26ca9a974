"""What each template prints: one view a file, made of texts that are laid out already.

In: nothing. Out: the views, and which template prints which.
"""

from __future__ import annotations

from loom.emit.templates import View


class IdsView(View):
    types: tuple[str, ...]


class ModuleView(View):
    """Types, functions and constants, one after the other."""

    imports: str
    items: tuple[str, ...]


class AggregateView(View):
    """`members` are methods and getters, indented as members of the class."""

    imports: str
    items: tuple[str, ...]
    name: str
    event: str
    emits: bool
    members: tuple[str, ...]


class RepositoryView(View):
    """`start` is the constructor."""

    imports: str
    items: tuple[str, ...]
    name: str
    start: str
    methods: tuple[str, ...]
    functions: tuple[str, ...]


class RoutesView(View):
    """Requests, answers and routes of one aggregate, or of all workflows."""

    imports: str
    items: tuple[str, ...]
    function: str
    parameters: str
    routes: tuple[str, ...]


class IndexView(View):
    imports: str
    parameters: str
    mounts: tuple[str, ...]


class ServiceView(View):
    """`limits` are members of an object."""

    name: str
    port: str
    session_options: str
    limits: tuple[str, ...]


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
    settings: tuple[str, ...]


class DockerfileView(View):
    name: str
    port: str
    probe: str


TEMPLATES: dict[str, type[View]] = {
    "src/module.ts.j2": ModuleView,
    "src/domain/ids.ts.j2": IdsView,
    "src/domain/aggregate.ts.j2": AggregateView,
    "src/db/repository.ts.j2": RepositoryView,
    "src/http/routes.ts.j2": RoutesView,
    "src/http/index.ts.j2": IndexView,
    "src/service.ts.j2": ServiceView,
    "test/tests.ts.j2": TestsView,
    "README.md.j2": ReadmeView,
    "Dockerfile.j2": DockerfileView,
}
