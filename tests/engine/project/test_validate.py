"""`loom validate`: its formats, its counts, its colours, as a person and as another program see them."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loom import compiler
from loom.build.commands.validated import LAST
from loom.build.project import load_project
from loom.build.tasks import STAGE_TASKS
from loom.build.workspace import Workspace

CHECKOUT = Path(__file__).parents[3]
SOUND = (
    "system SeedVault {\n    context StorageRooms {\n        enum RoomClass { Cold, DeepFrozen }\n    }\n"
    "    deployable RoomService { platform: python contexts: [StorageRooms] port: 8111 }\n    ui { }\n}\n"
)
BROKEN = SOUND.replace("enum RoomClass { Cold, DeepFrozen }", "event RoomOpened { HTTPDoor: RoomKlass }")
PROGRAM = "import sys; from loom.cli import main; sys.exit(main({words!r}))"


def environment(**said: str) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if name not in ("NO_COLOR", "TERM", "GITHUB_WORKSPACE")}
    return {**kept, "PYTHONPATH": str(CHECKOUT), **said}


def loom(folder: Path, *words: str, **said: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM.format(words=list(words))]
    return subprocess.run(command, cwd=folder, env=environment(**said), capture_output=True, text=True, check=False)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A project in a folder of a checkout."""
    folder = tmp_path / "seed vault"
    folder.mkdir()
    (folder / "loom.yaml").write_text(f"store: {tmp_path}/store\nsystems: {{vault: {{entry: main.ddd}}}}\n")
    (folder / "main.ddd").write_text(BROKEN)
    return folder


def test_counts_end_the_text(vault: Path) -> None:
    done = loom(vault, "validate")
    assert done.returncode == 1
    assert "error[loom.unknown-type]: unknown type `RoomKlass`\n --> main.ddd:3:" in done.stdout
    assert done.stdout.endswith("1 error, 1 warning\n")
    (vault / "main.ddd").write_text(SOUND)
    for _ in range(2):
        done = loom(vault, "validate", "--format", "text")
        assert done.returncode == 0
        assert done.stdout.endswith("\n1 warning\n")


def test_formats_agree_and_are_alone_on_the_output(vault: Path) -> None:
    whole = json.loads(loom(vault, "validate", "--format", "json").stdout)
    assert {item["code"] for item in whole["diagnostics"]} == {"loom.unknown-type", "loom.ui-ignored"}
    run = json.loads(loom(vault, "validate", "--format=sarif").stdout)["runs"][0]
    assert [item["ruleId"] for item in run["results"]] == [item["code"] for item in whole["diagnostics"]]
    lines = loom(vault, "validate", "--format", "github").stdout.splitlines()
    assert len(lines) == len(whole["diagnostics"]) and all(line.startswith("::") for line in lines)


PROVED = """
system SeedVault {
    context StorageRooms {
        aggregate ColdRoom with crudish {
            HTTPDoor: string
            operation open(by: string, note: string = "") { HTTPDoor := by }
        }
        repository ColdRooms for ColdRoom { }
    }
    storage rooms { type: postgres }
    resource roomState { for: StorageRooms, kind: state, use: rooms }
    deployable RoomService { platform: python contexts: [StorageRooms] dataSources: [roomState] port: 8111 }
    deployable ShelfService { platform: node contexts: [StorageRooms] dataSources: [roomState] port: 8112 }
    ui { }
    test e2e "doors open" against RoomService, ShelfService {
        let room = api.coldRooms.create({ HTTPDoor: "north" })
        api.coldRooms.open(room, { by: "Mira", nte: "new hinge" })
    }
}
"""
DOUBTS = ["loom.e2e-unknown-field", "loom.ui-ignored"]


def test_every_format_and_task_tells_the_doubts_about_end_to_end_tests(vault: Path) -> None:
    (vault / "main.ddd").write_text(PROVED)
    for _ in range(2):  # made, then as the last run knew it
        assert_doubts_are_told(vault)
    shutil.rmtree(vault / ".loom")
    assert_doubts_are_told(vault)  # restored from the store
    assert doubts(loom(vault, "run", "-a", "validate").stdout) == DOUBTS
    for _ in range(2):
        assert doubts(loom(vault, "generate").stdout) == DOUBTS


def assert_doubts_are_told(vault: Path) -> None:
    """Text comes first, so that no other format has made anything for it."""
    text = loom(vault, "validate")
    assert (text.returncode, doubts(text.stdout)) == (0, DOUBTS)
    assert text.stdout.endswith("\n2 warnings\n")
    whole = json.loads(loom(vault, "validate", "--format", "json").stdout)
    assert sorted(item["code"] for item in whole["diagnostics"]) == DOUBTS
    run = json.loads(loom(vault, "validate", "--format", "sarif").stdout)["runs"][0]
    assert sorted(item["ruleId"] for item in run["results"]) == DOUBTS
    lines = loom(vault, "validate", "--format", "github").stdout.splitlines()
    assert sorted(re.findall(r"title=(.*?)::", "\n".join(lines))) == DOUBTS


def doubts(text: str) -> list[str]:
    """The codes of the warnings in it, as often as they are told."""
    return sorted(re.findall(r"warning\[(.*?)\]", text))


def test_whatever_is_looked_for_in_a_sound_model_is_told_by_the_tasks_up_to_validate(vault: Path) -> None:
    (vault / "main.ddd").write_text(PROVED)
    products = Workspace(load_project(vault), lambda: compiler).products
    looked_for = {stage for stage, _ in compiler.checks(products)}
    names = [task.name for task in STAGE_TASKS]
    told = {stage for task in STAGE_TASKS[: names.index(LAST) + 1] for stage in task.stages}
    assert looked_for == told and "service" in told


def test_misspelt_member_that_a_route_requires_is_an_error(vault: Path) -> None:
    (vault / "main.ddd").write_text(PROVED.replace('by: "Mira"', 'bye: "Mira"'))
    done = loom(vault, "validate")
    assert done.returncode == 1 and done.stdout.endswith("\n1 error, 2 warnings\n")
    assert done.stdout.count("error[loom.e2e-missing-field]: `ColdRoom.open` needs `by` and takes no `bye`\n") == 1


SEVERAL = """
enum DoorState { Open, Shut, Open }
system SeedVault {
    context StorageRooms {
        aggregate ColdRoom { HTTPDoor: string next: int = "one" }
        aggregate SeedShelf { derived size: int = weight derived weight: int = size }
    }
    deployable RoomService { platform: python contexts: [StorageRoms] port: 8111 }
    deployable ShelfService { platform: pythn contexts: [StorageRooms] port: 8111 }
}
"""


def test_what_lowering_and_validation_find_is_told_in_one_run(vault: Path) -> None:
    (vault / "main.ddd").write_text(SEVERAL)
    whole = json.loads(loom(vault, "validate", "--format", "json").stdout)
    told = sorted((item["start"]["line"], item["code"].removeprefix("loom.")) for item in whole["diagnostics"])
    assert told == [
        (2, "duplicate-enum-value"),
        (5, "assignment-type"),
        (6, "cyclic-derived"),
        (8, "linking-error"),
        (9, "duplicate-host-port"),
        (9, "unknown-platform"),
    ]


CALLERS = """
valueobject DoorPlate { HTTPHost: string sensitive(pii) }
system SeedVault {
    user { id: string }
    context StorageRooms { aggregate ColdRoom { keeper: string operation open() { keeper := currentUser.id } } }
    storage rooms { type: postgres }
    resource roomState { for: StorageRooms, kind: state, use: rooms }
    deployable RoomService { platform: python contexts: [StorageRooms] dataSources: [roomState] port: 8111 }
}
"""


def test_what_the_root_and_the_contexts_use_is_told_with_who_hosts_them(vault: Path) -> None:
    (vault / "main.ddd").write_text(CALLERS)
    whole = json.loads(loom(vault, "validate", "--format", "json").stdout)
    told = sorted((item["start"]["line"], item["code"]) for item in whole["diagnostics"])
    assert told == [
        (2, "loom.unsupported-feature"),
        (4, "loom.unsupported-feature"),
        (5, "loom.guard-principal-without-auth"),
        (5, "loom.unsupported-feature"),
    ]


@pytest.mark.parametrize("name", ["json", "sarif", "github"])
def test_exit_code_says_whether_there_are_errors(vault: Path, name: str) -> None:
    assert loom(vault, "validate", "--format", name).returncode == 1
    (vault / "main.ddd").write_text(SOUND)
    assert loom(vault, "validate", "--format", name).returncode == 0


def test_paths_are_those_of_the_checkout_on_github(vault: Path) -> None:
    done = loom(vault, "validate", "--format", "github", GITHUB_WORKSPACE=str(vault.parent))
    assert all(" file=seed vault/main.ddd," in line for line in done.stdout.splitlines())


@pytest.mark.parametrize("name", ["json", "sarif"])
def test_missing_entry_file_is_no_sound_model(vault: Path, name: str) -> None:
    (vault / "main.ddd").unlink()
    done = loom(vault, "validate", "--format", name)
    assert done.returncode == 3 and "there is no file `main.ddd`" in done.stderr and done.stdout == ""


@pytest.mark.parametrize("words", [["--format"], ["--format", "xml"], ["--format=xml"]])
def test_unknown_format_shows_the_usage(vault: Path, words: list[str]) -> None:
    done = loom(vault, "validate", *words)
    assert done.returncode == 3 and "--format text|json|sarif|github" in done.stderr
    told = "ERROR: there is no format `xml`: there are text, json, sarif, github\n"
    assert done.stderr.startswith(told if "xml" in "".join(words) else "usage: ")


def test_mistake_in_the_settings_is_told_once(vault: Path) -> None:
    (vault / "loom.yaml").write_text("systems: {vault: {enter: main.ddd}}\n")
    done = loom(vault, "validate")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("ERROR: ") and done.stderr.count("did you mean `entry`?") == 1


@pytest.mark.parametrize(
    ("said", "painted"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)]
)
def test_colours_are_for_terminals_that_want_them(vault: Path, said: dict[str, str], painted: bool) -> None:
    text = on_terminal(vault, said)
    assert ("\x1b[1;31merror[loom.unknown-type]\x1b[0m" in text) is painted
    assert ("\x1b" in text) is painted
    assert "\x1b" not in loom(vault, "validate", **said).stdout


def on_terminal(folder: Path, said: dict[str, str]) -> str:
    """What `loom validate` writes to a terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", PROGRAM.format(words=["validate"])]
    with subprocess.Popen(command, cwd=folder, env=environment(**said), stdout=theirs, stderr=theirs):
        os.close(theirs)
        text = b""
        while data := _read(ours):
            text += data
    os.close(ours)
    return text.decode()


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # the other side was closed
        return b""
