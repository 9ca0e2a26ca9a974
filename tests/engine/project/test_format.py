"""`loom fmt`: which files it lays out, what it says, and what it leaves alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
UNTIDY = "enum   RoomClass {Cold}\n\n\n\nenum SeedOrder{ First,Last }\n"
TIDY = "enum RoomClass { Cold }\n\nenum SeedOrder { First, Last }\n"


def loom(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = f"import sys; from loom.cli import main; sys.exit(main({list(words)!r}))"
    variables = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "loom.yaml").write_text("systems: {vault: {entry: main.ddd, out: build/vault}}\n")
    for name in ("main.ddd", "model/seed rooms.ddd", "build/vault/kept.ddd", ".hidden/kept.ddd"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(UNTIDY)
    return tmp_path


def test_whole_project_is_laid_out_once(project: Path) -> None:
    done = loom(project / "model", "fmt")
    assert (done.returncode, done.stdout) == (0, "laid out main.ddd\nlaid out model/seed rooms.ddd\n")
    assert (project / "model/seed rooms.ddd").read_text() == (project / "main.ddd").read_text() == TIDY
    assert (project / "build/vault/kept.ddd").read_text() == (project / ".hidden/kept.ddd").read_text() == UNTIDY
    assert loom(project, "fmt").stdout == loom(project, "fmt", "--check").stdout == ""


@pytest.mark.parametrize("folder", ["examples", "loom/build/project/starter"])
def test_models_that_people_start_from_are_laid_out(folder: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"  # the command leaves a .loom, which `loom init` would take for a part of the starter
    shutil.copytree(CHECKOUT / folder, copy, ignore=shutil.ignore_patterns("out", ".loom"))
    done = loom(copy, "fmt", "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_check_names_files_and_writes_nothing(project: Path) -> None:
    done = loom(project, "fmt", "--check", "main.ddd")
    assert (done.returncode, done.stdout) == (1, "would lay out main.ddd\n")
    assert (project / "main.ddd").read_text() == UNTIDY


@pytest.mark.parametrize("words", [["--range", "5:5"], ["--range=5:9"]])
def test_range_is_laid_out_alone(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "rooms.ddd").write_text(UNTIDY)
    assert loom(tmp_path, "fmt", "rooms.ddd", *words).returncode == 0
    assert (tmp_path / "rooms.ddd").read_text() == "enum   RoomClass {Cold}\n\nenum SeedOrder { First, Last }\n"


def test_file_with_mistakes_is_reported_and_others_are_laid_out(project: Path) -> None:
    (project / "main.ddd").write_text("enum RoomClass {Cold")
    done = loom(project, "fmt")
    assert done.returncode == 1
    assert "error[loom.parse-error]" in done.stdout and " --> main.ddd:1:21" in done.stdout
    assert (project / "main.ddd").read_text() == "enum RoomClass {Cold"
    assert (project / "model/seed rooms.ddd").read_text() == TIDY


def test_permissions_and_links_are_kept(project: Path) -> None:
    (project / "main.ddd").chmod(0o640)
    (project / "linked.ddd").symlink_to("main.ddd")
    assert loom(project, "fmt", "linked.ddd").returncode == 0
    assert (project / "linked.ddd").is_symlink() and (project / "main.ddd").read_text() == TIDY
    assert (project / "main.ddd").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "words", [["--range", "5:4", "main.ddd"], ["--range", "0:4", "main.ddd"], ["--range", "1:2"], ["--chek"]]
)
def test_wrong_words_show_the_usage(project: Path, words: list[str]) -> None:
    done = loom(project, "fmt", *words)
    assert done.returncode == 3 and done.stderr.startswith("usage: loom fmt ")
    assert (project / "main.ddd").read_text() == UNTIDY


def test_missing_file_is_named(project: Path) -> None:
    done = loom(project, "fmt", "rooms.ddd")
    assert done.returncode == 3 and "rooms.ddd: No such file" in done.stderr and "Traceback" not in done.stderr


def test_model_of_a_new_project_is_laid_out(tmp_path: Path) -> None:
    loom(tmp_path, "init")
    done = loom(tmp_path, "fmt", "--check")
    assert (done.returncode, done.stdout) == (0, "")
