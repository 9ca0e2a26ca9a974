"""The sandbox for machines where a Docker engine answers.

In: a job. Out: its exit, once its container is gone.
Never: an image of a registry, the client's configuration, a container left behind.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import docker
from docker.errors import DockerException, ImageNotFound
from docker.models.containers import Container
from docker.types import LogConfig, Mount
from requests.exceptions import ConnectionError as EngineSilent
from requests.exceptions import ReadTimeout

from loom.build.sandbox import fetch
from loom.build.sandbox.image import forget_image, remembered_image, write_image
from loom.build.sandbox.inputs import give_to
from loom.build.sandbox.job import Exit, Job, SandboxError, Trouble
from loom.build.sandbox.launcher import command
from loom.build.sandbox.running import Running
from loom.build.sandbox.world import HOSTNAME, NAMES, USER, environment

_ADVICE = "start Docker, or use `sandbox: bubblewrap`"
# Loading a large root into a busy engine says nothing for minutes.
_PATIENCE = 600
_LABEL = "loom.owner"
_OWNED = f"uid={USER},gid={USER}"


class DockerEngine:
    """One container an action, of an image made from the toolchain's root."""

    name = "docker"

    def __init__(self, client: docker.DockerClient) -> None:
        self._client = client
        self.running = Running()
        # Only root can give files away; another user's files are readable but not writable inside.
        self.owner = USER if os.geteuid() == 0 else None

    def run(self, job: Job) -> Exit:
        try:
            return self._run(job)
        except DockerException as error:
            raise SandboxError(f"the Docker engine failed: {error}; {_ADVICE}") from error

    def _run(self, job: Job) -> Exit:
        self._open(job.out)
        container = self._create(job, self._image(job))
        try:
            container.start()
            with self.running.listed(lambda: _kill(container)):
                code, late = _wait(container, job.action.timeout)
            container.reload()
            killed = bool(container.attrs["State"]["OOMKilled"])
            trouble = Trouble.TIMEOUT if late else Trouble.MEMORY if killed else Trouble.NONE
            stdout, stderr = (container.logs(stdout=out, stderr=not out) for out in (True, False))
        finally:
            container.remove(force=True, v=True)
        return Exit(code, stdout, stderr, trouble)

    def _open(self, out: Path) -> None:
        out.chmod(0o755 if self.owner is not None else 0o777)
        if self.owner is not None:
            give_to(out, self.owner)

    def _create(self, job: Job, image: str) -> Container:
        action, online = job.action, job.action.network == "fetch"
        variables = environment(action.env) | (fetch.variables() if online else {})
        words = command(action, variables, leave_open=self.owner is None)
        return self._client.containers.create(
            image, list(words), detach=True, init=True, user=f"{USER}:{USER}",
            hostname=None if online else HOSTNAME, working_dir="/build", environment={},
            network_mode="host" if online else "none", use_config_proxy=False, read_only=True,
            tmpfs={"/tmp": f"exec,{_OWNED}", "/build": f"exec,{_OWNED}", "/sys": "ro,size=4k"},
            shm_size="256m", mounts=self._mounts(job), cap_drop=["ALL"], security_opt=["no-new-privileges"],
            pids_limit=action.limits.processes, mem_limit=action.limits.memory, memswap_limit=action.limits.memory,
            log_config=LogConfig(type="json-file"), labels={_LABEL: _myself()}, cpuset_cpus=_processors(),
        )  # fmt: skip

    def _image(self, job: Job) -> str:
        """Id of the root's image, loaded when the engine lacks it."""
        image = remembered_image(job.root)
        if image and self._has(image):
            return image
        archive = job.scratch / "image.tar"
        image = write_image(job.root, archive)
        if not self._has(image):
            with archive.open("rb") as stream:
                loaded = [item.id for item in self._client.images.load(stream)]
            if image not in loaded:
                raise SandboxError(f"the Docker engine gave the image {loaded} instead of {image}")
        archive.unlink()
        return image

    def _has(self, image: str) -> bool:
        try:
            self._client.images.get(image)
        except ImageNotFound:
            return False
        return True

    def _mounts(self, job: Job) -> list[Mount]:
        pairs = [(str(folder), f"/in/{name}") for name, folder in sorted(job.inputs.items())]
        pairs += self._names(job.scratch / "names", ("etc/hostname", "etc/hosts", "etc/resolv.conf"))
        if job.action.network == "fetch":
            pairs = [pair for pair in pairs if not pair[1].startswith("/etc/")] + fetch.files()
        mounts = [Mount(inside, host, type="bind", read_only=True) for host, inside in pairs]
        return [*mounts, Mount("/out", str(job.out), type="bind")]

    def _names(self, folder: Path, paths: tuple[str, ...]) -> list[tuple[str, str]]:
        """The files that the engine would otherwise write its own of."""
        for path in paths:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(NAMES[path])
            (folder / path).chmod(0o644)
        if self.owner is not None:
            give_to(folder, self.owner)
        return [(str(folder / path), f"/{path}") for path in paths]

    def forget(self, root: Path) -> None:
        """Drop the image of a root, and what its Id was."""
        image = forget_image(root)
        with contextlib.suppress(DockerException):
            self._client.images.remove(image, force=True)

    def reap(self) -> None:
        """Remove containers whose Loom was killed before it could."""
        for container in self._client.containers.list(all=True, filters={"label": _LABEL}, ignore_removed=True):
            if not _alive(container.labels[_LABEL]):
                with contextlib.suppress(DockerException):
                    container.remove(force=True, v=True)


def docker_engine() -> DockerEngine:
    """The engine that answers here; SandboxError when none does."""
    try:
        client = docker.from_env(timeout=_PATIENCE)
        client.ping()
    except DockerException as error:
        raise SandboxError(f"no Docker engine answers ({error}): {_ADVICE}") from error
    engine = DockerEngine(client)
    engine.reap()
    return engine


def _processors() -> str:
    """Those that this process may use, which bubblewrap's children inherit; empty when it may use all."""
    mine = os.sched_getaffinity(0)
    return "" if len(mine) == os.cpu_count() else ",".join(map(str, sorted(mine)))


def _myself() -> str:
    """This process, in words that no later process with its number will have."""
    return f"{os.getpid()} {_begun(os.getpid())}"


def _alive(owner: str) -> bool:
    process, _, begun = owner.partition(" ")
    return _begun(int(process)) == begun


def _begun(process: int) -> str:
    """When it began, in ticks since the machine did; empty when it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _kill(container: Container) -> None:
    """One that has ended already needs none."""
    with contextlib.suppress(DockerException):
        container.kill()


def _wait(container: Container, timeout: int) -> tuple[int, bool]:
    """Exit code, and whether time ran out."""
    try:
        return int(container.wait(timeout=timeout)["StatusCode"]), False
    except (ReadTimeout, EngineSilent):
        _kill(container)
        return int(container.wait(timeout=60)["StatusCode"]), True
