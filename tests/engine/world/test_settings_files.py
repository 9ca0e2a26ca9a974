"""Rules and toolchains as files: every mistake is named with file, line, key and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.project.problem import SettingsError
from loom.build.rules.apply import apply_rule
from loom.build.rules.load import Rule, rule
from loom.build.rules.model import RuleFile, in_bytes
from loom.build.settings import parse_settings
from loom.build.toolchain.model import ToolchainFile
from loom.build.toolchain.toolchain import toolchain

RULE = """rule: gate/python
toolchain: python
inputs: {project: emit}
copy: [project]
steps:
  - {name: types, argv: [mypy, app], cwd: /build/project}
outputs: {artefact: /out/app}
"""


def mistake(text: str) -> str:
    with pytest.raises(SettingsError) as problem:
        parse_settings(text, "rules/gate/python.yaml", RuleFile)
    return str(problem.value)


def shipped() -> list[Rule]:
    """Every rule that comes with Loom."""
    files = sorted((Path(__file__).parents[3] / "rules").glob("*/*.yaml"))
    return [rule(f"{file.parent.name}/{file.stem}", None) for file in files]


def test_sound_rule_is_read_with_its_defaults() -> None:
    found = parse_settings(RULE, "rules/gate/python.yaml", RuleFile)
    assert (found.network, found.timeout, found.copy_in) == ("none", 600, ("project",))
    assert in_bytes(found.limits.memory) == 3 << 30


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("toolchain:", "toolchian:", "FILE:2:1|no key `toolchian` here|did you mean `toolchain`? there are copy, "),
        ("cwd:", "cdw:", "FILE:6:38|no key `cdw` here|did you mean `cwd`? there are argv, cwd, name"),
        ("outputs: {artefact: /out/app}", "outputs: {artefact: /etc/x}", "FILE:7:21|`/etc/x` must lie below /out"),
        ("outputs: {artefact: /out/app}", "outputs: {a: /out/../etc}", "must lie below /out"),
        ("outputs: {artefact: /out/app}", "outputs: {}", "FILE:7:1|`outputs`: must not be empty|name at least one"),
        ("copy: [project]", "copy: [projects]", "`copy` names ['projects'], which are no inputs"),
        ("copy: [project]", "network: fetch", "`network: fetch` is legal only in rules/deps"),
        ("copy: [project]", "limits: {memory: 3GB}", "`3GB` is no size: write a number and KiB, MiB or GiB"),
        ("copy: [project]", "timeout: 0", "FILE:4:10|`timeout`: must be at least 1"),
        ("copy: [project]", "timeout: 5\ntimeout: 6", "FILE:5:1|key `timeout` is given twice|remove one"),
        ("argv: [mypy, app]", "argv: mypy app", "FILE:6:25|`steps.0.argv`: must be a list|`[one, two]`"),
        ("inputs: {project: emit}", "inputs: {../../etc: emit}", "FILE:3:10|must be of the form"),
        ("rule: gate", "rule: [gate", "FILE:|this is no YAML|close each bracket"),
        ("toolchain: python\n", "", "FILE:1:1|`toolchain` is missing|add `toolchain: …`"),
    ],
)  # fmt: skip
def test_mistake_in_a_rule_is_named(old: str, new: str, message: str) -> None:
    assert old in RULE
    said = mistake(RULE.replace(old, new))
    assert all(part in said for part in message.replace("FILE", "rules/gate/python.yaml").split("|")), said


def test_all_mistakes_are_named_at_once() -> None:
    said = mistake(RULE.replace("cwd:", "cdw:").replace("toolchain:", "toolchian:"))
    assert said.count("error[loom.") == said.count("\n --> ") == said.count("\nhelp: ") == 2


def test_toolchain_file_names_the_allowed_keys() -> None:
    provider = "providers:\n  - debian: {suite: bookworm, package: [dash]}\n"
    text = f'name: end\nversion: "1"\n{provider}probe: {{argv: [sh], expect: x}}\n'
    with pytest.raises(SettingsError, match=r"(?s)no key `package` here\n --> t.yaml:4:31\n.*did you mean `packages`"):
        parse_settings(text, "t.yaml", ToolchainFile)


def test_project_rule_wins_by_name(tmp_path: Path) -> None:
    own = tmp_path / "rules" / "gate" / "python.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(RULE)
    assert rule("gate/python", tmp_path).path == own
    assert rule("gate/python", None).path != own
    assert rule("gate/node", tmp_path) == rule("gate/node", None)


def test_rule_must_stand_where_it_says(tmp_path: Path) -> None:
    own = tmp_path / "rules" / "gate" / "class.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(RULE)
    with pytest.raises(SettingsError, match="says `gate/python`, but its place says `gate/class`"):
        rule("gate/class", tmp_path)


def test_unknown_rule_names_those_that_there_are() -> None:
    with pytest.raises(SettingsError, match=r"there is no rule `gate/cobol` .*gate/node, gate/python"):
        rule("gate/cobol", None)


def test_every_rule_has_its_toolchain_and_becomes_an_action() -> None:
    for found in shipped():
        chain = toolchain(found.file.toolchain)
        action = apply_rule(found, chain, dict.fromkeys(found.file.inputs, Digest("0" * 64, 0)))
        assert action.toolchain == chain.identity
        assert action.kind == found.name


def test_action_needs_exactly_the_inputs_of_its_rule() -> None:
    found = rule("gate/python", None)
    with pytest.raises(ValueError, match=r"takes \['deps', 'project'\]"):
        apply_rule(found, toolchain("python"), {})


def test_only_dependencies_may_use_the_network() -> None:
    online = {found.name for found in shipped() if found.file.network == "fetch"}
    assert online == {found.name for found in shipped() if found.name.startswith("deps/")}
    assert len(online) >= 2
