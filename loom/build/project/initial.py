"""`loom init`: a small project that generates, passes its gates and its tests at once.

In: a folder. Out: its new files. Never: a file that was there before.
"""

from __future__ import annotations

from pathlib import Path

from loom.build.project.problem import NothingBegun

_STARTER = Path(__file__).with_name("starter")

# Tools take files of these names for their own wherever they lie, so they have others until they are written.
_RENAMED = {"gitignore": ".gitignore", "dodo.txt": "dodo.py"}


def initialise(folder: Path) -> tuple[str, ...]:
    """Writes the starter into `folder`; NothingBegun, and nothing written, when a file is there already."""
    sources = {path.relative_to(_STARTER).as_posix(): path for path in _STARTER.rglob("*") if path.is_file()}
    files = {_RENAMED.get(name, name): path for name, path in sources.items()}
    if taken := sorted(name for name in files if (folder / name).exists() or (folder / name).is_symlink()):
        raise NothingBegun(f"nothing written: {', '.join(taken)} would be overwritten in {folder}")
    for name, source in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    return tuple(sorted(files))
