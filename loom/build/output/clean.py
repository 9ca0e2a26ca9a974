"""Takes away what Loom wrote into an output folder, and nothing else.

In: the folder. Out: what was removed, and the edited files that stay.
Never: a file that Loom did not write or that somebody edited.
"""

from __future__ import annotations

import contextlib
from collections.abc import Container

from loom.build.output.content import MANIFEST, OutputContent, OutputFolder
from loom.build.output.decide import decide
from loom.build.output.look import Disk
from loom.build.output.manifest import manifest_bytes, read_manifest
from loom.build.output.memory import recall
from loom.build.output.place import remove_files, write_files
from loom.build.output.write import Written


def clean_output(folder: OutputFolder, *, spared: Container[str] = (), dryrun: bool = False) -> Written:
    """Removes every unedited file of Loom's, but for `spared` ones; `kept` names those that were edited."""
    disk = Disk(folder.root, recall(folder.memory))
    history = {path: left for path, left in read_manifest(folder.root).left.items() if path not in spared}
    decision = decide({}, history, disk)
    if not dryrun:
        remove_files(folder.root, decision.remove)
        folder.memory.unlink(missing_ok=True)
        if decision.kept:
            nothing = OutputContent(files={}, keys={}, key="", read=lambda sha256, size: b"")
            write_files(folder.root, {MANIFEST: manifest_bytes(nothing, decision.kept)})
        elif folder.root.is_dir():
            remove_files(folder.root, [MANIFEST] if disk.look(MANIFEST).left else [])
            with contextlib.suppress(OSError):  # it holds something of somebody else's
                folder.root.rmdir()
    return Written((), decision.remove, tuple(sorted(decision.kept)), {}, mended=False)
