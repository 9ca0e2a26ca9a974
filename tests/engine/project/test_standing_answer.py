"""`generate` with nothing to do: the same words as ever, without doit or its tasks, and only while nothing changed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

CHECKOUT = Path(__file__).parents[3]
MODEL = (
    "system SeedVault {\n    context StorageRooms {\n        enum RoomClass { Cold, DeepFrozen }\n    }\n"
    "    deployable RoomService { platform: python contexts: [StorageRooms] port: 8111 }\n    ui { }\n}\n"
)
WATCHED = ("doit", "loom.tasks", "pydantic", "lark", "yaml", "loom.compiler")
DEAR = ("collections", "contextlib", "hashlib", "json", "pathlib", "re", "typing")
PROGRAM = """
import sys
there = set(sys.modules)
{imported}
sys.argv = ['{program}', *sys.argv[1:]]
code = {run}
print('LOADED', *(name for name in {watched!r} if name in set(sys.modules) - there)); sys.exit(code)
"""
LOOM = {"program": "loom", "imported": "from loom.cli import main", "run": "main()"}
DOIT = {"program": "doit", "imported": "from doit.doit_cmd import DoitMain", "run": "DoitMain().run(sys.argv[1:])"}
# What `loom init` writes.
DODO = '"""All tasks."""\n\nfrom loom.tasks import DOIT_CONFIG, task_loom\n\n__all__ = ["DOIT_CONFIG", "task_loom"]\n'


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
        (root / "dodo.py").write_text(DODO)

    def loom(self, *words: str, watched: Sequence[str] = WATCHED, **said: str) -> Answer:
        return self._run(PROGRAM.format(watched=watched, **LOOM), words, said)

    def doit(self, *words: str, **said: str) -> Answer:
        return self._run(PROGRAM.format(watched=WATCHED[1:], **DOIT), words, said)

    def _run(self, program: str, words: Sequence[str], said: Mapping[str, str]) -> Answer:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "PYTHONPATH": str(CHECKOUT), **said}
        done = subprocess.run(
            [sys.executable, "-c", program, *words], cwd=self.root, env=environment, check=False,
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


def test_nothing_to_do_is_answered_through_doit_too(vault: Vault) -> None:
    asked = vault.doit("run", "generate")
    assert "loom.tasks" in asked.loaded
    for words in ([], ["generate"]):
        again = vault.doit(*words)
        assert again.loaded == []
        assert (again.code, again.lines) == (0, asked.lines)
        assert (vault.log()[0]["program"], vault.log()[0]["words"]) == ("doit", words)


def test_nothing_to_do_loads_next_to_nothing(vault: Vault) -> None:
    """Without a warning, which takes more to be shown."""
    (vault.root / "main.ddd").write_text(MODEL.replace("    ui { }\n", ""))
    assert vault.loom("generate").code == 0
    again = vault.loom("generate", watched=(*WATCHED, *DEAR))
    assert again.loaded == [] and "-- generate\n" in again.text


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


def swap_output(vault: Vault) -> None:
    """As many bytes, and the time of before."""
    place = vault.root / "out/vault/docker-compose.yml"
    was = place.stat()
    place.write_bytes(place.read_bytes()[::-1])
    os.utime(place, ns=(was.st_atime_ns, was.st_mtime_ns))


def move_output(vault: Vault) -> None:
    """A link in its place leads to the same files."""
    (vault.root / "out/vault/room_service/app").rename(vault.root / "elsewhere")
    (vault.root / "out/vault/room_service/app").symlink_to(vault.root / "elsewhere")


def run_output(vault: Vault) -> None:
    (vault.root / "out/vault/docker-compose.yml").chmod(0o755)


def forget_whose_output_it_is(vault: Vault) -> None:
    (vault.root / "out/vault/.loom/manifest.json").write_text("{}")


def rule(vault: Vault) -> None:
    """A place that was watched, though nothing was there."""
    (vault.root / "rules").mkdir()


def lose_database(vault: Vault) -> None:
    (vault.root / ".loom/doit.sqlite").unlink()


def damage_answer(vault: Vault) -> None:
    (vault.root / ".loom/answer.marshal").write_bytes(b"garbled")


def set_doit_up(vault: Vault) -> None:
    (vault.root / "doit.cfg").write_text("[GLOBAL]\nverbosity = 2\n")


CHANGES = [
    forget, edit_model, comment, choose, break_settings, lose_output, edit_output, swap_output, move_output, run_output,
    forget_whose_output_it_is, rule, lose_database, damage_answer, set_doit_up,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changed_is_for_doit(vault: Vault, change: Callable[[Vault], None]) -> None:
    assert vault.loom("generate").loaded == []
    change(vault)
    assert "doit" in vault.loom("generate").loaded


@pytest.mark.parametrize("change", [comment, swap_output, set_doit_up])
def test_whatever_changed_is_for_the_tasks_of_doit(vault: Vault, change: Callable[[Vault], None]) -> None:
    assert vault.doit("generate").loaded == []
    change(vault)
    assert "loom.tasks" in vault.doit("generate").loaded


OWN_WORDS = {
    "another task": 'def task_tidy(): return {"actions": ["true"]}\n',
    "another default": 'def task_tidy(): return {"actions": ["true"]}\nDOIT_CONFIG["default_tasks"] = ["tidy"]\n',
    "another name": "from loom.tasks import task_loom as task_other\n",
}


@pytest.mark.parametrize("own", OWN_WORDS.values(), ids=OWN_WORDS)
def test_a_dodo_with_words_of_its_own_is_asked(vault: Vault, own: str) -> None:
    assert vault.doit().loaded == []
    (vault.root / "dodo.py").write_text(DODO + own)
    for _ in range(2):
        assert "loom.tasks" in vault.doit().loaded


def test_a_project_without_a_dodo_is_told_so(vault: Vault) -> None:
    (vault.root / "dodo.py").unlink()
    asked = vault.doit("generate")
    assert asked.code == 3 and "Could not find dodo file" in asked.text


@pytest.mark.parametrize("words", [["-a", "generate"], ["-v", "2", "generate"], ["generate", "--locked"], ["emit"]])
def test_other_words_are_for_doit(vault: Vault, words: list[str]) -> None:
    assert vault.doit("generate").loaded == []
    assert "loom.tasks" in vault.doit(*words).loaded


def test_doits_variables_are_for_doit(vault: Vault) -> None:
    assert vault.doit("generate").loaded == []
    (vault.root / "other.py").write_text(DODO)
    assert "loom.tasks" in vault.doit("generate", DOIT_FILE="other.py").loaded


def test_a_file_of_somebody_else_beside_the_output_is_looked_at_once(vault: Vault) -> None:
    (vault.root / "out/vault/notes.txt").write_text("cold\n")
    assert "doit" in vault.loom("generate").loaded
    assert vault.loom("generate").loaded == []


def test_other_code_of_loom_is_for_doit(vault: Vault, tmp_path: Path) -> None:
    """Another installation of the same version, and then an edit of as many bytes with the time of before."""
    copy = tmp_path / "copy"
    for part in ("loom", "rules", "toolchains"):
        shutil.copytree(CHECKOUT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    said = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    assert "doit" in vault.loom("generate", **said).loaded
    assert vault.loom("generate", **said).loaded == []
    place = copy / "loom/render/compose.py"
    was = place.stat()
    place.write_bytes(place.read_bytes().replace(b"info}", b"warn}"))
    os.utime(place, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert place.stat().st_size == was.st_size
    assert "doit" in vault.loom("generate", **said).loaded
    assert "LOG_LEVEL:-warn" in (vault.root / "out/vault/docker-compose.yml").read_text()


def test_no_secret_is_written_down(vault: Vault) -> None:
    """That there is one changes nothing that is made."""
    secrets = ({"LOOM_REMOTE_TOKEN": "gentian-root"}, {"LOOM_REMOTE_TOKEN": "gentian-leaf"})
    assert "doit" in vault.loom("generate", **secrets[0]).loaded
    assert vault.loom("generate", **secrets[1]).loaded == []
    assert b"gentian" not in (vault.root / ".loom/answer.marshal").read_bytes()


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
