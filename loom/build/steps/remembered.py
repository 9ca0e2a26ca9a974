"""What a run found out about Loom's own code, so that the next one reads none of it while nothing there has changed.

In: the stamps of that code. Out: the digest and manifest of each module that was asked for.
Never: the truth: whatever is lost here is found out again from the files.
"""

from __future__ import annotations

import atexit
import marshal
import sys
from collections.abc import Mapping
from pathlib import Path

from loom.build.installed import installed
from loom.build.stamps import Stamp, settled
from loom.build.steps.code import Code
from loom.build.store.atomic import write_disposable

Manifests = dict[str, tuple[str, bytes]]


def remembered_code(path: str, package: Path, stamps: Mapping[str, Stamp]) -> Code:
    """The code of `package`, as far as known; what this run finds out more is kept when it ends.

    `stamps` are those of the code and of installed packages, from before any of it was loaded.
    """
    known = recall(path, stamps)
    code = Code(str(package.parent), package.name, known, stamps)
    atexit.register(_remember_more, path, settled(stamps), code, len(known))
    return code


def _remember_more(path: str, stamps: Mapping[str, Stamp], code: Code, before: int) -> None:
    if len(code.known) > before:
        remember(path, stamps, code.known)


def recall(path: str, stamps: Mapping[str, Stamp]) -> Manifests:
    """Empty unless the code has exactly these stamps still."""
    try:
        form, before, manifests = marshal.loads(Path(path).read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return manifests if form == _format() and before == stamps else {}


def remember(path: str, stamps: Mapping[str, Stamp], manifests: Manifests) -> None:
    """Keeps it for the next run; the stamps are of before the code was read, and settled."""
    write_disposable(path, marshal.dumps((_format(), dict(stamps), manifests)))


def _format() -> tuple[str, ...]:
    return "loom.code/2", sys.version, *installed()
