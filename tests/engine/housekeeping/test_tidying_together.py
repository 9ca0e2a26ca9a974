"""Stores that are tidied while others use them, tidy them too, or die: nothing is lost."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

from loom.build.housekeeping.check import faults
from loom.build.housekeeping.lease import alone, share
from tests.engine.core.bare import action_runner, shell
from tests.engine.core.tide_project import CHECKOUT, LoomProject, loom
from tests.engine.housekeeping.stores import act, age, keys, script
from tests.kit.waiting import LONGEST


def test_store_in_use_is_not_tidied_and_one_being_tidied_waits(root: Path) -> None:
    lease = share(root)
    assert alone(root, wait=False) is None
    other = share(root)
    lease.release()
    assert alone(root, wait=False) is None
    other.release()
    held = alone(root, wait=False)
    assert held is not None
    held.release()


def test_waiting_names_the_process_that_is_waited_for(root: Path) -> None:
    """It holds the store until the one that waits has said so."""
    words = "import sys; from pathlib import Path; from loom.build.housekeeping.lease import alone, share;"
    hold = f"{words} lease = share(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    wait = f"{words} alone(Path(sys.argv[1]), wait=True)"
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(root)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=CHECKOUT, text=True,
    )  # fmt: skip
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    waiter = subprocess.Popen([sys.executable, "-c", wait, str(root)], stderr=subprocess.PIPE, cwd=CHECKOUT, text=True)
    assert waiter.stderr is not None
    said = waiter.stderr.readline()
    holder.communicate()
    waiter.communicate()
    assert f"waiting for process {holder.pid}, which uses the store" in said
    assert waiter.returncode == 0


def test_builds_and_tidying_at_the_same_time_never_lose_anything(tmp_path: Path) -> None:
    """Four checkouts build and change in turns while the store that they share is tidied as hard as can be."""
    store = tmp_path / "store"
    projects = [LoomProject(tmp_path / f"harbour{number}", LOOM_STORE=str(store)) for number in range(4)]
    for rounds in range(4):
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "doit"], cwd=project.root, env=project.environment,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )
            for project in projects
        ]  # fmt: skip
        age(store, 2)
        loom(projects[0], "cache", "gc", "--size", "0KiB", "--age", "0h")
        for process in running:
            said, _ = process.communicate(timeout=LONGEST)
            assert process.returncode == 0, said
        for number, project in enumerate(projects):
            project.write("quay", f"context QuayHTTPLog\nneap tide class ebb{rounds % 3 + number % 2}\n")
    assert list(faults(store)) == []
    for project in projects:
        shutil.rmtree(project.root / "out")
        project.doit()
    outputs = [project.output() for project in projects]
    assert outputs[0]["harbour/quay_api/main.txt"] == outputs[2]["harbour/quay_api/main.txt"]


# Counts the calls that take something away, and dies at the one whose number it was given.
DEADLY = """
import os, signal, sys
from pathlib import Path
from loom.build.housekeeping.collect import collect
from loom.build.housekeeping.lease import alone
from loom.build.housekeeping.limits import Keep
count, last = 0, int(sys.argv[2])
def deadly(name):
    call = getattr(os, name)
    def counted(*args, **options):
        global count
        count += 1
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **options)
    setattr(os, name, counted)
for name in ("unlink", "rename", "rmdir", "mkdir", "chmod"):
    deadly(name)
root = Path(sys.argv[1])
assert alone(root, wait=False) is not None
collect(root, Keep(size=0, age=0, free=0), ())
"""


def test_tidying_that_is_killed_at_any_point_leaves_a_sound_store(tmp_path: Path) -> None:
    """And lets go of it: the next one has the store to itself at once."""
    killed = 0
    for last in range(1, 200):
        root = tmp_path / str(last) / "store"
        act(root, "quay")
        age(root, 2)
        kept = act(root, "berth")
        words = [sys.executable, "-c", DEADLY, str(root), str(last)]
        code = subprocess.run(words, cwd=CHECKOUT, check=False).returncode
        assert list(faults(root)) == [] and kept in keys(root)
        lease = alone(root, wait=False)
        assert lease is not None
        lease.release()
        assert action_runner(root).run(shell(script("quay"), root)).how in ("ran", "restored")
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
    assert killed > 5


def test_two_that_tidy_at_once_take_turns(project: LoomProject) -> None:
    age(project.root / "store", 2)
    main = "import sys; from loom.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", main, "cache", "gc", "--size", "0KiB"]
    running = [
        subprocess.Popen(
            words,
            cwd=project.root,
            env=project.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(4)
    ]
    texts = [process.communicate(timeout=LONGEST)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 4 and "Traceback" not in "".join(texts), texts
    assert list(faults(project.root / "store")) == []
    assert set(project.doit().marks.values()) == {"kept"}
