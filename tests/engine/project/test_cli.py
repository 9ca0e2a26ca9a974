"""The command `loom`: its words, its exit codes, and what it says to a mistake."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from loom import cli, commands
from loom.build.bridge.commands import LoomMain
from loom.build.bridge.mistakes import unknown_name
from loom.build.bridge.words import OWN, USAGE

CHECKOUT = Path(__file__).parents[3]
STARTER = (".gitignore", "dodo.py", "loom.yaml", "model/main.ddd")


def loom(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in `folder` as a person would."""
    program = f"import sys; from loom.cli import main; sys.exit(main({list(words)!r}))"
    variables = {**os.environ, "PYTHONPATH": str(CHECKOUT), **environment}
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def test_without_words_every_command_is_listed(tmp_path: Path) -> None:
    result = loom(tmp_path)
    assert result.returncode == 0
    for command in ("init", "validate", "generate", "gate", "e2e", "explain", "migrate", "rules", "toolchain", "deps"):
        assert f"loom {command} " in result.stdout


@pytest.mark.parametrize("word", sorted(OWN))
def test_help_of_a_word_of_loom_s_own_is_its_usage(tmp_path: Path, word: str) -> None:
    for words in (["help", word], [word, "--help"], [word, "-h"]):
        result = loom(tmp_path, *words)
        assert (result.returncode, result.stderr) == (0, ""), words
        assert result.stdout.startswith(f"loom {word}") and "doit" not in result.stdout
    assert loom(tmp_path, "help", "fmt").stdout.splitlines()[1:] == [" " * 39 + "lay the model's files out"]


@pytest.mark.parametrize(
    ("word", "option"),
    [("validate", "--format text|json|sarif|github"), ("gate", "--remote-exec"), ("e2e", "DEPLOYABLE")],
)
def test_help_of_a_task_tells_what_may_follow_it(tmp_path: Path, word: str, option: str) -> None:
    for words in (["help", word], [word, "--help"], [word, "python", "-h"]):
        result = loom(tmp_path, *words)
        assert result.returncode == 0 and result.stdout.startswith(f"loom {word} ") and option in result.stdout, words


@pytest.mark.parametrize("word", ["explain", "why", "query", "graph", "reproduce", "verify", "run", "list", "clean"])
def test_help_of_a_command_is_about_that_command(tmp_path: Path, word: str) -> None:
    loom(tmp_path, "init")
    told = loom(tmp_path, "help", word).stdout
    assert f" {word} " in told and "--db-file" not in told and "--check_file_uptodate" not in told
    assert ("OPTIONS" in told) is (word not in ("why", "reproduce"))


@pytest.mark.parametrize("word", ["graph", "explain", "generate", "tabcompletion"])
def test_help_of_a_word_of_doit_s_may_be_asked_for_after_it(tmp_path: Path, word: str) -> None:
    loom(tmp_path, "init")
    result = loom(tmp_path, word, "--help")
    assert result.returncode == 0 and result.stdout == loom(tmp_path, "help", word).stdout != ""


def test_init_writes_a_project_into_an_empty_folder(tmp_path: Path) -> None:
    result = loom(tmp_path, "init")
    assert result.returncode == 0, result.stderr
    written = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert tuple(written) == STARTER
    assert {"/out/", "/.loom/"} <= set((tmp_path / ".gitignore").read_text().splitlines())


@pytest.mark.parametrize("taken", STARTER)
def test_init_never_overwrites(tmp_path: Path, taken: str) -> None:
    mine = tmp_path / taken
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    result = loom(tmp_path, "init")
    assert result.returncode == 3
    assert taken in result.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
    assert mine.read_text() == "mine"


@pytest.mark.parametrize(
    "words", [["gate"], ["migrate", "record"], ["toolchain", "burn", "node"], ["rules", "list"], ["deps", "update"]]
)
def test_half_a_command_shows_its_usage(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "loom.yaml").write_text("systems: {harbour: {entry: main.ddd}}\n")
    result = loom(tmp_path, *words)
    assert result.returncode == 3
    assert result.stderr.startswith(f"usage: loom {words[0]} ")


@pytest.mark.parametrize("words", [["init", "x"], ["lsp", "x"], ["explain-code"], ["explain-code", "a", "b"]])
def test_wrong_words_are_answered_where_there_is_no_project_yet(tmp_path: Path, words: list[str]) -> None:
    result = loom(tmp_path, *words)
    assert result.returncode == 3 and result.stderr.startswith(f"usage: loom {words[0]} ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "wrong", "there"),
    [
        (["validate", "-f", "json"], "-f", "[--format text|json|sarif|github]"),
        (["validate", "--fromat=json"], "--fromat", "[--format text|json|sarif|github]"),
        (["gate", "python", "--remote-exe"], "--remote-exe", "[--remote-exec]"),
        (["e2e", "--class"], "--class", "[--remote-exec]"),
    ],
)
def test_wrong_option_shows_those_that_there_are(tmp_path: Path, words: list[str], wrong: str, there: str) -> None:
    loom(tmp_path, "init")
    result = loom(tmp_path, *words)
    assert result.returncode == 3
    assert result.stderr.startswith(f"ERROR: `{words[0]}` has no option `{wrong}`\nusage: loom {words[0]} ")
    assert there in result.stderr


def test_usage_is_told_to_its_last_line(tmp_path: Path) -> None:
    loom(tmp_path, "init")
    result = loom(tmp_path, "doc", "a", "b")
    assert result.returncode == 3
    assert result.stderr.splitlines()[1:] == [" " * 46 + "folder is named"]


def test_the_language_is_told_in_any_folder(tmp_path: Path) -> None:
    result = loom(tmp_path, "language")
    assert result.returncode == 0, result.stderr
    assert result.stdout == (CHECKOUT / "loom/parse/LANGUAGE.md").read_text("utf-8")
    assert loom(tmp_path, "language", "please").returncode == 3


@pytest.mark.parametrize("words", [["validate"], ["rules", "show", "gate/python"], ["list"]])
def test_outside_of_a_project_the_way_in_is_named(tmp_path: Path, words: list[str]) -> None:
    result = loom(tmp_path, *words)
    assert result.returncode == 3
    assert "`loom init` writes one" in result.stderr
    assert "Traceback" not in result.stderr


def test_mistake_in_loom_yaml_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "loom.yaml").write_text("systems:\n  harbour: {enter: main.ddd}\n")
    result = loom(tmp_path, "rules", "show", "gate/python")
    assert result.returncode == 3
    assert "error[loom.unknown-setting]: there is no key `enter` here\n --> loom.yaml:2:13\n" in result.stderr
    assert "Traceback" not in result.stderr


def test_rule_in_force_is_shown_with_its_place_from_any_folder_below(tmp_path: Path) -> None:
    loom(tmp_path, "init")
    result = loom(tmp_path / "model", "rules", "show", "gate/python")
    assert result.returncode == 0, result.stderr
    assert "gate/python.yaml\nrule: gate/python\n" in result.stdout


def test_projects_own_rule_wins(tmp_path: Path) -> None:
    loom(tmp_path, "init")
    own = tmp_path / "rules/gate/python.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(loom(tmp_path, "rules", "show", "gate/python").stdout.replace("timeout: 600", "timeout: 601"))
    result = loom(tmp_path, "rules", "show", "gate/python")
    assert result.stdout.startswith(f"# {own}\n")
    assert "timeout: 601" in result.stdout


def test_unknown_rule_and_toolchain_name_those_that_there_are(tmp_path: Path) -> None:
    loom(tmp_path, "init")
    assert "gate/python" in loom(tmp_path, "rules", "show", "gate/pyton").stderr
    assert "node, python" in loom(tmp_path, "toolchain", "show", "pyton").stderr


def test_dependencies_of_an_unknown_backend_are_not_updated(tmp_path: Path) -> None:
    loom(tmp_path, "init")
    result = loom(tmp_path, "deps", "update", "pyton")
    assert (result.returncode, result.stderr.partition(":")[0]) == (3, "ERROR")
    assert "there is no rule `deps/pyton-lock`" in result.stderr or "there is no rules/deps/pyton" in result.stderr


def test_toolchain_is_shown_with_its_identity(tmp_path: Path) -> None:
    loom(tmp_path, "init")
    result = loom(tmp_path, "toolchain", "show", "python")
    assert result.returncode == 0, result.stderr
    assert len(result.stdout.splitlines()[-1].removeprefix("identity ")) == 64


@pytest.mark.parametrize("words", [[], ["language"], ["explain-code", "--all"], ["list"], ["validate"]])
def test_reader_that_closes_early_is_no_traceback(tmp_path: Path, words: list[str]) -> None:
    loom(tmp_path, "init")
    (tmp_path / "talk.py").write_text(f"import sys; from loom.cli import main; sys.exit(main({words!r}))")
    command = f"{shlex.quote(sys.executable)} talk.py 2>errors | true; cat errors"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    result = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout == ""


def test_a_command_leaves_the_signals_of_its_process_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("loom ")
    assert signal.getsignal(signal.SIGPIPE) is signal.SIG_IGN


def test_a_command_that_is_nearly_one_is_named() -> None:
    for command in OWN:
        assert f"\nloom {command}" in f"\n{USAGE}"
        assert f"did you mean `{command}`?" in unknown_name(f"{command}x", ["lower"], "loom", commands=["list"])
        assert f"did you mean `{command}`?" not in unknown_name(f"{command}x", ["lower"], "doit", commands=["list"])


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (["gate", "python"], ("gate:python",)),
        (["gate", "node", "schedule_service"], ("gate:node:schedule_service",)),
        (["gate", "python", "--remote-exec"], ("gate:python", "--remote-exec")),
        (["validate", "--allow-destructive"], ("validate", "--allow-destructive")),
        (["validate", "generate", "--overwrite"], ("validate", "generate", "--overwrite")),
        (["e2e"], ("e2e",)),
        (["e2e", "shed_service"], ("e2e:shed_service",)),
        (["generate", "--overwrite"], ("generate", "--overwrite")),
        (["run", "-n", "2", "gate:node"], ("run", "-n", "2", "gate:node")),
        (["explain", "emit:shed_service"], ("explain", "emit:shed_service")),
    ],
)
def test_other_words_become_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], passed: tuple[str, ...]
) -> None:
    (tmp_path / "loom.yaml").write_text("systems: {harbour: {entry: main.ddd}}\n")
    monkeypatch.chdir(tmp_path)
    seen: list[tuple[str, ...]] = []

    def note(*words: str) -> int:
        seen.append(words)
        return 0

    monkeypatch.setattr(commands, "_tasks", note)
    assert cli.main(words) == 0
    assert seen == [passed]


@pytest.fixture
def starter(tmp_path: Path) -> Path:
    """A project that nothing has been done in."""
    assert loom(tmp_path, "init").returncode == 0
    return tmp_path


KINDS = {
    "wrong words": (("nothing",), ("gate", "--class"), ("log", "nothing"), ("cache", "gc", "--class"),
                    ("validate", "--class"), ("list", "--class"), ("run", "-n", "two"), ("language", "please")),
    "no such thing": (("explain", "nothing"), ("explain", "lower", "--against", "abc"), ("gate", "nothing"),
                      ("rules", "show", "gate/nothing"), ("toolchain", "show", "nothing"), ("explain-code", "nothing"),
                      ("log", "diff", "8", "9"), ("query", "owners", "nothing"), ("fmt", "nothing.ddd"),
                      ("cache", "gc", "--size", "much"), ("init",)),
    "it is not so": (("log", "last"), ("reproduce", "lower")),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_one_kind_of_failure_has_one_exit_code_and_one_prefix(starter: Path, kind: str) -> None:
    """A usage stands for itself."""
    for words in KINDS[kind]:
        result = loom(starter, *words)
        assert result.returncode == (1 if kind == "it is not so" else 3), (words, result)
        assert result.stderr.startswith(("ERROR: ", "usage: loom ")), (words, result)
        assert "Traceback" not in result.stderr, (words, result)


SETTINGS = (
    "validate",
    "list",
    "generate",
    "log last",
    "cache stats",
    "fmt",
    "explain lower",
    "doc",
    "rules show gate/node",
)


@pytest.mark.parametrize("words", SETTINGS)
def test_mistake_in_the_settings_is_told_alike_by_every_command(tmp_path: Path, words: str) -> None:
    (tmp_path / "loom.yaml").write_text("systems:\n  harbour: {entry: main.ddd}\nstore: 3\n")
    result = loom(tmp_path, *words.split())
    told = "ERROR: loom.yaml cannot be used\nerror[loom.wrong-setting]: `store`: must be a text\n --> loom.yaml:3:8\n"
    assert (result.returncode, result.stdout) == (3, "") and result.stderr.startswith(told), result


@pytest.mark.parametrize(
    ("remote", "variables", "told"),
    [
        ("cache: grpcs://host, token_file: absent", {}, ("loom.yaml:3:43", "absent cannot be read as a token")),
        ("cache: https://host, trust: [absent]", {}, ("loom.yaml:3:31", "as a file of public keys")),
        ("execution: auto", {}, ("loom.yaml:3:21", "`remote.execution`: needs an executor", "add `executor: ")),
        (
            "policy: auto",
            {"CACHE": "https://host", "CA": "absent"},
            ("LOOM_REMOTE_CA:1:1", "be used for TLS"),
        ),
        (
            "cache: http://host.example",
            {"TOKEN": "secret"},
            ("`LOOM_REMOTE_TOKEN`: a token is sent over https://", "--> LOOM_REMOTE_TOKEN:1:1"),
        ),
        ("policy: auto", {"CACHE": "https:x"}, ("LOOM_REMOTE_CACHE: names no host",)),
    ],
)
def test_shared_cache_that_cannot_be_asked_is_told_once_and_before_the_first_task(
    starter: Path, remote: str, variables: dict[str, str], told: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (starter / "loom.yaml").write_text(f"systems:\n  tool_shed: {{entry: model/main.ddd}}\nremote: {{{remote}}}\n")
    for name, value in variables.items():
        monkeypatch.setenv(f"LOOM_REMOTE_{name}", value)
    for words in (("generate",), ("list",)):
        result = loom(starter, *words)
        assert (result.returncode, result.stdout) == (3, ""), result
        assert all(part in result.stderr for part in told) and result.stderr.count("ERROR: ") == 1, result


def test_every_command_about_tasks_is_told_to_doit() -> None:
    """Else doit has its own under that name, with a traceback for a reader that closes early."""
    told = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["entry-points"]["doit.COMMAND"]
    commands = {command.name: f"{command.__module__}:{command.__qualname__}" for command in LoomMain.DOIT_CMDS}
    del commands["tabcompletion"]  # of `loom` alone
    assert told == commands


def test_reader_that_closes_early_is_told_nothing(starter: Path) -> None:
    for words in (["help", "run"], ["help", "generate"], ["list", "--all"], ["info", "lower"], ["reset-dep"]):
        with subprocess.Popen(
            [sys.executable, "-u", "-c", f"from loom.tasks import run; run({words!r})"], cwd=starter,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as running:  # fmt: skip
            assert running.stdout is not None and running.stderr is not None
            running.stdout.close()
            assert running.stderr.read() == "", words


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ("graph --out absent/tasks.svg", 2, "absent/tasks.svg: No such file or directory"),
        ("graph --out tasks.dot", 3, "`graph` draws SVG: `tasks.dot` must end in .svg, or be -"),
        ("query affected", 3, "`query` takes a question and what it is about"),
        ("init", 3, "nothing written: "),
        ("migrate record First-Tables", 3, "`First-Tables` is no name for a migration"),
    ],
)
def test_exit_code_says_whether_words_or_the_machine_were_wrong(
    starter: Path, words: str, code: int, told: str
) -> None:
    result = loom(starter, *words.split())
    assert (result.returncode, result.stdout) == (code, "") and result.stderr.startswith(f"ERROR: {told}"), result
