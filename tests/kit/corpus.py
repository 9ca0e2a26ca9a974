"""Corpus cases: Markdown files that say what a stage makes of a model.

A case has sections, each a heading and one fenced block: META, SOURCE (`# SOURCE other.ddd` for more files),
and any of AST, IR, PLAN, DIAGNOSTICS. The folder names the stage; `RUNS` in `tests/kit/runs.py` runs it.
IR has those lines of the outline that the case is about (`tests/kit/outline.py`).
META has a `description`, an `encoding` where it is not UTF-8, and `nul`, `bidi` where a character of the source
stands for one that nobody could see; `near` and `near.<code>` quote what a code must not fire in.
`pytest --update` rewrites the expected sections that a case has.
"""

from __future__ import annotations

import re
from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

from tests.kit.runs import RUNS, Outcome

CORPUS = Path(__file__).parents[1] / "corpus"
MAIN = "model.ddd"
EXPECTED = ("AST", "IR", "PLAN", "DIAGNOSTICS")
_UNPRINTABLE = {"nul": "\0", "bidi": "\N{RIGHT-TO-LEFT OVERRIDE}"}
_SECTION = re.compile(r"^# (?P<name>[A-Z]+)(?: (?P<file>\S+))?\n~~~(?P<kind>\w*)\n(?P<body>.*?)^~~~\n", re.M | re.S)


@dataclass(frozen=True)
class Case:
    """One file of the corpus."""

    path: Path
    meta: dict[str, str]
    sources: dict[str, str]
    expected: dict[str, str]

    @property
    def stage(self) -> str:
        return self.path.relative_to(CORPUS).parts[0]


def cases(folder: Path = CORPUS) -> list[Case]:
    """Every case under `folder`, in the order of their paths."""
    return [read(path) for path in sorted(folder.rglob("*.md")) if path.name != "README.md"]


def read(path: Path) -> Case:
    """The case in one file; ValueError when it is not one."""
    sections = list(_SECTION.finditer(path.read_text(encoding="utf-8")))
    meta = "".join(section["body"] for section in sections if section["name"] == "META")
    sources = {section["file"] or MAIN: section["body"] for section in sections if section["name"] == "SOURCE"}
    expected = {section["name"]: section["body"] for section in sections if section["name"] in EXPECTED}
    if not (sources and expected) or len(expected) + len(sources) + 1 != len(sections):
        raise ValueError(f"{path}: a case has META, SOURCE and at least one of {', '.join(EXPECTED)}, each once")
    parser = ConfigParser(interpolation=None)
    parser.read_string("[meta]\n" + meta)
    if not parser["meta"].get("description"):
        raise ValueError(f"{path}: META needs a description that says why the result is right")
    return Case(path, dict(parser["meta"]), sources, expected)


def check(case: Case, *, update: bool = False) -> None:
    """Runs the case's stage and compares; with `update` the file is made to agree instead."""
    outcome = RUNS[case.stage]({name: _bytes(case, text) for name, text in case.sources.items()})
    actual = {name: _text(outcome, name) for name in case.expected}
    if "IR" in actual:
        actual["IR"] = chosen_lines(case.expected["IR"], actual["IR"])
    if update and actual != case.expected:
        _rewrite(case.path, actual)
    elif not update:
        for name, text in actual.items():
            assert text == case.expected[name], f"{case.path.name}: {name} differs; look, then pytest --update"


def _bytes(case: Case, text: str) -> bytes:
    """The file that a source stands for."""
    for name, character in _UNPRINTABLE.items():
        if name in case.meta:
            text = text.replace(case.meta[name], character)
    return text.encode(case.meta.get("encoding", "utf-8"))


def _text(outcome: Outcome, name: str) -> str:
    text = outcome.diagnostics if name == "DIAGNOSTICS" else outcome.trees[name]
    return text.rstrip("\n") + "\n" if text else ""


def chosen_lines(lines: str, whole: str) -> str:
    """The chosen lines as the whole has them now: each is found by the path that it begins with."""
    told: dict[str, list[str]] = {}
    for line in whole.splitlines():
        told.setdefault(line.partition(": ")[0], []).append(line)
    chosen, kept = lines.splitlines(), list[str]()
    for line in chosen:
        now = told.get(line.partition(": ")[0], [])
        kept += [line] if line in now else [item for item in now if item not in chosen and item not in kept]
    return "".join(f"{line}\n" for line in kept)


def _rewrite(path: Path, actual: dict[str, str]) -> None:
    def replaced(section: re.Match[str]) -> str:
        body = actual.get(section["name"], section["body"])
        heading = f"# {section['name']}" + (f" {section['file']}" if section["file"] else "")
        return f"{heading}\n~~~{section['kind']}\n{body}~~~\n"

    text = path.read_text(encoding="utf-8")
    path.write_text(_SECTION.sub(replaced, text), encoding="utf-8")
