"""An output folder, and what Loom would have in it.

In: files. Out: contents, snapshots. Never: a stage.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from loom.build.output.content import OutputContent, OutputFile, OutputFolder
from loom.build.output.write import Written, write_outputs

BERTHS = {
    "docker-compose.yml": b"services: {}\n",
    "berthing_api/app/main.py": b"print('hello')\n",
    "berthing_api/app/http_server.py": b"class HTTPServer: ...\n",
    "berthing_api/start.sh": b"#!/bin/sh\n",
}


def content(files: Mapping[str, bytes], key: str = "k1") -> OutputContent:
    blobs = {hashlib.sha256(data).hexdigest(): data for data in files.values()}
    entries = {
        path: OutputFile(hashlib.sha256(data).hexdigest(), len(data), path.endswith(".sh"), "emit:berthing_api")
        for path, data in files.items()
    }
    whole = hashlib.sha256("\n".join([key, *entries, *blobs]).encode()).hexdigest()
    return OutputContent(entries, {"emit:berthing_api": key}, whole, lambda sha256, size: blobs[sha256])


def write_output(folder: OutputFolder, wanted: OutputContent, *, overwrite: bool = False) -> Written:
    return write_outputs([(folder, wanted)], overwrite=overwrite)[0]


def snapshot(root: Path) -> dict[str, tuple[int, bytes]]:
    """Mode and bytes of every file, and where every link leads."""
    return {
        str(path.relative_to(root)): (path.lstat().st_mode, path.readlink().as_posix().encode())
        if path.is_symlink()
        else (path.lstat().st_mode, path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def edit(path: Path) -> None:
    path.write_bytes(b"print('hullo')\n")  # as long as the original
