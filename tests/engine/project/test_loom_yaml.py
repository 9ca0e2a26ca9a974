"""`loom.yaml`: how a project is found, read, overridden and cached, and how its mistakes are told."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from loom.build.project import Project, ProjectProblem, System, find_root, load_project

GOOD = """\
systems:
  harbour: {entry: model/main.ddd}
  tide-gauges: {entry: model/gauges.ddd, out: build/gauges}
toolchains: {java: oci}
"""


def project(folder: Path, text: str, **environment: str) -> Project:
    (folder / "loom.yaml").write_text(text)
    return load_project(folder, environment)


def problem(folder: Path, text: str, **environment: str) -> str:
    with pytest.raises(ProjectProblem) as caught:
        project(folder, text, **environment)
    return str(caught.value)


def test_defaults_are_filled_in(tmp_path: Path) -> None:
    read = project(tmp_path, GOOD)
    assert read.systems == (
        System("harbour", "model/main.ddd", "out/harbour"),
        System("tide-gauges", "model/gauges.ddd", "build/gauges"),
    )
    assert read.sandbox == "auto"
    assert read.toolchains == (("java", "oci"),)
    assert read.store == Path.home() / ".cache/loom"
    assert read.state == tmp_path / ".loom"


def test_variables_override_single_fields(tmp_path: Path) -> None:
    chosen = {"LOOM_SANDBOX": "none", "LOOM_STORE": "near/store", "LOOM_TOOLCHAINS": "node=oci,java=debian"}
    read = project(tmp_path, GOOD, **chosen)
    assert (read.sandbox, read.store) == ("none", tmp_path / "near/store")
    assert read.toolchains == (("java", "debian"), ("node", "oci"))


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("LOOM_SANDBOX", "dokcer", "LOOM_SANDBOX: `dokcer` is not one of auto, docker, bubblewrap, none"),
        ("LOOM_TOOLCHAINS", "java", "LOOM_TOOLCHAINS: java: `` is not one of debian, oci"),
    ],
)
def test_wrong_variable_is_named(tmp_path: Path, variable: str, value: str, said: str) -> None:
    assert problem(tmp_path, GOOD, **{variable: value}) == said


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("systems:\n  a: {entry: m.ddd, ot: x}\n", ("loom.yaml:2:21", "no key `ot`", "`out`", "there are entry, out")),
        ("systems:\n  a: {entry: m.ddd}\nsandbox: podman\n", ("loom.yaml:3:", "sandbox", "bubblewrap")),
        ("systems:\n  a: {entry: m.ddd}\nsand: auto\n", ("loom.yaml:3:", "`sandbox`", "store, systems, toolchains")),
        ("systems:\n  a:\n    out: x\n", ("loom.yaml:2:", "systems.a.entry")),
        ("systems:\n  a: {entry: ../m.ddd}\n", ("loom.yaml:2:", "systems.a.entry", "`..`")),
        ("systems:\n  a: {entry: /m.ddd}\n", ("loom.yaml:2:", "relative")),
        ("systems:\n  A B: {entry: m.ddd}\n", ("loom.yaml:2:", "lower-case name")),
        ("systems: {}\n", ("loom.yaml:1:", "systems", "at least one")),
        ("", ("error[loom.missing-setting]: `systems` is missing\n --> loom.yaml:1:1\n", "add `systems: …`")),
        ("- a\n", ("loom.yaml:1:",)),
        (
            "systems: {a: {entry: m.ddd}}\nsystems: {}\n",
            ("error[loom.repeated-setting]: key `systems` is given twice\n --> loom.yaml:2:1\n", "remove one of them"),
        ),
        (
            "systems: {a: [\n",
            ("error[loom.unreadable-settings]: this is no YAML: ", " --> loom.yaml:2:1\n", "close each bracket"),
        ),
        ("systems: !!python/object:os.system {}\n", ("loom.yaml:1:", "tag")),
        ("systems:\n  on: {entry: m.ddd}\n", ("loom.yaml:2:3", 'write "on" with quotes')),
        ("? [a]\n: b\n", ("loom.yaml:1:3", "a key must be a text")),
        ("systems:\n  a: m.ddd\n", ("loom.yaml:2:6", "`systems.a`: must be keys with values", "{key: value}")),
        ("systems:\n  a: {entry: m.ddd}\nstore: 3\n", ("loom.yaml:3:8", "`store`: must be a text", "double quotes")),
        (
            "systems:\n  a: {entry: m.ddd}\nkeep: {size: lots}\n",
            ("loom.yaml:3:14", "`keep.size`: `lots` must be"),
        ),
        ("systems:\n  a: {entry: m.ddd}\nsandbox: dokcer\n", ("loom.yaml:3:10", "did you mean `docker`?")),
        ("systems: {a: {entry: m.ddd, out: migrations/a}}\n", ("loom.yaml:1:", "belongs to people")),
        ("systems: {a: {entry: m/m.ddd, out: m}}\n", ("loom.yaml:1:", "where `m/m.ddd` lies")),
        ("systems: {a: {entry: m.ddd, out: o}, b: {entry: n.ddd, out: o/b}}\n", ("loom.yaml:1:", "same folder")),
    ],
)
def test_mistake_is_told_with_its_line_and_the_allowed_keys(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    said = problem(tmp_path, text)
    assert all(part in said for part in parts), said


EXECUTION = (
    "remote: {executor: grpc://host:1, execution: required, jobs: 8, platform: {OSFamily: linux, Pool: class}}\n"
)


def test_executor_is_read_and_variables_win(tmp_path: Path) -> None:
    said = project(tmp_path, f"{GOOD}{EXECUTION}").remote
    assert (said.executor, said.execution, said.at_once) == ("grpc://host:1", "required", 8)
    assert said.properties == {"OSFamily": "linux", "Pool": "class"}
    chosen = {"LOOM_REMOTE_JOBS": "2", "LOOM_REMOTE_EXECUTION": "off", "LOOM_REMOTE_PLATFORM": "ISA=x86-64, Pool=end"}
    said = project(tmp_path, f"{GOOD}{EXECUTION}", **chosen).remote
    assert (said.execution, said.at_once, said.properties) == ("off", 2, {"ISA": "x86-64", "Pool": "end"})


def test_nothing_runs_remotely_unless_somebody_says_so(tmp_path: Path) -> None:
    assert project(tmp_path, GOOD).remote.execution == "off"


@pytest.mark.parametrize(("said", "meant"), [("off", "auto"), ("auto", "auto"), ("required", "required")])
def test_option_asks_for_it_on_the_terms_that_are_said(tmp_path: Path, said: str, meant: str) -> None:
    text = f"{GOOD}remote: {{executor: grpc://host:1, execution: '{said}'}}\n"
    assert project(tmp_path, text, LOOM_REMOTE_EXEC="1").remote.execution == meant


@pytest.mark.parametrize("name", ["network", "inject", "capability", "chrootRootDigest"])
def test_executor_may_open_no_hole(tmp_path: Path, name: str) -> None:
    said = problem(tmp_path, f"{GOOD}remote: {{platform: {{{name}: 'on'}}}}\n")
    assert f"`{name}` would let an action see what its key does not hold" in said
    assert "LOOM_REMOTE_PLATFORM" in problem(tmp_path, GOOD, LOOM_REMOTE_PLATFORM=f"{name}=on")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("executor: https://host", "remote.executor`: must be grpc(s)://host"),
        ("executor: grpc://a:b@host", "must not hold a password"),
        ("execution: always", "`always` is not one of auto, required, off"),
        ("jobs: 0", "remote.jobs"),
        ("jobs: many", "remote.jobs"),
        ("platform: {Pool: ''}", "must not be empty"),
        ("platform: {1Pool: x}", "`1Pool` must be a name with a value"),
    ],
)
def test_mistake_about_the_executor_is_told(tmp_path: Path, text: str, part: str) -> None:
    said = problem(tmp_path, f"{GOOD}remote: {{{text}}}\n")
    assert "loom.yaml:5:" in said and part in said, said


@pytest.mark.parametrize(("variable", "value"), [("JOBS", "0"), ("JOBS", "-1"), ("EXECUTION", "on"), ("PLATFORM", "x")])
def test_wrong_variable_about_the_executor_is_named(tmp_path: Path, variable: str, value: str) -> None:
    assert problem(tmp_path, GOOD, **{f"LOOM_REMOTE_{variable}": value}).startswith(f"LOOM_REMOTE_{variable}: ")


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    said = problem(tmp_path, "systems:\n  a: {entri: m.ddd}\nsandbox: podman\nstores: x\n")
    assert re.findall(r" --> loom\.yaml:(\d+):", said) == ["2", "3", "4"]


def test_file_that_is_not_utf8_is_a_plain_message(tmp_path: Path) -> None:
    (tmp_path / "loom.yaml").write_bytes(b"systems:\n  a: {entry: \xff}\n")
    with pytest.raises(ProjectProblem) as caught:
        load_project(tmp_path, {})
    assert "error[loom.unreadable-settings]: this file is not UTF-8\n --> loom.yaml:2:14\n" in str(caught.value)


def test_root_is_found_from_any_folder_below(tmp_path: Path) -> None:
    (tmp_path / "loom.yaml").write_text(GOOD)
    deep = tmp_path / "model" / "parts"
    deep.mkdir(parents=True)
    assert find_root(deep) == tmp_path


def test_missing_project_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ProjectProblem, match="`loom init` writes one"):
        find_root(tmp_path)


def test_changed_file_is_read_anew_although_it_is_cached(tmp_path: Path) -> None:
    project(tmp_path, GOOD)
    assert project(tmp_path, GOOD.replace("java: oci", "java: debian")).toolchains == (("java", "debian"),)


@pytest.mark.parametrize("garbage", [b"", b"garbled", b"\xe9\x03\x00\x00\x00"])
def test_garbled_cache_is_read_over(tmp_path: Path, garbage: bytes) -> None:
    project(tmp_path, GOOD)
    (tmp_path / ".loom/project.marshal").write_bytes(garbage)
    assert len(project(tmp_path, GOOD).systems) == 2


def test_known_file_is_read_without_yaml_and_pydantic(tmp_path: Path) -> None:
    """Two processes of their own: whoever began before the code was last changed leaves nothing to rely on."""
    (tmp_path / "loom.yaml").write_text(GOOD)
    program = (
        "import sys, pathlib; from loom.build.project import load_project;"
        "read = load_project(pathlib.Path(sys.argv[1]), {});"
        "print(len(read.systems), sorted({'yaml', 'pydantic', 'lark', 'jinja2'} & set(sys.modules)))"
    )
    argv = [sys.executable, "-c", program, str(tmp_path)]
    first, second = (subprocess.run(argv, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert first != second == "2 []\n"
