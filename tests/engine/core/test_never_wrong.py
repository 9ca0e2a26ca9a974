"""A cached answer is never wrong: whatever changes, and whenever, is seen by the run after it at the latest."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loom.build.deps.fixed import write_tree_lock
from loom.build.stamps import is_young
from tests.engine.core.gated_project import RULE, gated_project, write_rule
from tests.engine.core.own_loom import TOY, own_loom, use
from tests.engine.core.tide_project import CHECKOUT, MODEL, LoomProject, TideProject

QUAY = "harbour/quay_api/main.txt"


@pytest.fixture
def project(tmp_path: Path) -> LoomProject:
    return LoomProject(tmp_path / "harbour")


def quay(project: TideProject) -> list[str]:
    return project.output()[QUAY].split()


def replace(place: Path, old: str, new: str) -> None:
    text = place.read_text()
    assert old in text
    place.write_text(text.replace(old, new))


def same_time(place: Path, old: str, new: str) -> None:
    """Neither size nor time of change tell that it was edited."""
    assert len(old) == len(new)
    before = place.stat()
    replace(place, old, new)
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))


def older(place: Path, old: str, new: str) -> None:
    """As when a file is copied here that is older than the one it replaces."""
    replace(place, old, new)
    os.utime(place, (1, 1))


def ahead(place: Path, old: str, new: str) -> None:
    replace(place, old, new)
    os.utime(place, (1 << 33, 1 << 33))


def renamed(place: Path, old: str, new: str) -> None:
    """As editors and version control do it."""
    fresh = place.with_name("fresh")
    shutil.copy2(place, fresh)
    same_time(fresh, old, new)
    fresh.rename(place)


def linked(place: Path, old: str, new: str) -> None:
    other = place.with_name("other")
    other.write_text(place.read_text().replace(old, new))
    place.unlink()
    place.symlink_to(other)


@pytest.mark.parametrize("edit", [same_time, older, ahead, renamed, linked])
def test_edit_is_seen_however_the_file_looks(project: LoomProject, edit: object) -> None:
    assert callable(edit)
    project.doit()
    project.doit()
    edit(project.root / "model/quay.tide", "neap", "flow")
    project.doit()
    assert quay(project) == ["quay_api", "class", "flow", "tide"]


def test_file_behind_a_link_is_seen_to_change(project: LoomProject) -> None:
    place = project.root / "model/quay.tide"
    linked(place, "neap", "neap")
    project.doit()
    same_time(place.resolve(), "neap", "flow")
    project.doit()
    assert "flow" in quay(project)


@pytest.mark.parametrize(
    ("changed", "young"),
    [
        (10_000_000_000, True),
        (9_000_000_000, True),
        (7_000_000_000, False),
        (9_990_000_001, True),
        (9_900_000_001, False),
    ],
)
def test_time_in_whole_seconds_is_trusted_after_two_of_them(changed: int, young: bool) -> None:
    """Old file systems, and some across a network, keep no more than seconds."""
    assert is_young(changed, 10_000_000_000) == young


# A task of the dodo file that ends the run at once, as when the machine is switched off: doit writes nothing down.
KILLED = """
def task_switch_off():
    import os, signal
    return {"actions": [lambda: os.kill(os.getpid(), signal.SIGKILL)], "task_dep": ["generate"]}
"""


def test_output_of_a_killed_run_is_not_taken_for_an_older_one(project: LoomProject) -> None:
    replace(project.root / "dodo.py", "def task_loom", f"{KILLED}\ndef task_loom")
    project.doit("generate")
    project.write("quay", MODEL["quay"] + "ebb\n")
    project.doit("switch_off", code=-signal.SIGKILL)
    assert "ebb" in quay(project)
    project.write("quay", MODEL["quay"])
    project.doit("generate")
    assert "ebb" not in quay(project)


# Says how each file's task stands, then waits for a word, and does what is left.
SLOW = """
from pathlib import Path
from loom.build.bridge.dodo import open_workspace, project_tasks
from dodo import toy
workspace = open_workspace(Path.cwd(), toy)
tasks = {task["basename"] + ":" + str(task.get("name")): task for task in project_tasks(workspace)}
work = {name: task["uptodate"][0]._work for name, task in tasks.items() if task.get("uptodate", [False])[0]}
work["lower:None"].known()
print("begun", flush=True)
input()
from loom.build.work.work import Options
work["parse:model/quay.tide"].run(Options())
"""


def test_file_that_changes_during_a_run_is_seen_by_the_next(project: LoomProject) -> None:
    project.doit()
    project.doit()
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=project.root, env=project.environment | {"PYTHONPATH": f"{CHECKOUT}:."},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as slow:  # fmt: skip
        assert slow.stdout and slow.stdout.readline() == "begun\n"
        project.write("quay", MODEL["quay"] + "ebb\n")
        slow.communicate("\n")
    assert slow.returncode == 0
    project.doit()
    assert "ebb" in quay(project)


def test_stage_that_changed_while_it_ran_is_not_kept(project: LoomProject) -> None:
    """What is loaded is not what lies there: the key would be that of code which never ran."""
    toy = own_loom(project) / TOY
    parsed = "def parse(path: str, data: bytes) -> tuple[ToyParsed, Checked]:\n"
    edit = f'    if b"ebb" in data:\n        from pathlib import Path\n        place = Path({str(toy)!r})\n'
    edit += '        place.write_text(place.read_text().replace("sorted(set(words.words))", "words.words[:1]"))\n'
    replace(toy, parsed, parsed + edit)
    replace(toy, '"sorted(set(words.words))", ', '"tuple(" + "sorted(set(words.words)))", ')
    replace(toy, ', "words.words[:1]"', ', "words.words[:1]"')
    project.doit()
    project.write("quay", MODEL["quay"] + "ebb\n")
    told = project.doit(code=3).text
    assert f"{toy} changed while Loom ran, so what it made is not kept: run it again" in told
    project.write("quay", MODEL["quay"] + "flow\n")
    project.doit()
    assert quay(project) == ["quay_api", "neap"]


def test_two_revisions_of_loom_share_a_store_and_each_gives_its_own(tmp_path: Path) -> None:
    """Also when one checkout goes to and fro between them, with the same names, sizes and times."""
    shared = str(tmp_path / "shared")
    project = LoomProject(tmp_path / "harbour", LOOM_STORE=shared)
    one = own_loom(project, "one")
    two = tmp_path / "two"
    shutil.copytree(one, two, copy_function=shutil.copy2)
    same_time(two / TOY, '"main.txt", text="\\n"', '"main.txt", text="\\t"')
    now = tmp_path / "now"
    use(project, now)
    for revision, between in ((one, "\n"), (two, "\t"), (one, "\n"), (two, "\t")):
        shutil.copytree(revision, now, copy_function=shutil.copy2)
        project.doit()
        assert project.output()[QUAY] == between.join(("quay_api", "class", "neap", "tide")) + "\n"
        shutil.rmtree(now)


def test_settings_are_read_anew_by_other_code(project: LoomProject) -> None:
    schema = own_loom(project) / "loom/build/project/schema.py"
    project.doit()
    same_time(
        schema,
        'entry.out or f"out/{name}") for name, entry in read',
        'entry.out or f"Out/{name}") for name, entry in read',
    )
    project.doit()
    assert (project.root / "Out" / QUAY).is_file()


def test_installed_package_of_another_place_and_version_has_other_keys(project: LoomProject, tmp_path: Path) -> None:
    toy = own_loom(project) / TOY
    replace(toy, "from typing import ClassVar", "import mooring\nfrom typing import ClassVar")
    replace(toy, '"\\n".join(plan.words)', "mooring.BETWEEN.join(plan.words)")
    path = project.environment["PYTHONPATH"]
    for version, between in (("1", "+"), ("2", "-"), ("1", "+")):
        place = tmp_path / f"mooring{version}"
        (place / f"mooring-{version}.dist-info").mkdir(parents=True, exist_ok=True)
        (place / "mooring.py").write_text(f"BETWEEN = {between!r}\n")
        project.environment["PYTHONPATH"] = f"{path}:{place}"
        project.doit()
        assert project.output()[QUAY] == between.join(("quay_api", "class", "neap", "tide")) + "\n"


def test_byte_code_that_outlived_its_source_is_not_run(project: LoomProject) -> None:
    """Python knows its byte code by the size and time of the source alone."""
    toy = own_loom(project) / TOY
    for new, old in (("'\\t'.join(plan.words)", '"\\n".join(plan.words)'), ("'\\r'.join(plan.words)", None)):
        project.doit()
        same_time(toy, old or "'\\t'.join(plan.words)", new)
    project.doit()
    assert (project.root / "out" / QUAY).read_bytes() == b"quay_api\rclass\rneap\rtide\n"


def gate_key(project: LoomProject) -> str:
    project.doit("emit")
    told = project.doit("info", "gate:python:quay_api", code=1).text
    return next(line for line in told.splitlines() if line.startswith("key "))


def test_rule_behind_a_link_counts(project: LoomProject) -> None:
    """Rules that several projects share lie elsewhere, and a link leads to them."""
    place = project.root.parent / "shared"
    place.mkdir()
    (project.root / "rules").mkdir()
    (project.root / "rules/gate").symlink_to(place)
    (place / "up").symlink_to(project.root)
    write_rule(project, "python", RULE.format(backend="python"))
    before = gate_key(project)
    assert gate_key(project) == before
    same_time(place / "python.yaml", "text.upper()", "text.lower()")
    assert gate_key(project) != before


def test_code_that_applies_rules_counts(project: LoomProject) -> None:
    write_rule(project, "python", RULE.format(backend="python"))
    chain = own_loom(project) / "loom/build/toolchain/toolchain.py"
    before = gate_key(project)
    replace(chain, "ROOT_FORMAT = 2", "ROOT_FORMAT = 99")
    assert gate_key(project) != before


DEPS = """
rule: deps/python
toolchain: python
inputs: {lock: lock/python}
steps:
  - {name: fetch, argv: [mkdir, -p, /out/deps/mooring]}
  - {name: unpack, argv: [cp, /in/lock/wanted.txt, /out/deps/mooring/line.py]}
outputs: {deps: /out/deps}
"""


def test_what_was_fetched_is_held_against_pins_that_changed(tmp_path: Path) -> None:
    """As when a package turns out to be spoilt, and a new lock comes with the next pull."""
    project = gated_project(tmp_path / "harbour", "python", rule=RULE.replace("emit}}", "emit, deps: deps/python}}"))
    folder, fetched = project.root / "rules/deps/python", tmp_path / "tree/mooring"
    wanted = secrets.token_hex(8)
    for place in (folder / "wanted.txt", fetched / "line.py"):
        place.parent.mkdir(parents=True)
        place.write_text(wanted)
    (folder.parent / "python.yaml").write_text(DEPS)
    write_tree_lock(folder / "tree.lock", tmp_path / "tree")
    assert project.doit("deps:python").marks["deps:python"] == "ran"
    assert project.doit("deps:python").marks["deps:python"] == "kept"
    (fetched / "line.py").write_text("as it should be")
    write_tree_lock(folder / "tree.lock", tmp_path / "tree")
    told = project.doit("gate:python", code=1).text
    assert "what was fetched is not what" in told and "pins: mooring (differs)" in told
    assert "rules/deps/python/tree.lock" in project.doit("why", "deps:python").text
