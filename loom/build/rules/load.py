"""Rules by name: a project's own first, then Loom's.

In: a project folder. Out: rules and where each came from. Never: a rule whose file says another name.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from loom.build.data import data_folders
from loom.build.project.problem import SettingsError
from loom.build.rules.model import RuleFile
from loom.build.settings import read_settings


class Rule(NamedTuple):
    """A rule in force and the file that it is from."""

    name: str
    file: RuleFile
    path: Path


def rule(name: str, project: Path | None) -> Rule:
    """The rule in force of that name, `<stage>/<backend>`; SettingsError names those that there are."""
    paths = _paths(project)
    if name not in paths:
        raise SettingsError(f"there is no rule `{name}` (there are: {', '.join(sorted(paths))})")
    return _read(name, paths[name])


def _paths(project: Path | None) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in reversed(data_folders("rules", project)):
        found |= {f"{path.parent.name}/{path.stem}": path for path in folder.glob("*/*.yaml")}
    return found


def _read(name: str, path: Path) -> Rule:
    file = read_settings(path, RuleFile)
    if file.rule != name:
        raise SettingsError(f"{path}:1: `rule`: says `{file.rule}`, but its place says `{name}`")
    return Rule(name, file, path)
