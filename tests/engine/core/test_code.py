"""What a stage depends on: every file that it can print or run, and none that only people read."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

from loom.build.steps.code import Code, versions
from loom.compiler import STAGES

ROOT = Path(__file__).parents[3]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package whose emitter prints the Python and the pages that lie in its folder."""
    folder = tmp_path / "tides"
    printed = folder / "printed" / "app"
    printed.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "emitter.py").write_text("import tides\n")
    (folder / "unrelated.py").write_text("import tides\n")
    (printed / "__init__.py").write_text("")
    (printed / "clock.py").write_text("NOON = 12\n")
    (printed / "guide.md").write_text("At noon.\n")
    (printed / "README.md").write_text("Of the service.\n")
    (folder / "README.md").write_text("For readers.\n")
    return folder


def digest(package: Path) -> str:
    return Code(str(package.parent), "tides").digest("tides.emitter")


@pytest.mark.parametrize(
    "file",
    ["printed/app/clock.py", "printed/app/__init__.py", "printed/app/guide.md", "printed/app/README.md", "emitter.py"],
)
def test_what_may_be_printed_or_run_counts(package: Path, file: str) -> None:
    before = digest(package)
    (package / file).write_text("CHANGED = 1\n")
    assert digest(package) != before


@pytest.mark.parametrize("file", ["README.md", "unrelated.py"])
def test_a_page_for_readers_and_a_module_out_of_reach_do_not_count(package: Path, file: str) -> None:
    before = digest(package)
    (package / file).write_text("CHANGED = 1\n")
    assert digest(package) == before


@pytest.mark.parametrize("backend", ["node", "python"])
def test_an_emitter_depends_on_each_file_of_its_backend(backend: str) -> None:
    manifest = json.loads(Code(str(ROOT)).manifest(f"loom.backends.{backend}"))
    folder = ROOT / "loom" / "backends" / backend
    present = {
        str(path.relative_to(ROOT))
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and (path.name != "README.md" or "static" in path.parts)
    }
    assert present - set(manifest["files"]) == set()


def test_a_stage_of_somebody_else_depends_on_its_file_and_on_what_it_imports(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = ModuleType("regatta.stage")
    stage.__file__ = str(package.parent / "regatta_stage.py")
    Path(stage.__file__).write_text("from tides import emitter\n")
    monkeypatch.setitem(sys.modules, "regatta.stage", stage)
    before = Code(str(package.parent), "tides").digest("regatta.stage")
    (package / "emitter.py").write_text("import tides  # changed\n")
    between = Code(str(package.parent), "tides").digest("regatta.stage")
    Path(stage.__file__).write_text("from tides import emitter  # changed\n")
    code = Code(str(package.parent), "tides")
    assert len({before, between, code.digest("regatta.stage")}) == 3
    assert code.known == {}
    elsewhere = package.parent / "elsewhere" / "stage.py"
    elsewhere.parent.mkdir()
    stage.__file__ = str(Path(stage.__file__).rename(elsewhere))
    assert Code(str(package.parent), "tides").digest("regatta.stage") == code.digest("regatta.stage")


def test_every_foreign_package_is_known_by_its_version() -> None:
    """With those that it needs in turn: what they do is in no key otherwise."""
    manifest = json.loads(Code(str(ROOT)).manifest("loom.emit.stage"))
    assert manifest["packages"]["markupsafe"] == version("markupsafe")
    for stage in STAGES:
        inside, outside = Code(str(ROOT)).closure(stage.run.__module__)
        assert inside and not {
            name for name in outside - sys.stdlib_module_names - {"_typeshed"} if not versions({name})
        }
