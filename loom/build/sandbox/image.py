"""A root as a docker image whose Id can be told before the engine has seen it.

In: an unpacked root. Out: an archive that `docker load` reads, and the image's Id.
Never: the time of the build, or an owner other than the action's user.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Iterator, Mapping
from io import BytesIO, RawIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING

from loom.build.sandbox.world import ENVIRONMENT, USER

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_CREATED = "1980-01-01T00:00:00Z"


def remembered_image(root: Path) -> str:
    """Id of the root's image, `sha256:…` of its configuration; empty before the image was ever made."""
    memory = _memory(root)
    return memory.read_text("ascii") if memory.is_file() else ""


def forget_image(root: Path) -> str:
    """The Id that was remembered, which is so no longer."""
    image = remembered_image(root)
    _memory(root).unlink(missing_ok=True)
    return image


def write_image(root: Path, archive: Path) -> str:
    """The image as a file for `docker load`; its Id, which is remembered beside the root."""
    layer = archive.with_suffix(".layer")
    with layer.open("wb") as stream:
        target = _Hashed(stream)
        _write_layer(root, target)
    configuration = _configuration(target.sha256())
    image = _id(configuration)
    members = {
        f"{image.removeprefix('sha256:')}.json": configuration,
        "manifest.json": json.dumps(
            [{"Config": f"{image.removeprefix('sha256:')}.json", "RepoTags": None, "Layers": ["layer.tar"]}]
        ).encode(),
    }
    _write_archive(archive, members, layer)
    layer.unlink()
    _remember(root, image)
    return image


def _write_archive(archive: Path, members: Mapping[str, bytes], layer: Path) -> None:
    with tarfile.open(archive, "w") as outer:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            outer.addfile(info, BytesIO(data))
        outer.add(layer, "layer.tar")


def _remember(root: Path, image: str) -> None:
    memory = _memory(root)
    fresh = memory.with_name(f"{memory.name}.{os.urandom(6).hex()}")
    fresh.write_text(image, "ascii")
    fresh.replace(memory)


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


class _Hashed(RawIOBase):
    """A file that hashes what goes through it; only written to."""

    def __init__(self, target: IO[bytes]) -> None:
        self._sha = hashlib.sha256()
        self._target = target

    def write(self, data: ReadableBuffer, /) -> int:
        self._sha.update(data)
        return self._target.write(data)

    def sha256(self) -> str:
        return self._sha.hexdigest()


def _write_layer(root: Path, target: _Hashed) -> None:
    with tarfile.open(fileobj=target, mode="w|", format=tarfile.GNU_FORMAT) as layer:
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
