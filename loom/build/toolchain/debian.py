"""Root file systems out of Debian packages: resolved once over signed apt, then unpacked from locked bytes.

In: package names, or a lock. Out: a lock, or files in a folder.
Never: a maintainer script, a device, a set-user bit, documentation.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from loom.build.store.content import ContentStore
from loom.build.toolchain.archive import Member, lay_member
from loom.build.toolchain.fetching import keep
from loom.build.toolchain.model import DebianLock, DebianSource, LockedPackage
from loom.build.toolchain.trouble import FetchError, PackageGone

_MERGED = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_UNWANTED = (
    "etc/apt", "etc/cron.d", "etc/cron.daily", "etc/init.d", "etc/systemd", "usr/include", "usr/lib/systemd",
    "usr/share/bash-completion", "usr/share/bug", "usr/share/doc", "usr/share/doc-base", "usr/share/info",
    "usr/share/lintian", "usr/share/locale", "usr/share/man", "usr/share/pixmaps", "var",
)  # fmt: skip
_APT_OPTIONS = ("-o", "APT::Install-Recommends=0", "-o", "Debug::NoLocking=1")


def lock_debian(source: DebianSource, store: ContentStore) -> DebianLock:
    """Resolve names against this machine's apt indexes as if nothing were installed, and pin what came out."""
    architecture = _apt("dpkg", "--print-architecture").strip()
    wanted = [item for item in _resolve(source.packages) if item[0] not in source.exclude]
    packages = []
    with tempfile.TemporaryDirectory() as folder:
        _download([f"{name}={version}" for name, version in wanted], Path(folder))
        for name, version in sorted(wanted):
            digest = store.put_file(_downloaded(Path(folder), name, version))
            packages.append(LockedPackage(name=name, version=version, sha256=digest.sha256, size=digest.size))
    return DebianLock(suite=source.suite, architecture=architecture, packages=tuple(packages))


def lay_debian(lock: DebianLock, root: Path, store: ContentStore) -> None:
    """Unpack every locked package into `root`; those the store lacks are fetched and checked first."""
    _fetch_missing(lock, store)
    for name in _MERGED:
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    for package in lock.packages:
        _unpack(store.get(package.digest), root)


def _fetch_missing(lock: DebianLock, store: ContentStore) -> None:
    missing = [package for package in lock.packages if not store.has(package.digest)]
    if not missing:
        return
    with tempfile.TemporaryDirectory() as folder:
        _download([f"{package.name}={package.version}" for package in missing], Path(folder))
        for package in missing:
            file = _downloaded(Path(folder), package.name, package.version)
            keep(store, file, package.sha256, f"{package.name} {package.version}")


def _resolve(names: tuple[str, ...]) -> list[tuple[str, str]]:
    """(name, version) of each name and of all that it depends on."""
    with tempfile.NamedTemporaryFile() as nothing_installed:
        state = ("-o", f"Dir::State::status={nothing_installed.name}")
        text = _apt("apt-get", "-qq", *_APT_OPTIONS, *state, "--print-uris", "install", *names)
    files = [line.split("' ", 1)[1].split(" ", 1)[0] for line in text.splitlines() if line.startswith("'")]
    return [_name_and_version(file) for file in files]


def _name_and_version(file: str) -> tuple[str, str]:
    name, version, _ = file.split("_", 2)
    return name, version.replace("%3a", ":")


def _download(pins: list[str], folder: Path) -> None:
    # apt drops root before it downloads, and must be able to write there.
    folder.chmod(0o777)
    try:
        _apt("apt-get", "-qq", *_APT_OPTIONS, "download", *pins, cwd=folder)
    except FetchError:
        # Indexes of last week name versions that the archive has replaced since.
        if os.geteuid() == 0:
            _apt("apt-get", "-qq", "update")
        _download_again(pins, folder)


def _download_again(pins: list[str], folder: Path) -> None:
    try:
        _apt("apt-get", "-qq", *_APT_OPTIONS, "download", *pins, cwd=folder)
    except FetchError as error:
        if any(word in str(error) for word in ("was not found", "Unable to locate", "404")):
            raise PackageGone(str(error)) from error
        raise


def _downloaded(folder: Path, name: str, version: str) -> Path:
    found = sorted(folder.glob(f"{name}_{version.replace(':', '%3a')}_*.deb"))
    if not found:
        raise PackageGone(f"apt did not deliver {name} {version}")
    return found[0]


def _apt(*argv: str, cwd: Path | None = None) -> str:
    if shutil.which(argv[0]) is None:
        raise FetchError(f"`{argv[0]}` is not on this machine: the debian provider resolves and fetches with apt")
    environment = {"LC_ALL": "C", "PATH": os.environ.get("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")}
    environment |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    done = subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise FetchError(f"{argv[0]} failed (are the indexes there? `apt-get update`): {done.stderr.strip()}")
    return done.stdout


def _unpack(package: bytes, root: Path) -> None:
    data, name = _data_member(package)
    if name.endswith(".zst"):
        raise FetchError(f"a package holds {name}, and only xz and gz are read here")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            path = _placed(member.name)
            if path:
                lay_member(root, _member(archive, member, path))


def _data_member(package: bytes) -> tuple[bytes, str]:
    """The `data.tar` of an `ar` archive: 60-byte headers, members padded to even length."""
    position = 8
    while position < len(package):
        header = package[position : position + 60]
        name, size = header[:16].decode("ascii").strip().rstrip("/"), int(header[48:58])
        position += 60
        if name.startswith("data.tar"):
            return package[position : position + size], name
        position += size + size % 2
    raise FetchError("a package holds no data")


def _placed(name: str) -> str:
    """Path in the root, below the merged /usr; empty for what is not wanted."""
    parts = [part for part in PurePosixPath(name).parts if part not in (".", "/")]
    if ".." in parts:
        raise FetchError(f"a package holds the path {name}")
    if parts and parts[0] in _MERGED:
        parts.insert(0, "usr")
    path = "/".join(parts)
    unwanted = any(path == folder or path.startswith(folder + "/") for folder in _UNWANTED)
    return "" if unwanted or path in {f"usr/{name}" for name in _MERGED} else path


def _member(archive: tarfile.TarFile, member: tarfile.TarInfo, path: str) -> Member:
    content: IO[bytes] | None = archive.extractfile(member) if member.isfile() else None
    if member.islnk():
        return Member(path, executable=False, hard_link=_placed(member.linkname))
    link = member.linkname if member.issym() else ""
    return Member(path, executable=bool(member.mode & 0o111), content=content, link=link, folder=member.isdir())


def names(lock: DebianLock) -> Iterator[str]:
    """`name version` of each package, for `loom toolchain show`."""
    return (f"{package.name} {package.version}" for package in lock.packages)
