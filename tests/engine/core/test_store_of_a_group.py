"""A store that the people of a group share: whoever comes first, and whatever their umask, others can go on."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from loom.build.housekeeping.check import faults
from loom.build.housekeeping.collect import collect
from loom.build.housekeeping.lease import Lease, alone, share
from loom.build.housekeeping.limits import Keep
from loom.build.store.results import ResultStore
from tests.engine.core.bare import action_runner, shell

GROUP, ANN, BEN = 65533, 65531, 65532
"""A group and two people of it."""
SAME, OTHER = "cp /in/model/name /out/report", "mkdir /out/report; cp /in/model/name /out/report/class"
LEASES: list[Lease] = []


@pytest.fixture
def store() -> Iterator[Path]:
    """As whoever looks after it makes it: the group's own, and so is what is made in it."""
    if os.getuid() != 0:
        pytest.fail("only root may become others: run this test as root")
    folder = Path(tempfile.mkdtemp(prefix="loom-of-a-group-"))
    folder.chmod(0o777)
    (folder / "store").mkdir()
    os.chown(folder / "store", -1, GROUP)
    (folder / "store").chmod(0o2775)
    (folder / "runs.log").touch()
    (folder / "runs.log").chmod(0o666)
    yield folder / "store"
    shutil.rmtree(folder)


def person(user: int, umask: int = 0o022) -> ProcessPoolExecutor:
    """A process of somebody of the group, and of no other."""
    return ProcessPoolExecutor(1, get_context("fork"), become, (user, umask))


def become(user: int, umask: int) -> None:
    os.setgroups([])
    os.setgid(GROUP)
    os.setuid(user)
    os.umask(umask)


def done(root: Path, script: str) -> str:
    return action_runner(root).run(shell(script, root)).how


def forget(root: Path, script: str) -> None:
    ResultStore(root).forget(action_runner(root).key(shell(script, root)))


def tidied(root: Path) -> int:
    """Results that went, a season later."""
    return collect(root, Keep(), (), time.time() + 90 * 86400).results


@pytest.mark.parametrize(("hers", "his"), [(0o022, 0o002), (0o077, 0o022), (0o002, 0o077)])
def test_each_goes_on_where_the_other_was(store: Path, hers: int, his: int) -> None:
    with person(ANN, hers) as ann, person(BEN, his) as ben:
        assert ann.submit(done, store, SAME).result() == "ran"
        assert [ben.submit(done, store, script).result() for script in (SAME, OTHER)] == ["restored", "ran"]
        assert ann.submit(done, store, OTHER).result() == "restored"
        for one in (ben, ann):
            one.submit(forget, store, SAME).result()
            assert one.submit(done, store, SAME).result() == "ran"
    for folder in ("ac", "cas", "tmp", "trees", "locks", "work"):
        found = (store / folder).stat()
        assert (stat.S_IMODE(found.st_mode), found.st_gid) == (0o2775, GROUP), folder
    assert list(faults(store)) == []


def take_share(root: Path) -> None:
    LEASES.append(share(root))


def give_back() -> None:
    LEASES.pop().release()


def is_alone(root: Path) -> bool:
    lease = alone(root, wait=False)
    if lease is not None:
        lease.release()
    return lease is not None


def test_nobody_tidies_while_another_is_at_work(store: Path) -> None:
    for maker, cleaner in ((ANN, BEN), (BEN, ANN)):
        with person(maker) as one, person(cleaner) as other:
            one.submit(take_share, store).result()
            assert not other.submit(is_alone, store).result()
            one.submit(give_back).result()
            assert other.submit(is_alone, store).result()


def test_each_tidies_what_the_other_left(store: Path) -> None:
    """But for folders that were laid out: those go when whoever laid them out tidies."""
    with person(ANN) as ann, person(BEN) as ben:
        for one, other in ((ann, ben), (ben, ann)):
            assert one.submit(done, store, SAME).result() == "ran"
            assert other.submit(tidied, store).result() == 1
        assert ben.submit(tidied, store).result() == 0
    assert not list((store / "ac").iterdir()) and (store / "CACHEDIR.TAG").is_file()
