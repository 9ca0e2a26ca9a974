"""Values from outside the model that a stage may read, by name and unit.

In: `history` of `<system>/<context>`, `recorded` of a system, `deps` of a backend, `extern` of a deployable.
Out: the value.
Never: a path of this machine, or a file that is not stamped.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from loom.build.data import data_folders
from loom.build.project.settings import Project
from loom.build.stamps import Stamp, folder_stamps

if TYPE_CHECKING:
    from loom.base.pipeline import Input


def given(project: Project, name: str, unit: str, stamps: dict[str, Stamp]) -> Input:
    """KeyError for a name that is none of these."""
    match name:
        case "history":
            return _history(project, unit, stamps)
        case "recorded":
            return _recorded(project, unit, stamps)
        case "deps":
            folders = [folder / "deps" / unit for folder in data_folders("rules", project.root)]
            return _files(next((folder for folder in folders if folder.is_dir()), folders[-1]), stamps)
        case "extern":
            return _files(project.root / "extern" / unit, stamps)
        case _:
            raise KeyError(name)


def _history(project: Project, unit: str, stamps: dict[str, Stamp]) -> Input:
    from loom.build.migrations.history import history_folder, read_history

    system, _, context = unit.partition("/")
    folder = history_folder(project.root, system, context)
    stamps |= folder_stamps(str(folder))
    said = {"may_lose_data": project.may_lose_data, "is_closed": project.locked}
    return read_history(folder).model_copy(update=said)


def _recorded(project: Project, system: str, stamps: dict[str, Stamp]) -> Input:
    """What is recorded of a system; the first one answers for those that are no more."""
    from loom.build.migrations.history import FOLDER, history_folders, read_history
    from loom.plan.history import KeptTables, Recorded

    stamps |= folder_stamps(str(project.root / FOLDER))
    systems = [item.name for item in project.systems]
    found: list[KeptTables] = []
    for folder in history_folders(project.root):
        owner = folder.parent.name
        if (owner if owner in systems else systems[0]) == system:
            tables = tuple(sorted(table.name for table in read_history(folder).tables))
            found += [KeptTables(folder=f"{owner}/{folder.name}", tables=tables)] if tables else []
    return Recorded(histories=tuple(found), may_lose_data=project.may_lose_data, is_closed=project.locked)


def _files(folder: Path, stamps: dict[str, Stamp]) -> Input:
    """(name, bytes) of each file below `folder`, sorted; names are relative, with `/`."""
    stamps |= folder_stamps(str(folder))
    names = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple((path.relative_to(folder).as_posix(), path.read_bytes()) for path in names)
