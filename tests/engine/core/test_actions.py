"""Cached actions: hits, failures, outputs, changed inputs, damage, and many processes on one key."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.actions.action import Action, ActionInput, ActionLimits, ActionOutput, ActionStep
from loom.build.actions.cached import ActionFailed
from loom.build.actions.keys import SCHEMA, action_key
from loom.build.sandbox.world import EMPTY_FOLDERS, NAMES, PROFILE
from loom.build.steps.step import SCHEMA as STEP_SCHEMA
from loom.build.store.atomic import Json, canonical_json
from loom.build.store.content import ContentStore
from loom.build.store.tree import Tree, TreeFile
from loom.build.toolchain.toolchain import ROOT_FORMAT
from tests.engine.core.bare import action_runner, runs, shell
from tests.kit.waiting import LONGEST

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


def test_second_run_replays_files_and_texts(root: Path) -> None:
    action = shell("mkdir /out/report; cp /in/model/name /out/report/; echo said; echo warned >&2", root)
    first = action_runner(root).run(action)
    second = action_runner(root).run(action)
    assert (first.how, second.how, runs(root)) == ("ran", "restored", 1)
    assert second.result == first.result
    assert (second.stdout, second.stderr) == (b"said\n", b"warned\n") == (first.stdout, first.stderr)
    assert [entry.path for entry in second.result.tree("report").entries] == ["name"]
    tree = ContentStore(root).get_tree(second.result.trees[0].tree)
    assert tree == second.result.tree("report")


def test_single_file_output_keeps_its_name_and_executable_bit(root: Path) -> None:
    done = action_runner(root).run(shell("echo run > /out/report; chmod 755 /out/report", root))
    (entry,) = done.result.tree("report").entries
    assert isinstance(entry, TreeFile) and entry.path == "report" and entry.executable


def test_failure_is_never_cached_and_keeps_its_words(root: Path) -> None:
    action = shell("echo half > /out/report; echo 'line 3: type error' >&2; exit 7", root)
    for _ in range(2):
        with pytest.raises(ActionFailed, match="exit code 7") as caught:
            action_runner(root).run(action)
        assert caught.value.stderr == b"line 3: type error\n"
    assert runs(root) == 2
    assert not list((root / "work").iterdir())


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("true", "without leaving /out/report"),
        ("mkdir /out/report", "left nothing in /out/report"),
        ("touch /out/report", "left nothing in /out/report"),
        ("mkdir /out/report; ln -s /etc/passwd /out/report/link", "leads out of its tree"),
        ("deep=/out/report/$(printf 'a/%.0s' $(seq 600)); mkdir -p $deep; touch $deep/end", "longer or deeper than"),
        ("mkfifo /out/report", "neither a file"),
        ("mkdir /out/report; mknod /out/report/null c 1 3", "`null` is neither a file"),
        ("mknod /out/report b 7 0", "`report` is neither a file"),
        ("mkdir /out/report; echo a > /out/report/Name; echo b > /out/report/name", "case alone"),
        ("chmod u+w /in/model/name; echo changed > /in/model/name; echo x > /out/report", "changed while it was read"),
        ("rm -f /in/model/name; echo x > /out/report", "changed while it was read"),
        ("ln -sf /etc/passwd /in/model/name; echo x > /out/report", "changed while it was read"),
        ("echo x > /in/model/more; echo x > /out/report", "changed while it was read"),
    ],
)
def test_unsound_outcome_is_refused_and_not_kept(root: Path, script: str, why: str) -> None:
    with pytest.raises(ActionFailed, match=why):
        action_runner(root).run(shell(script, root))
    assert not (root / "ac").exists()


def test_input_that_an_action_spoilt_is_laid_out_anew(root: Path) -> None:
    with pytest.raises(ActionFailed):
        action_runner(root).run(shell("chmod u+w /in/model/name; echo x > /in/model/name; echo x > /out/report", root))
    done = action_runner(root).run(shell("cp /in/model/name /out/report", root))
    (entry,) = done.result.tree("report").entries
    assert isinstance(entry, TreeFile) and ContentStore(root).get(entry.content) == b"harbour"


@pytest.mark.parametrize(
    "damage", ["rm {0}", ": > {0}", "echo more >> {0}", "chmod +x {0}", "ln -sf b {0}", "touch {0}x"]
)
def test_input_that_was_damaged_where_it_lies_is_laid_out_anew(root: Path, damage: str) -> None:
    """As a power cut leaves it, or whoever works in the store by hand."""
    action_runner(root).run(shell("echo x > /out/report", root))
    (place,) = (root / "trees").glob("*/name")
    subprocess.run(["sh", "-c", damage.format(shlex.quote(str(place)))], check=True)
    show = "find /in/model/ -type f -printf '%f %m ' -exec cat '{}' ';' > /out/report"
    done = action_runner(root).run(shell(show, root))
    (entry,) = done.result.tree("report").entries
    assert isinstance(entry, TreeFile) and ContentStore(root).get(entry.content) == b"name 444 harbour"


def test_rights_and_shared_names_of_an_output_do_not_count(root: Path) -> None:
    """What a result holds is a copy with an executable bit, whoever else can reach the original, or run it as root."""
    script = (
        "mkdir /out/report; cp /in/model/name /out/report/a; chmod 6755 /out/report/a; ln /in/model/name /out/report/b"
    )
    done = action_runner(root).run(shell(script, root))
    store = ContentStore(root)
    store.materialise(done.result.tree("report"), root.parent / "copy")
    modes = {path.name: path.stat().st_mode & 0o7777 for path in (root.parent / "copy").iterdir()}
    assert modes == {"a": 0o555, "b": 0o444}
    (laid,) = (root / "trees").glob("*/name")
    laid.chmod(0o600)
    laid.write_text("changed")
    assert {store.get(entry.content) for entry in done.result.tree("report").files} == {b"harbour"}


GARBLED: dict[str, Callable[[dict[str, Json]], object]] = {
    "nothing": lambda entry: "",
    "garbage": lambda entry: "{garbage",
    "list": lambda entry: [entry],
    "other schema": lambda entry: {**entry, "schema": "loom.result/0"},
    "other key": lambda entry: {**entry, "key": "f" * 64},
    "no outputs": lambda entry: {name: value for name, value in entry.items() if name != "outputs"},
    "outputs of words": lambda entry: {**entry, "outputs": ["class"]},
    "output without a size": lambda entry: {**entry, "outputs": [{"path": "report/x", "sha256": "0" * 64}]},
    "output that leads out": lambda entry: {**entry, "outputs": [{"path": "report/x", "link": "/etc/passwd"}]},
    "no trees": lambda entry: {**entry, "trees": []},
    "stdout of words": lambda entry: {**entry, "stdout": "said"},
}


@pytest.mark.parametrize("harm", GARBLED)
def test_entry_that_cannot_be_is_a_miss_and_is_replaced(root: Path, harm: str) -> None:
    action = shell("cp /in/model/name /out/report", root)
    key = action_runner(root).run(action).result.key
    place = root / "ac" / f"{key}.json"
    found = GARBLED[harm](json.loads(place.read_bytes()))
    place.chmod(0o600)
    place.write_text(found if isinstance(found, str) else json.dumps(found))
    assert [action_runner(root).run(action).how for _ in range(2)] == ["ran", "restored"]


def test_undeclared_files_are_dropped(root: Path) -> None:
    done = action_runner(root).run(shell("echo x > /out/report; echo y > /out/other", root))
    assert [entry.path for entry in done.result.entries] == ["report/report"]


@pytest.mark.parametrize("part", ["blob", "tree", "stdout", "entry"])
def test_lost_part_is_a_miss_and_heals(root: Path, part: str) -> None:
    action = shell("cp /in/model/name /out/report; echo said", root)
    runner = action_runner(root)
    done = runner.run(action)
    store = ContentStore(root)
    (entry,) = done.result.tree("report").entries
    assert isinstance(entry, TreeFile)
    place = {
        "blob": store.path(entry.sha256),
        "tree": store.path(done.result.trees[0].sha256),
        "stdout": store.path(store.put(b"said\n").sha256),
        "entry": str(root / "ac" / f"{done.result.key}.json"),
    }[part]
    Path(place).unlink()
    assert action_runner(root).run(action).how == "ran"
    assert action_runner(root).run(action).how == "restored"


def test_sixteen_processes_run_one_key_once(root: Path) -> None:
    script = "sleep 0.3; date +%s%N > /out/report"
    program = (
        "import sys; from pathlib import Path; from tests.engine.core.bare import action_runner, shell;"
        "root = Path(sys.argv[1]); print(action_runner(root).run(shell(sys.argv[2], root)).result.canonical().decode())"
    )
    shell(script, root)
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(root), script], stdout=subprocess.PIPE, cwd=CHECKOUT, text=True
        )
        for _ in range(16)
    ]
    texts = {worker.communicate(timeout=LONGEST)[0] for worker in workers}
    assert [worker.returncode for worker in workers] == [0] * 16
    assert runs(root) == 1
    assert len(texts) == 1 and "report" in texts.pop()


BASE = Action(
    kind="gate/python",
    steps=(ActionStep(name="types", argv=("mypy", "app"), cwd="/build/project"),),
    env=(("PYTHONHASHSEED", "0"),),
    inputs=(ActionInput(name="project", sha256="a" * 64, size=1), ActionInput(name="deps", sha256="b" * 64, size=1)),
    copy_in=("project",),
    outputs=(ActionOutput(name="artefact", path="/out/app"),),
    toolchain="python@1",
    network="none",
    timeout=600,
    limits=ActionLimits(memory=1 << 30, processes=64),
)

MUTATIONS: dict[str, list[object]] = {
    "kind": ["gate/node"],
    "steps": [
        (ActionStep(name="types", argv=("mypy app",), cwd="/build/project"),),
        (ActionStep(name="types", argv=("mypy", "app", ""), cwd="/build/project"),),
        (ActionStep(name="types", argv=("mypy", "app"), cwd="/build"),),
        (ActionStep(name="check", argv=("mypy", "app"), cwd="/build/project"),),
        (*BASE.steps, ActionStep(name="types", argv=("mypy", "app"), cwd="/build/project")),
    ],
    "env": [(), (("PYTHONHASHSEED", ""),), (("PYTHONHASHSEED", "1"),), (("pythonhashseed", "0"),)],
    "inputs": [
        (ActionInput(name="project", sha256="c" * 64, size=1), BASE.inputs[1]),
        (ActionInput(name="project", sha256="b" * 64, size=1), ActionInput(name="deps", sha256="a" * 64, size=1)),
        (ActionInput(name="project", sha256="a" * 64, size=2), BASE.inputs[1]),
        (BASE.inputs[0],),
    ],
    "copy_in": [(), ("project", "deps")],
    "outputs": [(ActionOutput(name="artefact", path="/out/lib"),), (ActionOutput(name="app", path="/out/app"),)],
    "toolchain": ["python@2"],
    "network": ["fetch"],
    "timeout": [601],
    "pinned": ["c" * 64],
    "limits": [ActionLimits(memory=(1 << 30) + 1, processes=64), ActionLimits(memory=1 << 30, processes=65)],
}


def test_every_field_of_an_action_is_in_its_key() -> None:
    assert set(MUTATIONS) == set(Action.field_names())
    keys = [action_key(BASE, isolated=True)[0], action_key(BASE, isolated=False)[0]]
    for field, values in MUTATIONS.items():
        keys += [action_key(BASE.model_copy(update={field: value}), isolated=True)[0] for value in values]
    assert len(set(keys)) == len(keys) == 2 + sum(map(len, MUTATIONS.values()))


@pytest.mark.parametrize("name", ["/foo/..", "/../x", "..", ".", "", "a/b", "/in/model", "END\n", "ü", "--bind"])
def test_name_that_could_lead_a_mount_elsewhere_is_none(name: str) -> None:
    """An input is mounted, or copied, at the folder of its name."""
    with pytest.raises(ValueError, match="cannot name an input"):
        BASE.model_copy(update={"inputs": (*BASE.inputs, ActionInput(name=name, sha256="a" * 64, size=1))})


def test_order_that_an_action_cannot_see_is_not_in_its_key() -> None:
    turned = BASE.model_copy(update={"inputs": BASE.inputs[::-1]})
    assert action_key(turned, isolated=True) == action_key(BASE, isolated=True)


def test_keys_are_those_that_everybody_has() -> None:
    """Another key means that everything is made again, by everybody: on purpose only, and then one of the numbers
    that are part of keys (SCHEMA, PROFILE) says so too."""
    keys = [action_key(BASE, isolated=isolated)[0] for isolated in (True, False)]
    assert (SCHEMA, PROFILE, STEP_SCHEMA, ROOT_FORMAT) == ("loom.action/2", 1, "loom.step/1", 2)
    assert keys == [
        "ddac26d7db9787bc084691cdc39de71914a8d66d23f900ca4068076a08793d5f",
        "dbbda5c1e5b12cabe89790ebbbcd735c038a2455a07ffbc209bf536dc4cf72e1",
    ]
    tree = Tree.of([TreeFile(path="class/end", sha256="a" * 64, size=1, executable=True)])
    assert tree.digest().sha256 == "56a9f9268edc18a1fb7061e8e2a28096da9475c9d9a99e6f50d95044b1540cfd"
    laid = canonical_json({"folders": list(EMPTY_FOLDERS), "names": dict(NAMES)})
    assert Digest.of(laid).sha256 == "0dc47c2b992a3a9dfb1f89f44a1b6978e57eb4b644ce61f4c579751b9e73ef1d"
