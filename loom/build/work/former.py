"""The output folders that a project names no more: a system was renamed, removed, or sent elsewhere.

In: a project. Out: the folders; what was removed from them, as text. Never: a file that somebody edited.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.build.output.clean import clean_output
from loom.build.output.content import OutputContent, OutputFolder
from loom.build.output.former import former_folders, record_folders, taken_over, unrecorded_folders
from loom.build.project.settings import Project

_UNRECORDED = "holds what Loom wrote, and loom.yaml does not name it: delete it, unless it is somebody's copy"


class FormerFolders:
    """As of now; whoever changes them holds the lock of the project's output."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._record = project.state / "output" / "folders"
        self._named = [system.out for system in project.systems]
        self._names = former_folders(self._record, project.root, self._named)
        self._unrecorded = unrecorded_folders(self._record, project.root, self._named)

    def places(self) -> list[tuple[str, OutputFolder]]:
        """Each by its name. What was seen there is remembered nowhere: the system may have another folder now."""
        return [
            (name, OutputFolder(self._project.root / name, self._record.with_name("former"))) for name in self._names
        ]

    def record(self) -> None:
        """Before anything is written: a run that is killed then leaves no folder that nobody knows of."""
        record_folders(self._record, [*self._named, *self._names])

    def leave(self, wanted: Sequence[tuple[OutputFolder, OutputContent]]) -> str:
        """Takes away what Loom left in them, but for what is `wanted`; a folder with edited files is not forgotten."""
        text, waiting = "".join(f"{name} {_UNRECORDED}\n" for name in self._unrecorded), []
        for name, folder in self.places():
            done = clean_output(folder, spared=taken_over(folder.root, wanted))
            if done.removed:
                text += f"removed from {name}: {len(done.removed)} files; loom.yaml names that folder no more\n"
            text += "".join(f"kept {name}/{path}: nothing makes it any more, but it was edited\n" for path in done.kept)
            waiting += [name] if done.kept else []
        record_folders(self._record, [*self._named, *waiting])
        return text
