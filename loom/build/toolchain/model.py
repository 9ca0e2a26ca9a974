"""`toolchain.yaml` and `lock.yaml` as checked models.

In: the two files. Out: values. Never: a tag, a version range or anything else that may change its meaning
after it was locked.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from loom.base import Digest
from loom.build.settings import Settings

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
ProviderName = Literal["debian", "oci"]


class DebianSource(Settings):
    """A root file system out of Debian packages."""

    suite: str
    packages: tuple[str, ...]
    """What is asked for; the lock adds what these depend on."""
    exclude: tuple[str, ...] = ()
    """Dependencies that only maintainer scripts or unused features need."""


class OciSource(Settings):
    """An image of a registry. Its digest is in the lock, for people who reach that registry."""

    image: str
    tag: str


class Provider(Settings):
    """One way to have the root: exactly one of the keys."""

    debian: DebianSource | None = None
    oci: OciSource | None = None

    @property
    def name(self) -> ProviderName:
        return "debian" if self.debian is not None else "oci"


class Overlay(Settings):
    """Wheels laid over the root, each `name==version`; dependencies are locked with them."""

    wheels: tuple[str, ...]
    only: str = ""
    """The one folder of the wheels that is wanted; empty for a Python installation of them."""
    into: str = "/usr/local"
    """Where that folder's content goes."""
    links: dict[str, str] = Field(default_factory=dict)
    """Links to make afterwards, path to target: a wheel cannot hold any."""


class Probe(Settings):
    """A command whose output must contain `expect`; run after each build."""

    argv: tuple[str, ...]
    expect: str


class Prepared(Settings):
    """A command run once in the new root; what it writes to /out/overlay is laid over the root."""

    name: str
    argv: tuple[str, ...]


class ToolchainFile(Settings):
    """`toolchain.yaml`."""

    name: str
    version: str
    providers: Annotated[tuple[Provider, ...], Field(min_length=1)]
    """In order of preference."""
    overlays: tuple[Overlay, ...] = ()
    prepare: tuple[Prepared, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    probe: Probe


class LockedPackage(Settings):
    """One `.deb`."""

    name: str
    version: str
    sha256: Sha256
    size: int

    @property
    def digest(self) -> Digest:
        return Digest(self.sha256, self.size)


class LockedWheel(Settings):
    """One wheel for this platform."""

    name: str
    version: str
    file: str
    sha256: Sha256
    size: int

    @property
    def digest(self) -> Digest:
        return Digest(self.sha256, self.size)


class LockedOverlay(Settings):
    """All wheels of one overlay."""

    wheels: tuple[LockedWheel, ...]


class DebianLock(Settings):
    suite: str
    architecture: str
    packages: tuple[LockedPackage, ...]


class OciLock(Settings):
    image: str
    digest: Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


class LockFile(Settings):
    """`lock.yaml`: a section for each provider that could be locked, and the wheels of the overlays."""

    debian: DebianLock | None = None
    oci: OciLock | None = None
    overlays: tuple[LockedOverlay, ...] = ()
    """As many as the toolchain has, in the same order."""
