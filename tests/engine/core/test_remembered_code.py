"""Loom's own code is read once: as long as no file of it changes, a later run knows what it depends on."""

from __future__ import annotations

import marshal
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loom.build.stamps import TICK_NS, folder_stamps, settled
from loom.build.steps.code import Code
from loom.build.steps.remembered import recall, remember

ROOT = Path(__file__).parents[3]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of two modules that nobody has touched for a while."""
    folder = tmp_path / "tides"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "ebb.py").write_text("import tides.neap\n")
    (folder / "neap.py").write_text("HEIGHT = 1\n")
    time.sleep(2 * TICK_NS / 1e9)
    return folder


def known(package: Path, memory: Path) -> Code:
    stamps = folder_stamps(str(package))
    code = Code(str(package.parent), "tides", known=recall(str(memory), stamps))
    code.digest("tides.ebb")
    remember(str(memory), settled(stamps), code.known)
    return code


def test_unchanged_code_is_not_read_again(package: Path, tmp_path: Path) -> None:
    memory = tmp_path / "code.marshal"
    first = known(package, memory)
    stamps = folder_stamps(str(package))
    shutil.rmtree(package)
    again = Code(str(tmp_path), "tides", known=recall(str(memory), stamps))
    assert again.digest("tides.ebb") == first.digest("tides.ebb")
    assert again.manifest("tides.ebb") == first.manifest("tides.ebb")


def test_changed_code_is_read_again(package: Path, tmp_path: Path) -> None:
    memory = tmp_path / "code.marshal"
    before = known(package, memory).digest("tides.ebb")
    (package / "neap.py").write_text("HEIGHT = 2\n")
    assert known(package, memory).digest("tides.ebb") != before


def test_code_of_a_moment_ago_is_not_trusted(package: Path, tmp_path: Path) -> None:
    memory = tmp_path / "code.marshal"
    (package / "neap.py").write_text("HEIGHT = 2\n")
    known(package, memory)
    assert recall(str(memory), folder_stamps(str(package))) == {}


@pytest.mark.parametrize("damage", [b"", b"garbled", marshal.dumps(("loom.code/0", {}, {}))])
def test_damaged_memory_is_ignored(package: Path, tmp_path: Path, damage: bytes) -> None:
    memory = tmp_path / "code.marshal"
    before = known(package, memory).digest("tides.ebb")
    memory.write_bytes(damage)
    assert known(package, memory).digest("tides.ebb") == before


ASKED = """
from loom.build.stamps import folder_stamps
from loom.build.steps.remembered import remembered_code
from pathlib import Path
import sys

print(remembered_code(sys.argv[1], Path(sys.argv[2]), folder_stamps(sys.argv[2])).digest("tides.ebb"))
"""


def test_a_run_leaves_it_to_the_next(package: Path, tmp_path: Path) -> None:
    memory = tmp_path / "code.marshal"

    def digest() -> str:
        argv = [sys.executable, "-c", ASKED, str(memory), str(package)]
        return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    first = digest()
    form, stamps, manifests = marshal.loads(memory.read_bytes())
    assert manifests["tides.ebb"][0] == first
    memory.write_bytes(marshal.dumps((form, stamps, {"tides.ebb": ("0" * 64, b"{}")})))
    assert digest() == "0" * 64
