"""The record of what Loom wrote into an output folder: how edits and stale files are recognised.

In: the folder. Out: digest, executable bit and task of every file, and the key of every task.
Never: a file that Loom did not write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as quoted
from pathlib import Path
from typing import NamedTuple

from loom.build.output.content import MANIFEST, OWN, OutputContent

_SCHEMA = "loom.manifest/1"
INTENT = f"{OWN}/writing.json"


class Left(NamedTuple):
    """How Loom left a file."""

    sha256: str
    executable: bool


class Recorded(NamedTuple):
    """How Loom left each file; two ways for one that an interrupted run may have reached.

    `is_damaged` says that a manifest lies there that says nothing.
    """

    left: dict[str, tuple[Left, ...]]
    is_damaged: bool


def read_manifest(root: Path) -> Recorded:
    """Without a record every file counts as somebody else's, and none is lost."""
    found = _read(root / MANIFEST)
    left: dict[str, tuple[Left, ...]] = {path: (was,) for path, was in (found or {}).items()}
    for path, meant in (_read(root / INTENT) or {}).items():
        left[path] = (*left.get(path, ()), meant)
    return Recorded(left, found is None and os.path.lexists(root / MANIFEST))


def is_output(folder: Path) -> bool:
    """Whether Loom wrote into that folder, whatever project had it do so."""
    return bool(_read(folder / MANIFEST))


def _read(path: Path) -> dict[str, Left] | None:
    try:
        document = json.loads(path.read_bytes())
        if document["schema"] != _SCHEMA:
            return None
        return {name: Left(entry["sha256"], entry["executable"]) for name, entry in document["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def manifest_bytes(content: OutputContent, kept: Mapping[str, Left]) -> bytes:
    """One line a file, so that a comparison reads well; `kept` are files left for whoever edited them."""
    files = {path: _entry(file.sha256, file.executable, file.task) for path, file in content.files.items()}
    files |= {path: _entry(left.sha256, left.executable, "") for path, left in kept.items()}
    tasks = {task: quoted(key) for task, key in content.keys.items()}
    head = f'{{\n "schema": "{_SCHEMA}",\n "files": {{\n'
    return f'{head}{_lines(files)}\n }},\n "tasks": {{\n{_lines(tasks)}\n }}\n}}\n'.encode()


def _entry(sha256: str, executable: bool, task: str) -> str:
    return f'{{"sha256": {quoted(sha256)}, "executable": {"true" if executable else "false"}, "task": {quoted(task)}}}'


def _lines(entries: Mapping[str, str]) -> str:
    return ",\n".join(f"  {quoted(name)}: {entry}" for name, entry in sorted(entries.items()))
