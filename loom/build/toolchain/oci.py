"""Images of a registry by digest, unpacked through the Docker engine that can reach it.

In: a locked image. Out: files in a folder. Never: a tag.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

import docker
from docker.errors import DockerException

from loom.build.toolchain.archive import Member, lay_member
from loom.build.toolchain.model import OciLock, OciSource
from loom.build.toolchain.trouble import FetchError

_NOT_OF_THE_IMAGE = ("dev", "proc", "sys", ".dockerenv")
"""What the engine adds to every container."""


def lock_oci(source: OciSource) -> OciLock:
    """Ask the registry for the digest behind the tag; FetchError where there is no registry to ask."""
    try:
        found = docker.from_env().images.get_registry_data(f"{source.image}:{source.tag}")
    except DockerException as error:
        raise FetchError(f"{source.image}:{source.tag} could not be resolved: {error}") from error
    return OciLock(image=source.image, digest=found.id)


def lay_oci(lock: OciLock, root: Path) -> None:
    """Pull the image and unpack its whole file system into `root`."""
    try:
        client = docker.from_env()
        image = client.images.pull(f"{lock.image}@{lock.digest}")
        container = client.containers.create(image, ["never-started"])  # an image need not have a command
        try:
            parts: Iterable[bytes] = client.api.export(str(container.id))
            with tempfile.TemporaryFile() as spool:
                spool.writelines(parts)
                spool.seek(0)
                with tarfile.open(fileobj=spool) as archive:
                    _unpack(archive, root)
        finally:
            container.remove(force=True)
    except DockerException as error:
        raise FetchError(f"{lock.image}@{lock.digest} could not be pulled: {error}") from error


def _unpack(archive: tarfile.TarFile, root: Path) -> None:
    for member in archive:
        path = member.name.removeprefix("./").strip("/")
        if not path or path.split("/")[0] in _NOT_OF_THE_IMAGE or ".." in path.split("/"):
            continue
        executable, folder = bool(member.mode & 0o111), member.isdir()
        if member.islnk():
            lay_member(root, Member(path, executable, hard_link=member.linkname.removeprefix("./")))
        elif member.issym():
            lay_member(root, Member(path, executable, link=member.linkname))
        else:
            content = archive.extractfile(member) if member.isfile() else None
            lay_member(root, Member(path, executable, content=content, folder=folder))
