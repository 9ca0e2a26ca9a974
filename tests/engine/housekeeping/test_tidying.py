"""A store that is tidied: what is named, new or in use stays; what is left goes, and is made again when asked for."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.build.housekeeping import inventory
from loom.build.housekeeping.check import faults, repair
from loom.build.housekeeping.collect import collect, is_due
from loom.build.housekeeping.inventory import Item, blobs, entries
from loom.build.housekeeping.lease import alone, share
from loom.build.housekeeping.limits import Keep, keep_of, shown
from loom.build.store.content import ContentStore
from tests.engine.core.bare import action_runner, runs, shell
from tests.engine.core.tide_project import CHECKOUT, LoomProject, loom

DAY = 86400.0
ROOMY = Keep(size=1 << 40, age=int(30 * DAY), free=0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


def script(word: str, size: int = 100) -> str:
    return f"mkdir /out/report; printf '%0{size}d' 7 > /out/report/{word}; echo {word} >> /out/report/{word}"


def act(root: Path, word: str, size: int = 100) -> str:
    """Makes one result; its key."""
    return action_runner(root).run(shell(script(word, size), root)).result.key


def age(root: Path, days: float, *names: str) -> None:
    """As if nobody had come near for so long."""
    then = time.time() - days * DAY
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            if not names or any(part in f"{folder}/{name}" for part in names):
                os.utime(f"{folder}/{name}", (then, then), follow_symlinks=False)


def keys(root: Path) -> set[str]:
    return {entry.key for entry in entries(root)}


def test_what_is_in_use_stays_and_is_whole(root: Path) -> None:
    key = act(root, "quay")
    age(root, 2)
    done = collect(root, ROOMY, ())
    assert done.results == 0 and keys(root) == {key}
    assert list(faults(root)) == []
    assert action_runner(root).run(shell(script("quay"), root)).how == "restored"


def test_blobs_that_nothing_names_go_after_an_hour(root: Path) -> None:
    store = ContentStore(root)
    old, new = store.put(b"nobody names this"), store.put(b"nobody names this yet")
    age(root, 0.1, old.sha256)
    collect(root, ROOMY, ())
    assert (store.has(old), store.has(new)) == (False, True)


def test_results_that_were_not_used_for_long_go_with_their_blobs(root: Path) -> None:
    key = act(root, "quay")
    age(root, 31)
    done = collect(root, ROOMY, ())
    assert done.results == 1 and done.freed > 0 and keys(root) == set() and blobs(root) == {}
    assert act(root, "quay") == key and runs(root) == 2


def test_pinned_results_stay_whatever_their_age(root: Path) -> None:
    key = act(root, "quay")
    age(root, 300)
    collect(root, Keep(size=0, age=0, free=0), {key})
    assert keys(root) == {key} and list(faults(root)) == []


def test_use_makes_a_result_young(root: Path) -> None:
    kept, gone = act(root, "quay"), act(root, "berth")
    age(root, 31)
    # Another process: the one that made a result does not look at it again.
    subprocess.run(
        [sys.executable, "-c", "import sys; from pathlib import Path; from loom.build.store.results import ResultStore;"
         "ResultStore(Path(sys.argv[1])).read(sys.argv[2])", str(root), kept], check=True, cwd=CHECKOUT,
    )  # fmt: skip
    collect(root, ROOMY, ())
    assert keys(root) == {kept} and gone != kept and list(faults(root)) == []


def test_least_recently_used_go_when_there_is_no_room(root: Path) -> None:
    made = [act(root, f"berth{number}", 100_000) for number in range(4)]
    for number, key in enumerate(made):
        age(root, 10 - number, key, "cas", "trees")
    collect(root, Keep(size=250_000, age=int(30 * DAY), free=0), ())
    assert keys(root) == set(made[2:]) and list(faults(root)) == []


def test_limit_below_a_single_run_keeps_that_run(root: Path) -> None:
    key = act(root, "quay", 100_000)
    done = collect(root, Keep(size=1, age=int(DAY), free=0), ())
    assert keys(root) == {key} and done.left > 100_000


def test_disk_that_is_nearly_full_makes_room(root: Path) -> None:
    act(root, "quay", 100_000)
    age(root, 2)
    assert is_due(root, Keep(free=1 << 62))
    collect(root, Keep(size=1 << 40, age=int(30 * DAY), free=1 << 62), ())
    assert keys(root) == set()


def test_clock_that_went_backwards_removes_nothing(root: Path) -> None:
    key = act(root, "quay")
    collect(root, ROOMY, (), now=time.time() - 400 * DAY)
    assert keys(root) == {key} and list(faults(root)) == []


def test_litter_of_killed_processes_goes_and_foreign_files_stay(root: Path) -> None:
    act(root, "quay")
    for name in ("tmp/left-1-2-3", "work/left-1/out/half", "locks/abc", "cas/0/" + "0" * 64 + ".bad", "lost+found/x"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    (root / "work/left-1/out").chmod(0o500)
    (root / "tmp/young").write_text("x")
    age(root, 1, "left", "locks", ".bad", "lost+found")
    collect(root, ROOMY, ())
    left = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert "tmp/young" in left and "lost+found/x" in left and "CACHEDIR.TAG" in left
    assert not [path for path in left if "left-1" in path or ".bad" in path or path == "locks/abc"]


def test_laid_out_inputs_go_before_results(root: Path) -> None:
    key = act(root, "quay", 1000)
    tree = root / "trees" / ("a" * 64)
    tree.mkdir(parents=True)
    (tree / "big").write_bytes(b"x" * 500_000)
    age(root, 2)
    collect(root, Keep(size=100_000, age=int(30 * DAY), free=0), ())
    assert keys(root) == {key} and not tree.exists()


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
    program = (
        "import sys, time; from pathlib import Path; from loom.build.housekeeping.lease import share;"
        "lease = share(Path(sys.argv[1])); print('held', flush=True); time.sleep(float(sys.argv[2]))"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program, str(root), "1.5"], stdout=subprocess.PIPE, cwd=CHECKOUT, text=True
    )
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    waiter = subprocess.run(
        [sys.executable, "-c", "import sys; from pathlib import Path;"
         "from loom.build.housekeeping.lease import alone; alone(Path(sys.argv[1]), wait=True)", str(root)],
        cwd=CHECKOUT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    holder.wait()
    assert f"waiting for process {holder.pid}, which uses the store" in waiter.stderr


@pytest.mark.parametrize("harm", ["flip", "cut", "lose", "garble", "foreign"])
def test_check_finds_every_harm_and_repairs_it(root: Path, harm: str) -> None:
    key = act(root, "quay")
    entry = entries(root)[0]
    assert entry.blobs is not None
    place = Path(ContentStore(root).path(entry.blobs[0].sha256))
    result = Path(entry.item.path)
    for path in (place, result):
        path.chmod(0o600)
    match harm:
        case "flip":
            place.write_bytes(place.read_bytes()[:-1] + b"~")
        case "cut":
            place.write_bytes(b"")
        case "lose":
            place.unlink()
        case "garble":
            result.write_text("{")
        case "foreign":
            result.rename(result.with_name("f" * 64 + ".json"))
    found = list(faults(root))
    assert found and repair(found) == len(found)
    assert list(faults(root)) == []
    assert act(root, "quay") == key and list(faults(root)) == []


def test_what_others_make_during_a_check_is_no_fault(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what was wrong before is found all the same."""
    act(root, "quay")
    made: list[str] = []

    def busy(path: str) -> str:
        if len(made) < 3:
            made.append(act(root, f"class_{len(made)}"))
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()

    monkeypatch.setattr("loom.build.housekeeping.check._sha256", busy)
    assert list(faults(root)) == []
    assert made and keys(root) > set(made)
    lost = next(iter(blobs(root).values())).path
    Path(lost).unlink()
    assert any(Path(lost).name in fault.text for fault in faults(root))


def test_result_that_is_forgotten_while_results_are_listed_is_not_garbled(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, forgotten = act(root, "quay"), act(root, "berth")

    listed = inventory.files

    def forgetting(folder: Path) -> Iterator[Item]:
        for item in listed(folder):
            if Path(item.path).name == f"{forgotten}.json":
                Path(item.path).unlink()
            yield item

    monkeypatch.setattr(inventory, "files", forgetting)
    assert list(faults(root)) == []
    assert keys(root) == {kept}


@pytest.mark.parametrize(("text", "bytes_"), [("20GiB", 20 << 30), ("512MiB", 512 << 20), ("0KiB", 0)])
def test_sizes_have_units(text: str, bytes_: int) -> None:
    assert keep_of({"size": text}).size == bytes_
    assert shown(20 << 30) == "20.0 GiB"


@pytest.mark.parametrize(("name", "text"), [("size", "20"), ("age", "30GiB"), ("free", "-1GiB"), ("size", "many")])
def test_size_without_a_unit_is_no_size(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}`"):
        keep_of({name: text})


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    project = LoomProject(tmp_path / "harbour")
    project.doit()
    return project


def test_commands_say_what_there_is_and_what_went(project: LoomProject) -> None:
    assert "results: " in loom(project, "cache", "stats") and "limits: 20.0 GiB at most" in loom(
        project, "cache", "stats"
    )
    age(project.root / "store", 40)
    told = loom(project, "cache", "gc", "--age", "7d")
    assert "results" in told and "are left" in told
    assert "everything is sound" in loom(project, "cache", "fsck")
    assert set(project.doit().marks.values()) == {"kept"}
    for words in (["gc", "--sise=1GiB"], ["gc", "--size"], ["fsck", "--mend"], ["stats", "all"]):
        assert loom(project, "cache", *words, code=2).startswith(f"usage: loom cache {words[0]} "), words


def test_what_is_spared_although_it_does_not_fit_is_said(project: LoomProject) -> None:
    told = loom(project, "cache", "gc", "--size", "1KiB")
    assert told.splitlines()[1].startswith("that is more than 1.0 KiB: what was used within the last hour stays")
    assert "that is more" not in loom(project, "cache", "gc")


def test_this_projects_last_run_survives_any_limit(project: LoomProject) -> None:
    age(project.root / "store", 400)
    loom(project, "cache", "gc", "--size", "0KiB", "--age", "0h")
    shutil.rmtree(project.root / ".loom")
    assert set(project.doit().marks.values()) == {"restored"}


def test_what_an_explanation_needs_survives(project: LoomProject) -> None:
    project.write("quay", "context QuayHTTPLog\nneap tide class ebb\n")
    project.doit()
    before = project.doit("explain", "emit:quay_api").text
    age(project.root / "store", 2)
    loom(project, "cache", "gc")
    assert project.doit("explain", "emit:quay_api").text == before and "->" in before


def test_check_of_a_damaged_store_fails_until_it_is_repaired(project: LoomProject) -> None:
    victim = next((project.root / "store" / "cas").rglob("[0-9a-f]" * 64))
    victim.chmod(0o600)
    victim.write_bytes(b"~")
    assert f"blob {victim.name} is damaged" in loom(project, "cache", "fsck", code=1)
    assert "will be made again" in loom(project, "cache", "fsck", "--repair")
    assert "everything is sound" in loom(project, "cache", "fsck")
    shutil.rmtree(project.root / "out")
    project.doit()


def test_full_store_is_tidied_at_the_end_of_a_run(project: LoomProject) -> None:
    store = project.root / "store"
    gone = ContentStore(store).put(b"nobody names this")
    age(store, 40)
    (store / "gc.stamp").unlink(missing_ok=True)
    project.write("quay", "context QuayHTTPLog\nneap tide class flood\n")
    project.doit()
    assert not ContentStore(store).has(gone) and (store / "gc.stamp").exists()
    assert set(project.doit().marks.values()) == {"kept"}


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
            said, _ = process.communicate(timeout=60)
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
    texts = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0] * 4 and "Traceback" not in "".join(texts), texts
    assert list(faults(project.root / "store")) == []
    assert set(project.doit().marks.values()) == {"kept"}
