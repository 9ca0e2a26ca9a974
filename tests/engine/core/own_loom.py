"""A copy of Loom for one project alone, with the toy compiler as a part of it, so that a test may edit either."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.engine.core.tide_project import CHECKOUT, TideProject

TOY = "loom/tides.py"


def own_loom(project: TideProject, name: str = "copy") -> Path:
    """The folder of the copy, which the project uses from now on."""
    copy = project.root.parent / name
    for part in ("loom", "rules", "toolchains", "tests/engine"):
        shutil.copytree(CHECKOUT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "tests/engine/core/toy.py").rename(copy / TOY)
    dodo = project.root / "dodo.py"
    dodo.write_text(dodo.read_text().replace("tests.engine.core import toy", "loom import tides as toy"))
    use(project, copy)
    return copy


def use(project: TideProject, copy: Path) -> None:
    """From now on the project is built with that copy."""
    project.environment["PYTHONPATH"] = str(copy)
