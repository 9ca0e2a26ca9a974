"""Files of a project laid out in place.

In: paths, or a project whose files are all meant. Out: a line for each file that changed, or would.
Never: a file half written, or one touched that has mistakes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loom.build.project.problem import NothingBegun, Unable
from loom.build.project.settings import Project
from loom.parse import parse, report
from loom.parse.formatter import Unreadable, format_lines, format_text
from loom.parse.parser import readable
from loom.parse.report import Source


class Range(NamedTuple):
    """Lines counted from 1, both included."""

    first: int
    last: int


class FormatWords(NamedTuple):
    """What a person asked for."""

    check: bool
    lines: Range | None
    names: list[str]


class Done(NamedTuple):
    """`is_bad` is true for a file with mistakes, and for one that a check wants laid out."""

    text: str
    is_bad: bool


def format_file(path: Path, *, check: bool, lines: Range | None = None) -> Done | None:
    """None for a file that is laid out already."""
    data = _read(path)
    text = format_lines(str(path), data, *lines) if lines else format_text(str(path), data)
    if isinstance(text, Unreadable):
        source = Source(readable(str(path), data), parse(str(path), data).origins)
        return Done(report(text.diagnostics, {str(path): source}), True)
    if text.encode() == data:
        return None
    if check:
        return Done(f"would lay out {path}\n", True)
    _replace(path, text.encode())
    return Done(f"laid out {path}\n", False)


def model_files(project: Project) -> Iterator[Path]:
    """Every `.ddd` file below the project, its output and hidden folders aside; relative to it."""
    outputs = {project.root / system.out for system in project.systems}
    for folder, folders, files in os.walk(project.root):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and here / name not in outputs)
        yield from ((here / name).relative_to(project.root) for name in sorted(files) if name.endswith(".ddd"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NothingBegun(f"{path}: {error.strerror}") from error


def _replace(path: Path, data: bytes) -> None:
    """Through a link to what it names, and with the permissions that the file has."""
    real = path.resolve()
    temporary = real.with_name(f".{real.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        temporary.chmod(real.stat().st_mode & 0o7777)
        temporary.replace(real)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise Unable(f"{path}: {error.strerror}") from error
