"""The part of a service that no model changes, without what this service does not use.

In: the text of the emitted modules. Out: the files of `static/` that these reach, and the others that are no Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from loom.emit.backend import File

STATIC = Path(__file__).parent / "static"
_IMPORT = re.compile(r"^from (app[\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_ENTRIES = ("app/__main__.py", "app/probe.py")


@cache
def static_files() -> dict[str, str]:
    """Every file below `static/` by its path."""
    found = [path for path in sorted(STATIC.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(STATIC).as_posix(): path.read_text(encoding="utf-8") for path in found}


def runtime_files(emitted: Iterable[str]) -> Iterator[File]:
    """Static files: modules that something imports, and all that is no module."""
    known = static_files()
    wanted = {path for path in known if not path.startswith("app/") or not path.endswith(".py")}
    wanted |= {path for path in known if path.endswith("__init__.py")}
    waiting = [*emitted, *(known[path] for path in _ENTRIES)]
    wanted.update(_ENTRIES)
    while waiting:
        for path in _imported(waiting.pop(), known):
            if path not in wanted:
                wanted.add(path)
                waiting.append(known[path])
    for path in sorted(wanted):
        yield File(path=path, text=known[path])


def _imported(text: str, known: dict[str, str]) -> Iterator[str]:
    for match in _IMPORT.finditer(text):
        folder = match[1].replace(".", "/")
        names = re.findall(r"\w+", match[2] or match[3])
        for path in (f"{folder}.py", *(f"{folder}/{name}.py" for name in names)):
            if path in known:
                yield path
