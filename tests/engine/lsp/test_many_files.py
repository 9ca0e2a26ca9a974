"""Fifty files that import each other: each is parsed once, and after an edit only what was edited."""

from __future__ import annotations

from pathlib import Path

import pytest

import loom.parse.stage
from loom.build.project.load import load_project
from loom.lsp.checking import Checker
from loom.lsp.session import Parsed, Session
from loom.parse import ParseResult, parse

FILES = 50


@pytest.fixture
def circle(tmp_path: Path) -> Path:
    """Every file imports every one, itself too."""
    imports = "".join(f'import "./HTTP{number}.ddd"\n' for number in range(FILES))
    for number in range(FILES):
        text = f"context SeedVault{number} {{\n    enum RoomClass {{ end, class }}\n}}\n"
        (tmp_path / f"HTTP{number}.ddd").write_text(imports + text)
    main = f'import "./HTTP0.ddd"\n{imports}system Vault {{\n    storage primaryDatabase {{ type: postgres }}\n}}\n'
    (tmp_path / "main.ddd").write_text(main)
    (tmp_path / "loom.yaml").write_text("systems: {vault: {entry: main.ddd}}\n")
    return tmp_path


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that the compiler parses, as it does."""
    found: list[str] = []

    def counted(path: str, data: bytes, *, tables: bytes | None = None) -> ParseResult:
        found.append(path)
        return parse(path, data, tables=tables)

    monkeypatch.setattr(loom.parse.stage, "parse", counted)
    return found


def test_each_of_fifty_files_that_import_each_other_is_parsed_once(circle: Path, parsed: list[str]) -> None:
    found = Checker(load_project(circle)).findings({}, late=False)
    assert {file: [item.code for item in items] for file, items in found.items() if items} == {}
    assert sorted(parsed) == sorted([f"HTTP{number}.ddd" for number in range(FILES)] + ["main.ddd"])


def test_an_edit_parses_its_file_alone(circle: Path, parsed: list[str]) -> None:
    checker = Checker(load_project(circle))
    checker.findings({}, late=False)
    parsed.clear()
    text = (circle / "HTTP7.ddd").read_text()
    found = checker.findings({"HTTP7.ddd": text.replace("end, class", "end, end").encode()}, late=False)
    assert parsed == ["HTTP7.ddd"]
    assert [item.code for item in found["HTTP7.ddd"]] == ["loom.duplicate-enum-value"]
    checker.findings({"HTTP7.ddd": text.encode()}, late=False)
    assert parsed == ["HTTP7.ddd"]


def test_the_names_of_a_session_are_made_of_one_new_tree(circle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(load_project(circle))
    session.update({})
    parsed: list[str] = []
    before = session.parsed

    def counted(file: str, data: bytes) -> Parsed:
        parsed.append(file)
        return before(file, data)

    monkeypatch.setattr(session, "parsed", counted)
    session.update({"HTTP7.ddd": b"context SeedVault7 { enum RoomClass { order } }"})
    assert parsed == ["HTTP7.ddd"]
    assert len(session.root().homes) == FILES
