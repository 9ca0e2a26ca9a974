"""What each template prints: strings, flags and tuples of them."""

from __future__ import annotations

from typing import Self

from loom.emit.templates import View


class ModuleView(View):
    """A module: imports, then lines such as constants, then classes and functions."""

    doc: str
    imports: str
    lines: str
    blocks: tuple[str, ...]


class ApplicationView(View):
    imports: str
    routers: tuple[str, ...]


class DatabaseView(View):
    """`emits`: workflows raise events of their own; `isolates`: some want a level of isolation, as a parameter."""

    emits: bool
    isolates: bool
    literal: str
    isolation: str
    level: str
    finish: str

    @classmethod
    def of(cls, *, emits: bool, isolates: bool) -> Self:
        return cls(
            emits=emits,
            isolates=isolates,
            literal="Literal, " * isolates,
            isolation=", isolation: Isolation | None = None" * isolates,
            level="isolation" * isolates,
            finish="complete" if emits else "commit",
        )


class ProjectView(View):
    title: str
    system: str
    slug: str
    port: str
    database: str
    contexts: tuple[str, ...]
    settings: tuple[str, ...]
    requirements: tuple[str, ...]
    ignored: str
    probe: str


TEMPLATES: dict[str, type[View]] = {
    "Dockerfile.j2": ProjectView,
    "README.md.j2": ProjectView,
    "pyproject.toml.j2": ProjectView,
    "requirements-dev.txt.j2": ProjectView,
    "app/application.py.j2": ApplicationView,
    "app/module.py.j2": ModuleView,
    "app/persistence/database.py.j2": DatabaseView,
}
