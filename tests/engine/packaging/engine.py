"""Images and containers of the Docker engine, all gone when the test is over.

In: a project with a Dockerfile, what compose says of its container. Out: an image, a running container.
Never: a network, an image of a registry, anything of the engine that was there before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import docker
from docker.errors import APIError, BuildError
from docker.models.containers import Container
from docker.models.images import Image
from docker.types import Mount

from loom.build.sandbox.choose import choose_sandbox
from loom.build.sandbox.image import remembered_image, write_image
from loom.build.store.content import ContentStore
from loom.build.toolchain.root import build_root
from loom.build.toolchain.toolchain import toolchain

LABEL = "loom.packaging"
PATIENCE = 300


class Engine:
    """The engine that answers here; what is made through it carries this process's number."""

    def __init__(self) -> None:
        self._client = docker.from_env(timeout=PATIENCE)
        self._mine = {LABEL: str(os.getpid())}
        self._roots: set[str] = set()

    def base(self, name: str, store: ContentStore, scratch: Path) -> str:
        """The root of a toolchain as a base image: what the gate ran in, with root as its user like public ones."""
        root = build_root(toolchain(name), store, choose_sandbox("auto")).folder
        image = remembered_image(root)
        if not (image and self._has(image)):
            image = write_image(root, scratch / "root.tar")
            with (scratch / "root.tar").open("rb") as stream:
                self._client.images.load(stream)
            (scratch / "root.tar").unlink()
        self._roots.add(image)
        return _id(self._build(fileobj=BytesIO(f"FROM {image}\nUSER 0:0\n".encode())))

    def _has(self, image: str) -> bool:
        return image in {found.id for found in self._client.images.list()}

    def image(self, project: Path, arguments: Mapping[str, str]) -> Image:
        """The project's image, built without a network."""
        return self._build(path=str(project), buildargs=dict(arguments), network_mode="none")

    def _build(self, **how: Any) -> Image:  # noqa: ANN401 - the client's own words
        try:
            return self._client.images.build(rm=True, forcerm=True, labels=self._mine, **how)[0]
        except BuildError as error:
            said = "".join(line.get("stream", "") for line in error.build_log)
            raise AssertionError(f"{error}\n{said}") from None

    @contextmanager
    def running(
        self, image: Image, service: Mapping[str, Any], environment: Mapping[str, str], mounts: Mapping[Path, str]
    ) -> Iterator[Container]:
        """A container as compose would make it, save for its network: it has none.

        Nor has it an init process, for an orchestrator may give it none: the service gets every signal itself.
        """
        limits = service["deploy"]["resources"]["limits"]
        container = self._client.containers.create(
            image, detach=True, network_mode="none", user=service["user"], read_only=service["read_only"],
            cap_drop=service["cap_drop"], security_opt=service["security_opt"],
            tmpfs=dict.fromkeys(service["tmpfs"], ""), environment=dict(environment), labels=self._mine,
            mem_limit=limits["memory"], pids_limit=limits["pids"],
            mounts=[Mount(inside, str(host), type="bind", read_only=True) for host, inside in mounts.items()],
        )  # fmt: skip
        try:
            container.start()
            yield container
        finally:
            container.remove(force=True, v=True)

    def clean(self) -> None:
        """Take away every image that was made here, newest first; the roots stay for the gates."""
        wanted = {"label": f"{LABEL}={os.getpid()}"}
        made = {_id(image) for image in self._client.images.list(all=True, filters=wanted)}
        for image in tuple(made):
            made |= set(self._ancestors(image))
        while gone := {image for image in made if self._remove(image)}:
            made -= gone
        assert not made, f"the engine keeps {sorted(made)}"

    def _ancestors(self, image: str) -> Iterator[str]:
        """What `image` was built on, down to a root."""
        parent: str = self._client.images.get(image).attrs["Parent"]
        if parent and parent not in self._roots:
            yield parent
            yield from self._ancestors(parent)

    def _remove(self, image: str) -> bool:
        """False while another image is built on it."""
        try:
            self._client.images.remove(image, force=True, noprune=True)
        except APIError:
            return False
        return True


def _id(image: Image) -> str:
    assert image.id is not None
    return image.id
