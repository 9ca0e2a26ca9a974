"""Whatever is wrong with a model: code, place, excerpt with caret, help, exit code 1, and never a traceback."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.engine.pipeline.apiary_project import CHECKOUT, TEMPLATE, ApiaryProject
from tests.engine.pipeline.broken_models import BROKEN, SIX, Broken, original, places, sources
from tests.engine.pipeline.foreign_models import FOREIGN

ENTRY = re.compile(
    r"^(?P<severity>error|warning)\[(?P<code>loom\.[a-z0-9-]+)\]: (?P<text>.+)\n"
    r" --> (?P<place>[\w/.]+:\d+:\d+)\n"
    r"(?P<excerpt>(?:[ \d]+\|.*\n)*)"
    r"(?:help: (?P<help>.+)\n)?",
    re.M,
)
ALL = (*BROKEN, *FOREIGN)


class Told:
    """What a person reads after `loom validate`."""

    def __init__(self, code: int, text: str) -> None:
        self.code = code
        self.text = text
        self.entries = [found.groupdict("") for found in ENTRY.finditer(text)]

    @property
    def mistakes(self) -> list[dict[str, str]]:
        return [entry for entry in self.entries if entry["severity"] == "error"]


PROGRAM = """
import os, sys
from loom.cli import main
for root in sys.argv[1:]:
    os.chdir(root)
    sys.stdout.write(f"{main(['validate'])}\\n@@@@\\n")
"""


def as_windows() -> dict[str, bytes]:
    """Every file as an editor on Windows may save it."""
    places = (TEMPLATE / "model").iterdir()
    return {place.stem: b"\xef\xbb\xbf" + place.read_bytes().replace(b"\n", b"\r\n") for place in places}


QUALITY = b'import "./nothing.ddd"\n' + original("quality").encode()
NOTHING = {
    "empty": b"",
    "blank": b"\n\n",
    "comment": b"// a remark",
    "only a mark": b"\xef\xbb\xbf",
    "crlf": b"\r\n\r\n",
}
CIRCLE = {"hive_keeping": b'import "./main.ddd"\nimport "./quality.ddd"\n', "quality": b'import "./quality.ddd"\n'}
SOUND = {
    **{f"import of a file that is {name}": {"nothing": data, "quality": QUALITY} for name, data in NOTHING.items()},
    **{f"entry file that is {name}": {"main": data} for name, data in NOTHING.items()},
    "files that import one another and themselves": {
        name: imports + original(name).encode() for name, imports in CIRCLE.items()
    },
    "as Windows saves it": as_windows(),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """What `loom validate` says of each model: one process and one store for all of them."""
    folder = tmp_path_factory.mktemp("models")
    models = {**{broken.name: sources(broken) for broken in (*ALL, SIX)}, **SOUND}
    roots = {name: folder / name for name in models}
    for name, files in models.items():
        shutil.copytree(TEMPLATE, roots[name])
        write(roots[name], files)
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(CHECKOUT), "LOOM_STORE": str(folder / "store")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, roots.values())], env=variables, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stdout and done.returncode == 0, done.stdout[-4000:]
    texts = done.stdout.split("\n@@@@\n")[:-1]
    return {name: told_by(text) for name, text in zip(models, texts, strict=True)}


def told_by(text: str) -> Told:
    """The exit code is the last line."""
    said, _, code = text.rpartition("\n")
    return Told(int(code), f"{said}\n")


def write(root: Path, files: Mapping[str, bytes]) -> None:
    for file, data in files.items():
        (root / f"model/{file}.ddd").write_bytes(data)


def well_told(entry: dict[str, str]) -> bool:
    """An excerpt whose caret stands under the column that the place names, and help."""
    numbered = [line for line in entry["excerpt"].splitlines() if re.match(r" *\d+ \|", line)]
    carets = [line for line in entry["excerpt"].splitlines() if re.fullmatch(r" *\| *\^+", line)]
    return len(numbered) == 1 and len(carets) == 1 and bool(entry["help"])


@pytest.mark.parametrize("broken", ALL, ids=lambda broken: broken.name.replace(" ", "-"))
def test_mistake_is_told_with_all_that_one_needs(told: dict[str, Told], broken: Broken) -> None:
    said = told[broken.name]
    assert said.code == 1
    assert [entry["code"] for entry in said.mistakes] == [f"loom.{code}" for code in broken.codes], said.text
    assert all(well_told(entry) for entry in said.mistakes), said.text
    assert places(broken) <= {entry["place"] for entry in said.mistakes}, said.text


def test_a_misspelt_import_is_told_with_the_file_that_lies_there(told: dict[str, Told]) -> None:
    (entry,) = told["bad import path"].mistakes
    assert entry["help"] == "did you mean `./quality.ddd`?"


def test_there_are_enough_of_them() -> None:
    assert len(ALL) >= 25 and len({broken.name for broken in ALL}) == len(ALL)


def test_all_independent_mistakes_are_told_in_one_run(told: dict[str, Told]) -> None:
    said = told[SIX.name]
    assert said.code == 1
    assert sorted(entry["code"] for entry in said.mistakes) == sorted(f"loom.{code}" for code in SIX.codes), said.text
    assert {entry["place"] for entry in said.mistakes} == places(SIX)
    in_order = [entry["place"].rsplit(":", 2) for entry in said.entries]
    assert in_order == sorted(in_order, key=lambda place: (place[0], int(place[1]), int(place[2])))


def test_warnings_are_told_beside_mistakes(told: dict[str, Told]) -> None:
    said = told["unknown type"]
    assert [entry["severity"] for entry in said.entries] == ["error", "warning"]
    assert all(well_told(entry) for entry in said.entries), said.text


def test_caret_stands_under_what_is_wrong(told: dict[str, Told]) -> None:
    for entry in told[SIX.name].mistakes:
        line, caret = entry["excerpt"].splitlines()[1:3]
        start = caret.index("^")
        assert line[start - 1] in " (." and re.fullmatch(r'[\w"]+', line[start : len(caret)]), entry["excerpt"]
        assert start - line.index("|") - 1 == int(entry["place"].rsplit(":", 1)[1])


@pytest.mark.parametrize("name", SOUND, ids=lambda name: name.replace(" ", "-"))
def test_what_only_looks_odd_is_no_mistake(told: dict[str, Told], name: str) -> None:
    assert told[name].code == 0 and not told[name].mistakes, told[name].text


def test_places_are_the_same_with_windows_line_ends(told: dict[str, Told]) -> None:
    assert [entry["place"] for entry in told["as Windows saves it"].entries] == ["model/hive_keeping.ddd:28:38"]


@pytest.mark.parametrize("name", ["unknown type", "UTF-16", "token soup", "deep nesting", "cycle of value objects"])
def test_real_commands_end_with_one(built: ApiaryProject, tmp_path: Path, name: str) -> None:
    broken = next(broken for broken in BROKEN if broken.name == name)
    project = built.copied(tmp_path / "apiary")
    before = project.output()
    write(project.root, sources(broken))
    for done in (project.doit(code=1), project.loom("validate", code=1)):
        said = Told(done.code, done.text)
        assert [entry["code"] for entry in said.mistakes] == [f"loom.{code}" for code in broken.codes]
    assert project.output() == before
