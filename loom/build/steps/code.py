"""Which of Loom's own files, packages and interpreter a stage depends on, as one digest.

In: the name of a module. Out: the digest of a manifest that lists everything in its import closure.
Never: an import of what it looks at, a time stamp, or a path outside the package.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import NamedTuple

from loom.build.stamps import Stamp, stamp
from loom.build.store.atomic import Json, canonical_json

# The end of the line before is looked for: beginnings of lines are sought at each place.
_IMPORT = re.compile(rb"\n[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]+)|import[ \t]+([\w., \t]+))")
# A module that imports by name may reach every package below its own and below those that it spells out.
_DISCOVERING = (b"import_module", b"iter_modules", b"walk_packages")
_DISCOVERS = re.compile(rb"\b(?:" + b"|".join(_DISCOVERING) + rb")\b")
_SPELT = re.compile(rb"[\"'](\w+\.[\w.]+)[\"']")
# Pages for readers lie beside modules and have their names in capitals; no stage reads them.
_PAGE = re.compile(r"[A-Z]+\.md")
_DISTRIBUTIONS = {"yaml": "pyyaml"}
_NEEDS = re.compile(rb"^Requires-Dist:[ \t]*([\w.-]+)([^\n]*)", re.M)


class Source(NamedTuple):
    """What the bytes of a module's file are, what it imports, and below which packages it finds others."""

    sha256: str
    imports: frozenset[str]
    discovers: frozenset[str]


class Code:
    """The package at `root` (the folder that holds `loom`); each file is read at most once, if at all.

    `known` are digests and manifests of modules from an earlier run, of which nothing has changed. `stamps` are those
    of the files as this process has loaded them.
    """

    def __init__(
        self,
        root: str,
        package: str = "loom",
        known: Mapping[str, tuple[str, bytes]] | None = None,
        stamps: Mapping[str, Stamp] | None = None,
    ) -> None:
        self._root = root
        self._package = package
        self.known = dict(known or {})
        self._stamps = stamps or {}
        self._sources: dict[str, Source] = {}
        self._reached: dict[str, tuple[str, ...]] = {}
        self._watched: dict[str, dict[str, Stamp]] = {}
        self._at_work: set[str] = set()

    @cached_property
    def _modules(self) -> dict[str, str]:
        """The file of each module there is."""
        return dict(self._walk(self._package))

    def _source(self, name: str) -> Source:
        if name not in self._sources:
            self._sources[name] = _read(f"{self._root}/{self._modules[name]}", self._modules[name])
        return self._sources[name]

    @cached_property
    def _data(self) -> dict[str, dict[str, str]]:
        """Digest of each file that is no module of the package, by the package whose folder holds it.

        Python and pages that are only ever printed lie in no package, whatever their folders hold: they are data.
        """
        found: dict[str, dict[str, str]] = {}
        modules = set(self._modules.values())
        for folder, folders, files in os.walk(f"{self._root}/{self._package}"):
            folders[:] = [name for name in folders if name not in ("__pycache__", "_data")]
            owner = self._owner(folder)
            is_package = owner.replace(".", "/") == folder[len(self._root) + 1 :]
            for name in files:
                path = f"{folder}/{name}"
                relative = path[len(self._root) + 1 :]
                if relative not in modules and not (is_package and _PAGE.fullmatch(name)):
                    found.setdefault(owner, {})[relative] = _sha256(path)
        return found

    def _owner(self, folder: str) -> str:
        """The nearest package that holds the folder, of those that an import can reach."""
        while (name := folder[len(self._root) + 1 :].replace("/", ".")) not in self._modules:
            folder = os.path.dirname(folder)
        return name

    def _walk(self, package: str) -> Iterator[tuple[str, str]]:
        folder = f"{self._root}/{package.replace('.', '/')}"
        with os.scandir(folder) as found:
            names = [child.name for child in found]
        for name in names:
            if name == "__init__.py":
                yield package, f"{package.replace('.', '/')}/__init__.py"
            elif name.endswith(".py"):
                yield f"{package}.{name[:-3]}", f"{package.replace('.', '/')}/{name}"
            elif "." not in name and os.path.exists(f"{folder}/{name}/__init__.py"):
                yield from self._walk(f"{package}.{name}")

    def digest(self, module: str) -> str:
        return self._digest(module)[0]

    def manifest(self, module: str) -> bytes:
        """What the digest stands for: canonical JSON, kept beside results so that a change can be explained."""
        return self._digest(module)[1]

    def changed(self, module: str) -> str:
        """A file of `module` that is no longer as it was loaded, so that its digest says nothing of what is at work.

        A module that was found unchanged once it was imported stays at work as it is, whatever becomes of its file.
        """
        before = self._watched[module] if module in self._watched else self._files(module)
        watched = {path: known for path, known in before.items() if path not in self._at_work}
        if changed := next((path for path, known in watched.items() if stamp(path) != known), ""):
            return changed
        self._at_work.update(path for path in watched if self._names.get(path) in sys.modules)
        self._watched[module] = watched
        return ""

    @cached_property
    def _names(self) -> dict[str, str]:
        return {f"{self._root}/{file}": name for name, file in self._modules.items()}

    def _files(self, module: str) -> dict[str, Stamp]:
        """What is loaded of a module's files, and of folders of data."""
        files = {f"{self._root}/{name}" for name in json.loads(self.manifest(module))["files"]}
        # Folders of modules change when their byte code is written.
        data = {folder for folder in map(os.path.dirname, files) if f"{folder}/__init__.py" not in self._stamps}
        return {path: self._stamps[path] for path in files | data if path in self._stamps}

    def _digest(self, module: str) -> tuple[str, bytes]:
        if not module.startswith(f"{self._package}."):
            return self._found_out(module)
        if module not in self.known:
            self.known[module] = self._found_out(module)
        return self.known[module]

    def _found_out(self, module: str) -> tuple[str, bytes]:
        # A stage of somebody else: its file counts, and what it imports of the package. Nothing of it is remembered.
        if module not in self._modules:
            self._modules[module] = f"{module.replace('.', '/')}.py"
            self._sources[module] = _read(f"{sys.modules[module].__file__}", self._modules[module])
        data = canonical_json(self._describe(module))
        return hashlib.sha256(data).hexdigest(), data

    def _describe(self, module: str) -> dict[str, Json]:
        inside, outside = self.closure(module)
        files: dict[str, Json] = {self._modules[name]: self._source(name).sha256 for name in inside}
        for name in inside:
            files.update(self._data.get(name, {}))
        packages: dict[str, Json] = dict(versions(outside))
        return {"files": files, "packages": packages, "interpreter": interpreter()}

    def closure(self, module: str) -> tuple[set[str], set[str]]:
        """Our modules and foreign top-level packages that an import of `module` can reach."""
        inside: set[str] = set()
        outside: set[str] = set()
        waiting = [module]
        while waiting:
            name = waiting.pop()
            if name in inside:
                continue
            if name not in self._modules:
                outside.add(name.partition(".")[0])
                continue
            inside.add(name)
            if name not in self._reached:
                self._reached[name] = tuple(self._reaches(name))
            waiting += self._reached[name]
        return inside, outside - {self._package}

    def _reaches(self, name: str) -> Iterator[str]:
        source = self._source(name)
        above = name.rpartition(".")[0]
        if above and above != self._package:
            yield above
        for imported in source.imports:
            # `from a.b import c` may mean the module a.b.c or a name in a.b: both files count.
            yield imported if imported in self._modules else imported.rpartition(".")[0] or imported
        for package in source.discovers:
            yield from (other for other in self._modules if f"{other}.".startswith(f"{package}."))


def interpreter() -> str:
    return f"{sys.implementation.name}-{sys.version_info.major}.{sys.version_info.minor}"


def _read(place: str, file: str) -> Source:
    with open(place, "rb") as stream:
        data = stream.read()
    discovers: set[str] = set()
    if any(word in data for word in _DISCOVERING) and _DISCOVERS.search(data):
        discovers = {file.removesuffix("/__init__.py").removesuffix(".py").replace("/", ".")}
        discovers.update(name.decode() for name in _SPELT.findall(data))
    imports: set[str] = set()
    for origin, names, plain in _IMPORT.findall(b"\n" + data):
        if plain:
            imports.update(part.split(b" as ")[0].strip().decode() for part in plain.split(b","))
            continue
        for part in names.strip(b"()").split(b","):
            name = part.split(b"#")[0].split(b" as ")[0].strip()
            imports.add(f"{origin.decode()}.{name.decode()}" if name else origin.decode())
    return Source(hashlib.sha256(data).hexdigest(), frozenset(imports), frozenset(discovers))


def _sha256(path: str) -> str:
    with open(path, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()


class Distribution(NamedTuple):
    """An installed one: its version, and the folder of its metadata."""

    version: str
    folder: str


@cache
def _distributions() -> dict[str, Distribution]:
    """Each installed distribution by its normalised name; listing folders beats asking metadata."""
    found: dict[str, Distribution] = {}
    for folder in sys.path:
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for name in names:
            stem, _, kind = name.rpartition(".")
            if kind in ("dist-info", "egg-info"):
                title, _, version = stem.partition("-")
                found.setdefault(_normal(title), Distribution(version, f"{folder}/{name}"))
    return found


def versions(packages: set[str]) -> dict[str, str]:
    """Of the distributions that these packages come from, and of all that those need in turn.

    The standard library is in none: the interpreter's version stands for it.
    """
    found: dict[str, str] = {}
    waiting = [_normal(_DISTRIBUTIONS.get(package, package)) for package in packages]
    while waiting:
        title = waiting.pop()
        known = _distributions().get(title)
        if known is not None and title not in found:
            found[title] = known.version
            waiting += _needs(known.folder)
    return found


def _needs(folder: str) -> Iterator[str]:
    """The distributions that the one of this metadata asks for, extras aside."""
    try:
        with open(f"{folder}/METADATA", "rb") as stream:
            head = stream.read().partition(b"\n\n")[0]
    except OSError:
        return
    for name, condition in _NEEDS.findall(head):
        if b"extra" not in condition:
            yield _normal(name.decode())


def _normal(title: str) -> str:
    return title.lower().replace("_", "-").replace(".", "-")
