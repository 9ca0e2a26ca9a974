"""The part of a service that no model changes, without what this service does not use.

In: the text of the emitted modules. Out: the files of `static/`: definitions that these reach, and all that is no
module of the service.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path

from loom.backends.python.text.definitions import Definitions, read_definitions
from loom.emit.backend import File
from loom.emit.project import static_files

STATIC = Path(__file__).parent / "static"
# What begins with a letter is found at once; whether a line or a word begins there is looked at afterwards.
_IMPORT = re.compile(r"from (?<=^from )(app[\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_ENTRIES = ("app.__main__", "app.probe")

Needed = dict[str, set[str]]


@cache
def static_modules() -> dict[str, Definitions]:
    """The modules of the runtime by their dotted names."""
    return {
        _dotted(path): read_definitions(text, _dotted(path))
        for path, text in static_files(STATIC).items()
        if path.startswith("app/") and path.endswith(".py") and text
    }


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def runtime_files(emitted: Iterable[str]) -> Iterator[File]:
    """Modules cut to what something uses, and everything else as it is."""
    known = static_modules()
    kept = _reached(emitted)
    for path, text in static_files(STATIC).items():
        name = _dotted(path)
        if name not in known:
            yield File(path=path, text=text)
        elif name in kept:
            yield File(path=path, text=_cut(name, frozenset(kept[name])))


@lru_cache(1 << 10)
def _cut(module: str, kept: frozenset[str]) -> str:
    """A static module with these definitions; services often keep the same."""
    return static_modules()[module].text(kept)


def _reached(emitted: Iterable[str]) -> Needed:
    """The names of each static module that the emitted ones reach, through any number of others."""
    known = static_modules()
    kept: Needed = defaultdict(set)
    waiting: list[tuple[str, str]] = []
    for name in _ENTRIES:
        waiting += [(name, definition.name) for definition in known[name].definitions]
    waiting += _imported_by_tests()
    for text in emitted:
        waiting += _imports(text)
    while waiting:
        module, name = waiting.pop()
        if module not in known or name in kept[module]:
            continue
        if not kept[module]:
            waiting += [(module, each.name) for each in known[module].definitions if each.runs_on_import]
        kept[module].add(name)
        waiting += _references(module, name)
    return {module: names for module, names in kept.items() if names}


@cache
def _references(name: str, definition: str) -> tuple[tuple[str, str], ...]:
    """What a definition of a static module uses: modules and names in them."""
    module = static_modules()[name]
    return tuple(found for each in module.definitions if each.name == definition for found in _uses(module, each.names))


def _uses(module: Definitions, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    own = {each.name for each in module.definitions}
    for name in names:
        base, _, attribute = name.partition(".")
        if base in own:
            yield module.name, base
        elif base in module.imported:
            source = module.imported[base]
            yield source, base
            if attribute:
                yield f"{source}.{base}", attribute


@cache
def _imported_by_tests() -> tuple[tuple[str, str], ...]:
    return tuple(
        found for path, text in static_files(STATIC).items() if path.startswith("tests/") for found in _imports(text)
    )


def _imports(text: str) -> Iterator[tuple[str, str]]:
    """What an emitted module imports: names, and the members of modules that it uses."""
    known, sources = static_modules(), _sources()
    for match in _IMPORT.finditer(text):
        if match[1] in sources:
            for name in re.findall(r"\w+", match[2] or match[3]):
                yield match[1], name
                module = f"{match[1]}.{name}"
                if module in known:
                    for member in re.findall(rf"{name}\.(?<!\w{name}\.)(\w+)", text):
                        yield module, member


@cache
def _sources() -> frozenset[str]:
    """The static modules, and the packages that they are in."""
    return frozenset(static_modules()) | {name.rpartition(".")[0] for name in static_modules()}
