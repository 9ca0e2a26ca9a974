"""`loom cache stats|gc|fsck`: what a person wants to know of a store, and what is to be done with it.

In: a project, words. Out: text and an exit code. Never: work while others use the store, unless it only looks.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Sequence

from loom.build.housekeeping.check import faults, repair
from loom.build.housekeeping.collect import Collected, collect
from loom.build.housekeeping.inventory import Item, blobs, entries, folders, trees
from loom.build.housekeeping.lease import alone, share
from loom.build.housekeeping.limits import Keep, keep_of, shown
from loom.build.housekeeping.pins import pinned
from loom.build.project.problem import Misused, NothingBegun, ProjectProblem
from loom.build.project.settings import Project

_SPARED = """\
that is more than {}: what was used within the last hour stays, and so do the last run's results and toolchains
"""


def stats(project: Project) -> str:
    """How much of what there is, how old it is, and what the limits are."""
    root, keep = project.store, project.keep
    lines = [f"store {root}\n"]
    lines += [_row("results", [entry.item for entry in entries(root)]), _row("blobs", list(blobs(root).values()))]
    lines += [_row("toolchain roots", list(folders(root / "roots"))), _row("laid-out inputs", list(trees(root)))]
    lines += [_row("kept failures", list(folders(root / "failed")))]
    limits = f"{shown(keep.size)} at most, {keep.age // 86400} days unused at most, {shown(keep.free)} free"
    free = shown(shutil.disk_usage(root if root.exists() else "/").free)
    lines += [f"limits: {limits}; the disk has {free} free\n", f"shared cache: {_shared(project)}\n"]
    return "".join(lines)


def gc(project: Project, words: Sequence[str]) -> str:
    """Waits for whoever uses the store."""
    try:
        keep = keep_of(_options(words, Keep._fields), project.keep)
    except ValueError as wrong:
        raise NothingBegun(str(wrong)) from None
    lease = alone(project.store, wait=True)
    if lease is None:
        raise ProjectProblem(f"{project.store} cannot be written to")
    try:
        done = collect(project.store, keep, pinned(project))
        return told(done) + (_SPARED.format(shown(keep.size)) if done.left > keep.size else "")
    finally:
        lease.release()


def fsck(project: Project, words: Sequence[str]) -> int:
    """1 when something is wrong and was left as it is."""
    if words not in ([], ["--repair"]):
        raise Misused("cache", "fsck")
    lease = alone(project.store, wait=True) if words else share(project.store)
    found = list(faults(project.store))
    for fault in found:
        sys.stdout.write(f"{fault.text}\n")
    if words and found:
        sys.stdout.write(f"repaired: {repair(found)} files are gone and will be made again\n")
    if not found:
        sys.stdout.write("everything is sound\n")
    if lease is not None:
        lease.release()
    return 1 if found and not words else 0


def told(done: Collected) -> str:
    what = f"{done.results} results, {done.blobs} blobs and {done.folders} folders"
    return f"store: {what} are gone, {shown(done.freed)}; {shown(done.left)} are left\n"


def _row(title: str, items: list[Item]) -> str:
    if not items:
        return f"{title}: none\n"
    days = (time.time() - min(item.used for item in items)) / 86400
    return f"{title}: {len(items)}, {shown(sum(item.size for item in items))}, the oldest {days:.0f} days old\n"


def _shared(project: Project) -> str:
    remote = project.remote
    if not remote.cache or remote.policy == "off":
        return "none"
    return f"{remote.cache} (policy {remote.policy}, upload {remote.upload})"


def _options(words: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    waiting = list(words)
    while waiting:
        name, equals, value = waiting.pop(0).removeprefix("--").partition("=")
        if name not in names or (not equals and not waiting):
            raise Misused("cache", "gc")
        found[name] = value if equals else waiting.pop(0)
    return found
