"""Laying one member of a package into a root, with the modes that every root has.

In: a member's path, kind and content. Out: a file 0644 or 0755, a link, a folder 0755.
Never: an owner, a time, a set-user bit, a device, or a path through a link out of the root.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import IO, NamedTuple


class Member(NamedTuple):
    """A file has `content`; else it is a link, another name of a file, a folder, or left out."""

    path: str
    executable: bool
    content: IO[bytes] | None = None
    link: str = ""
    hard_link: str = ""
    folder: bool = False


def lay_member(root: Path, member: Member) -> None:
    """Later members win over earlier ones."""
    place = root / member.path
    if member.folder:
        place.mkdir(parents=True, exist_ok=True)
        return
    if not (member.content or member.link or member.hard_link):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.parent.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"{member.path} leads out of the root")
    if place.is_symlink() or place.exists():
        place.unlink()
    if member.content is not None:
        _write(place, member.content, member.executable)
    elif member.link:
        place.symlink_to(member.link)
    else:
        os.link(root / member.hard_link, place)


def lay_folder(source: Path, root: Path) -> None:
    """Lay all that `source` holds over the root."""
    for place in sorted(source.rglob("*")):
        path = place.relative_to(source).as_posix()
        if place.is_symlink():
            lay_member(root, Member(path, executable=False, link=str(place.readlink())))
        elif place.is_file():
            with place.open("rb") as content:
                lay_member(root, Member(path, bool(place.stat().st_mode & 0o100), content=content))


def _write(place: Path, content: IO[bytes], executable: bool) -> None:
    with place.open("wb") as stream:
        shutil.copyfileobj(content, stream, 1 << 20)
    place.chmod(0o755 if executable else 0o644)
