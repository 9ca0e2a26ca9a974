"""How an output folder has to look so that nothing can have changed in it, without any digest.

In: the folder, the key of its content. Out: stamps by path, or that of no file where it is too young to be trusted.
"""

from __future__ import annotations

import os
import stat

from loom.build.output.content import MANIFEST, OutputFolder, folders_above
from loom.build.output.memory import Folders, recalled
from loom.build.output.memory import stamp as stamp_of
from loom.build.stamps import Stamp, settled


def looks(folder: OutputFolder, key: str) -> dict[str, Stamp]:
    """What `lstat` has to say of each path below the folder; empty where it may hold another content.

    A folder that a link takes the place of changes the one that it lies in, so that folders of files alone are spared.
    kept by tests/engine/project/test_standing_answer.py::test_whatever_changed_is_for_doit
    """
    known, folders = recalled(folder.memory)
    if known != key:
        return {}
    # The folder before what lies in it: whoever comes between is seen.
    ours = {path: stamp_of(os.lstat(f"{folder.root}/{path}")) for path in (*_holders(folders), MANIFEST)}
    if not all(_is_folder(folder, path) for path in folders if path):
        return {}
    starts = {path: f"{path}/" if path else "" for path in folders}
    files = {starts[path] + name: was[:4] for path, names in folders.items() for name, was in names.items()}
    return settled(ours) | files


def _holders(folders: Folders) -> set[str]:
    """Folders that hold folders; the one that holds all may be a link."""
    return {".", *(above for path in folders for above in folders_above(path))}


def _is_folder(folder: OutputFolder, path: str) -> bool:
    return stat.S_ISDIR(os.lstat(f"{folder.root}/{path}").st_mode)
