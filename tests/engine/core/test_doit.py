"""What a doit user sees: marks, cut-off, restoring, edits, damage, commands and exit codes."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.core.tide_project import MODEL, TideProject
from tests.kit.waiting import LONGEST

EVERY = {
    "parse:model/main.tide", "parse:model/quay.tide", "parse:model/berth.tide", "lower", "plan",
    "emit:quay_api", "emit:berth_api", "render:compose", "generate",
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> TideProject:
    return TideProject(tmp_path / "harbour")


def test_everything_runs_once(project: TideProject) -> None:
    first = project.doit()
    assert first.marks == dict.fromkeys(EVERY, "ran")
    assert project.output()["harbour/quay_api/main.txt"] == "quay_api\nclass\nneap\ntide\n"
    assert (project.root / "out/harbour/quay_api/bin/run").stat().st_mode & 0o111
    for _ in range(2):
        assert project.doit().marks == dict.fromkeys(EVERY, "kept")


@pytest.mark.parametrize("lost", [["out"], [".loom"], [".loom/doit.sqlite"], [".loom/state.marshal"], ["out", ".loom"]])
def test_whatever_is_lost_is_restored(project: TideProject, lost: list[str]) -> None:
    project.doit()
    before = project.output()
    for name in lost:
        place = project.root / name
        shutil.rmtree(place) if place.is_dir() else place.unlink()
    assert not project.ran()
    assert project.output() == before
    assert set(project.doit().marks.values()) == {"kept"}


def test_comment_runs_parse_alone(project: TideProject) -> None:
    project.doit()
    project.write("quay", "# about tides\n\n" + MODEL["quay"])
    assert project.ran() == {"parse:model/quay.tide"}


def test_warning_is_told_each_time_and_moves_with_its_line(project: TideProject) -> None:
    project.write("quay", "context QuayHTTPLog\nodd tide\n")
    assert "model/quay.tide:2: warning: odd word" in project.doit().text
    assert "model/quay.tide:2: warning: odd word" in project.doit().text
    project.write("quay", "# one\n# two\ncontext QuayHTTPLog\nodd tide\n")
    done = project.doit()
    assert "model/quay.tide:4: warning: odd word" in done.text
    assert done.marks["lower"] == "kept" and done.text.count("odd word") == 1


def test_change_of_one_context_leaves_the_other_deployable_alone(project: TideProject) -> None:
    project.doit()
    project.write("quay", MODEL["quay"] + "ebb\n")
    done = project.doit().marks
    assert done["emit:quay_api"] == "ran" and done["emit:berth_api"] == "kept"
    assert (project.root / "out/harbour/quay_api/main.txt").read_text().split() == [
        "quay_api", "class", "ebb", "neap", "tide",
    ]  # fmt: skip
    project.write("quay", MODEL["quay"])
    assert not project.ran()
    assert "ebb" not in (project.root / "out/harbour/quay_api/main.txt").read_text()


def test_change_that_means_nothing_stops_where_it_ends(project: TideProject) -> None:
    project.doit()
    project.write("quay", "context QuayHTTPLog\nclass tide neap neap\n")
    assert project.ran() == {"parse:model/quay.tide", "lower"}


def test_error_names_every_mistake_and_stops_what_follows(project: TideProject) -> None:
    project.write("quay", "context QuayHTTPLog\nneap bad\n")
    project.write("berth", "context Berth\nbad\n")
    done = project.doit(code=1)
    assert "model/quay.tide:2: error: bad word" in done.text
    assert "model/berth.tide:2: error: bad word" in done.text
    assert done.text.count("bad word") == 2
    assert "plan" not in done.marks and not (project.root / "out").exists()
    again = project.doit(code=1)
    assert again.text.count("bad word") == 2
    project.write("quay", MODEL["quay"])
    project.write("berth", MODEL["berth"])
    project.doit()
    assert project.output()


def test_edited_output_stops_generate_until_overwrite(project: TideProject) -> None:
    project.doit()
    edited = project.root / "out/harbour/quay_api/main.txt"
    edited.write_text("mine\n")
    done = project.doit(code=1)
    assert "quay_api/main.txt" in done.text and edited.read_text() == "mine\n"
    done = project.doit("generate", "--overwrite")
    assert "overwrote out/harbour/quay_api/main.txt: it was edited\n" in done.text
    assert edited.read_text().startswith("quay_api")
    edited.unlink()
    assert "overwrote" not in project.doit("generate", "--overwrite").text


def test_deleted_output_returns_and_stale_output_goes(project: TideProject) -> None:
    project.doit()
    (project.root / "out/harbour/berth_api/main.txt").unlink()
    assert not project.ran()
    assert (project.root / "out/harbour/berth_api/main.txt").exists()
    project.write("main", MODEL["main"].replace("deploy berth_api on node hosts Berth\n", ""))
    project.doit()
    assert not (project.root / "out/harbour/berth_api").exists()


@pytest.mark.parametrize("damage", [b"", b"garbage" * 200, "truncate"])
def test_broken_database_is_moved_aside(project: TideProject, damage: bytes | str) -> None:
    project.doit()
    database = project.root / ".loom/doit.sqlite"
    database.write_bytes(damage if isinstance(damage, bytes) else database.read_bytes()[:5000])
    project.doit("list")
    assert not project.ran()


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x00" * 64])
def test_broken_state_file_is_ignored(project: TideProject, damage: bytes) -> None:
    project.doit()
    (project.root / ".loom/state.marshal").write_bytes(damage)
    assert set(project.doit().marks.values()) == {"kept"}


@pytest.mark.parametrize("lost", [["out"], ["out", ".loom"]])
def test_damaged_blobs_are_made_again(project: TideProject, lost: list[str]) -> None:
    project.doit()
    before = project.output()
    for blob in (project.root / "store/cas").rglob("*"):
        if blob.is_file():
            blob.chmod(0o600)
            blob.write_bytes(blob.read_bytes()[:-1] + b"\0")
    for name in lost:
        shutil.rmtree(project.root / name)
    project.doit()
    assert project.output() == before
    shutil.rmtree(project.root / "out")
    assert not project.ran()


def test_emptied_store_is_filled_again(project: TideProject) -> None:
    project.doit()
    shutil.rmtree(project.root / "store")
    shutil.rmtree(project.root / "out")
    project.doit()
    assert "harbour/docker-compose.yml" in project.output()


def test_two_at_a_time(project: TideProject) -> None:
    assert project.doit("-n", "2").marks == dict.fromkeys(EVERY, "ran")
    assert project.doit("-n", "2").marks == dict.fromkeys(EVERY, "kept")


def test_four_runs_at_once_agree(project: TideProject) -> None:
    words = [sys.executable, "-m", "doit"]
    started = [
        subprocess.Popen(words, cwd=project.root, env=project.environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    texts = [process.communicate(timeout=LONGEST)[0] for process in started]
    assert [process.returncode for process in started] == [0] * 4, texts
    assert project.output()["harbour/quay_api/main.txt"] == "quay_api\nclass\nneap\ntide\n"
    assert not project.ran()


def test_killed_run_is_taken_up(project: TideProject) -> None:
    (project.root / "dodo.py").write_text(
        (project.root / "dodo.py").read_text()
        + "import os, signal\nfrom loom.build.work.generate import GenerateWork\n"
        + "if 'KILL' in os.environ:\n    GenerateWork.run = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    project.environment["KILL"] = "yes"
    project.doit(code=-signal.SIGKILL)
    del project.environment["KILL"]
    assert not project.ran()
    assert project.output()


def test_everything_goes_on_after_a_failure_when_asked(project: TideProject) -> None:
    project.write("quay", "context QuayHTTPLog\nbad\n")
    done = project.doit("-c", code=2)
    assert "generate not run" in done.text and done.text.count("bad word") == 1


def test_machine_readable_report(project: TideProject) -> None:
    told = json.loads(project.doit("-n", "2", "-r", "json").text)
    assert {row["name"]: row["result"] for row in told["tasks"]} == dict.fromkeys(EVERY, "success")


def test_store_is_shared_by_checkouts(tmp_path: Path) -> None:
    """Another path, locale, hash seed, umask and time zone: the same keys, so nothing runs, and the same bytes."""
    shared = str(tmp_path / "shared")
    one = TideProject(tmp_path / "one", LOOM_STORE=shared, PYTHONHASHSEED="1", LC_ALL="C")
    one.doit()
    place = tmp_path / "an other" / "pläce"
    two = TideProject(place, LOOM_STORE=shared, PYTHONHASHSEED="2", LC_ALL="C.UTF-8", TZ="Asia/Tokyo")
    two.environment["LOOM_UMASK"] = "077"
    (place / "dodo.py").write_text("import os\nos.umask(0o077)\n" + (place / "dodo.py").read_text())
    assert two.doit().marks == dict.fromkeys(EVERY, "restored")
    assert two.output() == one.output()


def test_commands_have_no_effect_and_right_status(project: TideProject) -> None:
    listed = project.doit("list", "--all").text
    assert {line.split()[0] for line in listed.splitlines()} >= EVERY
    assert not (project.root / "out").exists()
    assert project.doit("list", "-s", "--all").text.startswith("R ")
    project.doit()
    rows = [line.split() for line in project.doit("list", "-s", "--all").text.splitlines()]
    assert {row[1]: row[0] for row in rows if row[1] in EVERY} == dict.fromkeys(EVERY, "U")
    project.write("quay", MODEL["quay"] + "ebb\n")
    told = project.doit("info", "emit:quay_api", code=1).text
    assert "has to be made first" in told
    assert set(project.doit().marks) == EVERY


def test_forget_clean_and_wildcards(project: TideProject) -> None:
    project.doit()
    project.doit("forget", "lower")
    assert project.ran(mark="restored") == {"lower"}
    assert set(project.doit("emit:*").marks) >= {"emit:quay_api", "emit:berth_api"}
    edited = project.root / "out/harbour/quay_api/main.txt"
    edited.write_text("mine\n")
    number = len(project.output()) - 2  # but for the edited one and the list of what was written
    kept = "harbour/quay_api/main.txt: it was edited\n"
    dry = project.doit("clean", "-n", "generate").text
    assert dry.count("would remove out/harbour/") == number and dry.endswith(f"would keep out/{kept}")
    assert "executing" not in dry and len(project.output()) == number + 2
    assert project.doit("clean", "generate").text == f"removed from out/harbour: {number} files\nkept out/{kept}"
    assert project.output().keys() >= {"harbour/quay_api/main.txt"}
    assert "harbour/docker-compose.yml" not in project.output()
    edited.unlink()
    assert not project.ran()


def test_target_on_the_command_line(project: TideProject) -> None:
    project.doit("out/harbour/.loom/manifest.json")
    assert project.output()


def test_mistake_in_loom_yaml_is_one_line(project: TideProject) -> None:
    (project.root / "loom.yaml").write_text("systems: {harbour: {entri: x}}\n")
    done = project.doit(code=3)
    assert "loom.yaml" in done.text


def test_store_that_cannot_be_made_is_one_line(project: TideProject) -> None:
    project.environment["LOOM_STORE"] = "/dev/null/store"
    assert "/dev/null/store" in project.doit(code=3).text


def test_full_disk_is_one_line(project: TideProject) -> None:
    project.doit("plan")
    limit = "import resource\n"  # Python ignores SIGXFSZ
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    (project.root / "dodo.py").write_text(limit + (project.root / "dodo.py").read_text())
    (project.root / "loom.yaml").write_text((project.root / "loom.yaml").read_text() + "sandbox: bubblewrap\n")
    project.write("quay", MODEL["quay"] + "ebb " * 200 + "\n")
    done = project.doit(code=3)
    assert "File too large" in done.text


def test_lost_output_is_put_back_without_the_compiler(project: TideProject) -> None:
    project.doit()
    project.doit()
    before = project.output()
    shutil.rmtree(project.root / "out")
    dodo = project.root / "dodo.py"
    dodo.write_text(
        dodo.read_text()
        + "import atexit, sys\n"
        + "atexit.register(lambda: print('COMPILER', 'tests.engine.core.toy' in sys.modules))\n"
    )
    done = project.doit()
    assert done.marks["generate"] == "restored" and "COMPILER False" in done.text
    assert project.output() == before


def test_nothing_to_do_imports_no_compiler(project: TideProject) -> None:
    project.doit()
    project.doit()
    dodo = project.root / "dodo.py"
    dodo.write_text(
        dodo.read_text()
        + "import atexit, sys\n"
        + "atexit.register(lambda: print('HEAVY', sorted({'pydantic', 'lark', 'yaml', 'jinja2'} & set(sys.modules))))\n"
    )
    assert "HEAVY []" in project.doit().text
