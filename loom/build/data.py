"""Where Loom lies, and its rules and toolchains: beside the package in a checkout, inside it when installed.

In: the name of a data folder, optionally a project. Out: folders, the one that wins first.
Never: the content of a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

DataFolder = Literal["rules", "toolchains"]

PACKAGE = Path(__file__).resolve().parent.parent
"""Loom's own code."""


def data_folder(name: DataFolder) -> Path:
    """Loom's own folder of that name."""
    installed = PACKAGE / "_data" / name
    return installed if installed.is_dir() else PACKAGE.parent / name


def data_folders(name: DataFolder, project: Path | None) -> tuple[Path, ...]:
    """The project's own folder first: it wins by name."""
    own = data_folder(name)
    mine = project / name if project is not None else own
    return (mine, own) if mine.is_dir() and mine.resolve() != own.resolve() else (own,)
