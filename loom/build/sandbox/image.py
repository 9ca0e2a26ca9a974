"""A root as a docker image whose Id can be told before the engine has seen it.

In: an unpacked root. Out: an archive that `docker load` reads, and the image's Id.
Never: the time of the build, or an owner other than the action's user.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO

from loom.build.sandbox.world import ENVIRONMENT, USER

_CREATED = "1980-01-01T00:00:00Z"


def image_id(root: Path) -> str:
    """`sha256:…` of the image's configuration, remembered beside the root."""
    memory = _memory(root)
    if memory.is_file():
        return memory.read_text("ascii")
    counter = _Counter()
    _write_layer(root, counter)
    image = _id(_configuration(counter.sha256()))
    fresh = memory.with_name(f"{memory.name}.{os.urandom(6).hex()}")
    fresh.write_text(image, "ascii")
    fresh.replace(memory)
    return image


def forget_image(root: Path) -> str:
    """The Id that was remembered, which is so no longer; empty when there was none."""
    memory = _memory(root)
    image = memory.read_text("ascii") if memory.is_file() else ""
    memory.unlink(missing_ok=True)
    return image


def write_image(root: Path, archive: Path) -> None:
    """The image as a file for `docker load`."""
    layer = archive.with_suffix(".layer")
    with layer.open("wb") as stream:
        counter = _Counter(stream)
        _write_layer(root, counter)
    configuration = _configuration(counter.sha256())
    name = f"{_id(configuration).removeprefix('sha256:')}.json"
    manifest = json.dumps([{"Config": name, "RepoTags": None, "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(archive, "w") as outer:
        for member, data in ((name, configuration), ("manifest.json", manifest)):
            info = tarfile.TarInfo(member)
            info.size = len(data)
            outer.addfile(info, BytesIO(data))
        outer.add(layer, "layer.tar")
    layer.unlink()


def _memory(root: Path) -> Path:
    return root.with_name(f"{root.name}.image")


def _configuration(layer: str) -> bytes:
    return json.dumps(
        {
            "architecture": "amd64",
            "config": {"User": f"{USER}:{USER}"},
            "created": _CREATED,
            "os": "linux",
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer}"]},
        },
        sort_keys=True,
    ).encode()


def _id(configuration: bytes) -> str:
    return f"sha256:{hashlib.sha256(configuration).hexdigest()}"


class _Counter:
    """A file that hashes what goes through it."""

    def __init__(self, target: IO[bytes] | None = None) -> None:
        self._sha = hashlib.sha256()
        self._target = target

    def write(self, data: bytes) -> int:
        self._sha.update(data)
        if self._target is not None:
            self._target.write(data)
        return len(data)

    def sha256(self) -> str:
        return self._sha.hexdigest()


def _write_layer(root: Path, target: _Counter) -> None:
    with tarfile.open(fileobj=target, mode="w|", format=tarfile.GNU_FORMAT) as layer:  # type: ignore[call-overload]
        for path in _paths(root):
            place = root / path
            info = layer.gettarinfo(place, path)
            info.uid = info.gid = USER
            info.uname = info.gname = ""
            info.mtime = int(ENVIRONMENT["SOURCE_DATE_EPOCH"])
            if info.islnk():  # the walk's order must not decide which name is the file
                info.type, info.linkname, info.size = tarfile.REGTYPE, "", place.stat().st_size
            if info.isreg():
                with place.open("rb") as stream:
                    layer.addfile(info, stream)
            else:
                layer.addfile(info)


def _paths(root: Path) -> Iterator[str]:
    yield "."
    for place, folders, files in os.walk(root):
        folders.sort()
        inside = os.path.relpath(place, root)
        prefix = "" if inside == "." else f"{inside}/"
        yield from (prefix + name for name in sorted([*folders, *files]))
