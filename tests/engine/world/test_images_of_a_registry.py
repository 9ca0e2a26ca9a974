"""Toolchains whose root is an image: what a tag meant when it was locked is what is laid, whatever it means now."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
import yaml
from docker.errors import ImageNotFound

from loom.build.store.content import ContentStore
from loom.build.toolchain.lock import lock_toolchain
from loom.build.toolchain.root import build_root
from loom.build.toolchain.toolchain import Toolchain, toolchain
from loom.build.toolchain.trouble import FetchError
from tests.engine.world.registry import Part, Registry, registry
from tests.engine.world.world_kit import the_root, the_sandbox

NAME = "tide/HTTP-end".lower()
FILE = """\
name: tides
version: "1"
providers:
  - oci: {{image: {image}, tag: spring}}
probe: {{argv: [cat, /opt/tideTable], expect: "{expect}"}}
"""
PROGRAMS = ("dash", "env", "mkdir", "cat")
LIBRARIES = ("x86_64-linux-gnu/libc.so.6", "x86_64-linux-gnu/libselinux.so.1", "x86_64-linux-gnu/libpcre2-8.so.0")


@pytest.fixture
def images() -> Iterator[Registry]:
    """What the engine pulled from it is removed afterwards."""
    with registry() as served:
        yield served
    client = docker.from_env()
    for digest in [name for name in served.contents if name.startswith("sha256:")]:
        try:
            client.images.remove(f"{served.address}/{NAME}@{digest}", force=True)
        except ImageNotFound:
            continue


def smallest() -> tuple[Part, ...]:
    """Programs and libraries enough for a shell, out of the root of a shipped toolchain."""
    usr = the_root().folder / "usr"
    programs = [Part(f"usr/bin/{name}", (usr / "bin" / name).read_bytes(), 0o755) for name in PROGRAMS]
    libraries = [Part(f"usr/lib/{name}", (usr / "lib" / name).read_bytes()) for name in LIBRARIES]
    loader = Part("usr/lib64/ld-linux-x86-64.so.2", (usr / "lib64/ld-linux-x86-64.so.2").read_bytes(), 0o755)
    links = [Part(name, link=f"usr/{name}") for name in ("bin", "lib", "lib64")]
    return (*links, *programs, *libraries, loader, Part("usr/bin/sh", link="dash"))


def locked(images: Registry, project: Path, expect: str) -> Toolchain:
    """The toolchain `tides` of a project, as `loom toolchain lock` leaves it."""
    folder = project / "toolchains/tides"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "toolchain.yaml").write_text(FILE.format(image=f"{images.address}/{NAME}", expect=expect))
    lock_toolchain(folder, ContentStore(project / "store"))
    return toolchain("tides", project)


def test_root_is_what_the_tag_meant_when_it_was_locked(images: Registry, tmp_path: Path) -> None:
    table = (
        Part("opt/tideTable", b"spring tide\n", 0o644),
        Part("opt/classEnd", b"#!/bin/sh\n", 0o4755),
        Part("opt/gone", b"no more\n"),
        Part("opt/twin", twin="opt/tideTable"),
    )
    digest = images.push("spring", smallest(), table, (Part("opt/.wh.gone"),))
    chain = locked(images, tmp_path, "spring tide")
    assert chain.provider == "oci"
    lock = yaml.safe_load((chain.folder / "lock.yaml").read_text())
    assert lock["oci"] == {"image": f"{images.address}/{NAME}", "digest": digest}
    images.push("spring", smallest(), (Part("opt/tideTable", b"neap tide\n"),))
    before = os.umask(0o077)
    try:
        root = build_root(chain, ContentStore(tmp_path / "store"), the_sandbox("bubblewrap"))
    finally:
        os.umask(before)
    assert root.folder.stat().st_mode & 0o7777 == 0o755
    assert root.identity == chain.identity == root.folder.name
    opt = {path.name: (path.read_bytes(), path.stat().st_mode & 0o7777) for path in (root.folder / "opt").iterdir()}
    tide = (b"spring tide\n", 0o644)
    assert opt == {"tideTable": tide, "twin": tide, "classEnd": (b"#!/bin/sh\n", 0o755)}
    assert not (root.folder / ".dockerenv").exists() and (root.folder / "bin").readlink() == Path("usr/bin")
    assert locked(images, tmp_path, "neap tide").identity != chain.identity


def test_other_bytes_than_the_locked_ones_make_no_root(images: Registry, tmp_path: Path) -> None:
    digest = images.push("spring", smallest(), (Part("opt/tideTable", b"spring tide\n"),))
    chain = locked(images, tmp_path, "spring tide")
    images.contents[digest] = images.contents[images.push("neap", (Part("opt/tideTable", b"neap tide\n"),))]
    named = re.escape(f"{images.address}/{NAME}@{digest} could not be pulled: ")
    with pytest.raises(FetchError, match=named):
        build_root(chain, ContentStore(tmp_path / "store"), the_sandbox("bubblewrap"))
    assert not [path for path in (tmp_path / "store/roots").iterdir() if path.is_dir()]


def test_tag_that_is_not_there_is_told(images: Registry, tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=re.escape(f"oci: {images.address}/{NAME}:spring could not be resolved: ")):
        locked(images, tmp_path, "spring tide")
    assert not (tmp_path / "toolchains/tides/lock.yaml").exists()
