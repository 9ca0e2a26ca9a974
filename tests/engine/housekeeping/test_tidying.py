"""A store that is tidied: what is named, new or in use stays; what is left goes, and is made again when asked for."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loom.build.housekeeping.check import faults
from loom.build.housekeeping.collect import collect
from loom.build.housekeeping.inventory import blobs
from loom.build.housekeeping.lease import share
from loom.build.housekeeping.limits import Keep, keep_of, shown
from loom.build.housekeeping.mark import is_due
from loom.build.store.content import ContentStore
from tests.engine.core.bare import action_runner, runs, shell
from tests.engine.core.tide_project import CHECKOUT, LoomProject, loom
from tests.engine.housekeeping.stores import DAY, ROOMY, act, age, keys, script


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


def test_store_is_tidy_for_a_day_from_the_moment_it_is_made(tmp_path: Path) -> None:
    root = tmp_path / "made" / "anew"
    share(root).release()
    assert not is_due(root, ROOMY) and (root / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: ")
    age(root, 2)
    assert is_due(root, ROOMY)
    share(root).release()
    assert is_due(root, ROOMY)


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


@pytest.mark.parametrize(("text", "bytes_"), [("20GiB", 20 << 30), ("512MiB", 512 << 20), ("0KiB", 0)])
def test_sizes_have_units(text: str, bytes_: int) -> None:
    assert keep_of({"size": text}).size == bytes_
    assert shown(20 << 30) == "20.0 GiB"


@pytest.mark.parametrize(("name", "text"), [("size", "20"), ("age", "30GiB"), ("free", "-1GiB"), ("size", "many")])
def test_size_without_a_unit_is_no_size(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}`"):
        keep_of({name: text})


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
        assert loom(project, "cache", *words, code=3).startswith(f"usage: loom cache {words[0]} "), words


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


def test_full_store_is_tidied_at_the_end_of_a_run(project: LoomProject) -> None:
    store = project.root / "store"
    gone = ContentStore(store).put(b"nobody names this")
    age(store, 40)
    (store / "gc.stamp").unlink(missing_ok=True)
    project.write("quay", "context QuayHTTPLog\nneap tide class flood\n")
    project.doit()
    assert not ContentStore(store).has(gone) and (store / "gc.stamp").exists()
    assert set(project.doit().marks.values()) == {"kept"}
