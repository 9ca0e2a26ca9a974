"""`loom generate` with nothing to do: the same words as through doit, without it, and only while nothing changed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[3]
MODEL = (
    "system SeedVault {\n    context StorageRooms {\n        enum RoomClass { Cold, DeepFrozen }\n    }\n"
    "    deployable RoomService { platform: python contexts: [StorageRooms] port: 8111 }\n    ui { }\n}\n"
)
WATCHED = ("doit", "pydantic", "lark", "yaml", "loom.compiler")
PROGRAM = (
    "import sys; from loom.cli import main\nsys.argv = ['loom', *sys.argv[1:]]; code = main()\n"
    f"print('LOADED', *(name for name in {WATCHED!r} if name in sys.modules)); sys.exit(code)"
)


class Answer(NamedTuple):
    code: int
    text: str
    loaded: list[str]

    @property
    def lines(self) -> list[str]:
        """doit chooses among tasks that do not wait for each other; how long it took is no matter."""
        return sorted(re.sub(r" in \d+\.\d s", "", self.text).splitlines())


class Vault:
    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "loom.yaml").write_text("store: store\nsystems: {vault: {entry: main.ddd}}\n")
        (root / "main.ddd").write_text(MODEL)

    def loom(self, *words: str, **said: str) -> Answer:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "PYTHONPATH": str(CHECKOUT), **said}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words], cwd=self.root, env=environment, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        text, _, loaded = done.stdout.rpartition("LOADED")
        return Answer(done.returncode, text, loaded.split())

    def log(self) -> list[dict[str, object]]:
        newest = max((self.root / ".loom/runs").iterdir())
        return [json.loads(line) for line in newest.read_text().splitlines()]


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    """A project with a warning, of which nothing is left to do."""
    made = Vault(tmp_path)
    for _ in range(2):  # the first may leave byte-code beside Loom's modules, which looks like a change of their folder
        assert made.loom("generate").code == 0
    return made


def test_nothing_to_do_is_answered_without_doit(vault: Vault) -> None:
    asked = vault.loom("run", "generate")
    assert "doit" in asked.loaded
    again = vault.loom("generate")
    assert again.loaded == []
    assert (again.code, again.lines) == (0, asked.lines)
    assert "main.ddd:6" in again.text and "-- generate\n" in again.text


def test_log_tells_of_it_as_of_any_run(vault: Vault) -> None:
    vault.loom("run", "generate")
    asked = vault.log()
    assert vault.loom("generate").loaded == []
    again = vault.log()
    assert (again[0]["program"], again[0]["words"]) == ("loom", ["generate"])
    assert sorted(str(line.get("task")) for line in again) == sorted(str(line.get("task")) for line in asked)
    assert again[-1]["kept"] == asked[-1]["kept"] and {line.get("how") for line in again[1:-1]} == {"kept"}


def forget(vault: Vault) -> None:
    assert vault.loom("forget", "emit").code == 0


def edit_model(vault: Vault) -> None:
    (vault.root / "main.ddd").write_text(MODEL.replace("Cold,", "Cool,"))


def comment(vault: Vault) -> None:
    (vault.root / "main.ddd").write_text("// seeds\n" + MODEL)


def choose(vault: Vault) -> None:
    (vault.root / "loom.yaml").write_text("store: store\nsystems: {vault: {entry: main.ddd, out: made}}\n")


def break_settings(vault: Vault) -> None:
    (vault.root / "loom.yaml").write_text("sistems: {}\n")


def lose_output(vault: Vault) -> None:
    (vault.root / "out/vault/docker-compose.yml").unlink()


def edit_output(vault: Vault) -> None:
    (vault.root / "out/vault/docker-compose.yml").write_text("services: {}\n")


def lose_state(vault: Vault) -> None:
    (vault.root / ".loom/state.marshal").unlink()


def lose_database(vault: Vault) -> None:
    (vault.root / ".loom/doit.sqlite").unlink()


def damage_answer(vault: Vault) -> None:
    (vault.root / ".loom/answer.marshal").write_bytes(b"garbled")


def set_doit_up(vault: Vault) -> None:
    (vault.root / "doit.cfg").write_text("[GLOBAL]\nverbosity = 2\n")


CHANGES = [
    forget, edit_model, comment, choose, break_settings, lose_output, edit_output, lose_state, lose_database,
    damage_answer, set_doit_up,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changed_is_for_doit(vault: Vault, change: Callable[[Vault], None]) -> None:
    assert vault.loom("generate").loaded == []
    change(vault)
    assert "doit" in vault.loom("generate").loaded


@pytest.mark.parametrize("said", [{"LOOM_CACHE": "write"}, {"LOOM_LOCKED": "1"}, {"LOOM_STORE": "elsewhere"}])
def test_other_wishes_are_for_doit(vault: Vault, said: dict[str, str]) -> None:
    assert vault.loom("generate").loaded == []
    assert "doit" in vault.loom("generate", **said).loaded


def test_edited_output_stops_it_as_through_doit(vault: Vault) -> None:
    assert vault.loom("generate").loaded == []
    edit_output(vault)
    stopped = vault.loom("generate")
    assert stopped.code == 1 and "docker-compose.yml: was edited" in stopped.text


def test_part_of_the_tasks_is_no_answer(vault: Vault) -> None:
    comment(vault)
    assert vault.loom("run", "-s", "generate").code == 0
    assert "doit" in vault.loom("generate").loaded
    assert vault.loom("generate").loaded == []
