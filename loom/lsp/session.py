"""One project in an editor: its files as they are there, and what their names mean.

In: a project's root and the texts that are open. Out: trees, declarations, occurrences; made when first asked for.
Never: a file written, or one parsed twice for the same text.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from loom.build.project.settings import Project
from loom.lsp.checking import read
from loom.lsp.names.collect import collect
from loom.lsp.names.declared import Declared, Root, Site
from loom.lsp.names.expressions import Occurrence
from loom.lsp.names.resolve import Resolver, resolve
from loom.lsp.names.routes import route_name
from loom.parse import ParseResult, parse
from loom.parse.lexer import token_end
from loom.parse.parser import readable
from loom.parse.tables import ready


class Place(NamedTuple):
    """A name in a file, as offsets."""

    file: str
    start: int
    end: int


class Parsed(NamedTuple):
    data: bytes
    text: str
    result: ParseResult

    def offset(self, site: Site, at: int) -> int:
        return min(self.result.origins.offset(site.chunk, at), len(self.text))

    def place(self, site: Site, at: int) -> Place:
        start = self.offset(site, at)
        return Place(site.file, start, token_end(self.text, start))


class Session:
    """`files` are parsed anew only where their text changed; what names mean, whenever any has."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.files: dict[str, Parsed] = {}
        self._tables = ready()
        self._names: tuple[Root, Resolver, dict[tuple[str, int], Occurrence]] | None = None

    def update(self, texts: Mapping[str, bytes]) -> None:
        """Takes the texts that are open, and everything that they and the systems' entries import."""
        waiting = [*(system.entry for system in self.project.systems), *texts]
        found: dict[str, Parsed] = {}
        while waiting:
            file = waiting.pop(0)
            data = None if file in found else read(self.project.root, texts, file)
            if data is None:
                continue
            known = self.files.get(file)
            found[file] = known if known is not None and known.data == data else self.parsed(file, data)
            waiting += _imports(file, found[file].result)
        if found.keys() != self.files.keys() or any(found[file] is not self.files[file] for file in found):
            self.files, self._names = found, None

    def parsed(self, file: str, data: bytes) -> Parsed:
        return Parsed(data, readable(file, data), parse(file, data, tables=self._tables))

    def root(self) -> Root:
        return self._resolved()[0]

    def _resolved(self) -> tuple[Root, Resolver, dict[tuple[str, int], Occurrence]]:
        if self._names is None:
            trees = {file: parsed.result.ast for file, parsed in self.files.items()}
            root = collect(trees)
            found = resolve(root, trees.items())
            places = {self.place(item)[:2]: item for item in found.occurrences}
            self._names = root, found, places
        return self._names

    def place(self, item: Occurrence | Declared) -> Place:
        """Of a name that is several tokens, such as `REQ-A-12`, all of them."""
        parsed = self.files[item.site.file]
        place = parsed.place(item.site, item.at)
        name = item.declared.name if isinstance(item, Occurrence) else item.name
        is_long = "-" in name and parsed.text.startswith(name, place.start)
        return place._replace(end=place.start + len(name)) if is_long else place

    def at(self, file: str, offset: int) -> Occurrence | None:
        """The name that an offset is in, or just behind."""
        for more in ("_", "_-"):
            found = self._resolved()[2].get((file, self._start(file, offset, more)))
            if found is not None and found.site.file == file and self._is_name(found):
                return found
        return None

    def _start(self, file: str, offset: int, more: str) -> int:
        """Where the word begins that an offset is in, or just behind; `more` may be in it beside letters and digits."""
        text = self.files[file].text
        while offset > 0 and (text[offset - 1].isalnum() or text[offset - 1] in more):
            offset -= 1
        return offset

    def _is_name(self, item: Occurrence) -> bool:
        return bool(item.declared.site.file) and self.text(self.place(item)) == item.declared.name

    def text(self, place: Place) -> str:
        return self.files[place.file].text[place.start : place.end]

    def mentions(self, declared: Declared) -> Iterator[Place]:
        """Every place that names it, its own and those of its routes too, each once."""
        names = {declared.name, route_name(declared.name, declared.kind)}
        found = [
            self.place(item)
            for item in self._resolved()[1].occurrences
            if (item.declared.site, item.declared.at) == (declared.site, declared.at)
            if item.declared.name in names and self._is_name(item)
        ]
        yield from sorted(set(found))


def _imports(file: str, result: ParseResult) -> Iterable[str]:
    folder = posixpath.dirname(file)
    for item in result.ast.imports:
        path = posixpath.normpath(posixpath.join(folder, item.path))
        if not path.startswith(("..", "/")):
            yield path
