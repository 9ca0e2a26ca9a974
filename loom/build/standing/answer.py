"""The answer of `generate` that still stands: said again without doit when nothing has changed since.

In: the project in the working folder. Out: the same lines, and a run in the log; or nothing, and then doit decides.
Never: an answer of which any part is not exactly as it was recorded, or a module that can be spared: Python's own start
is most of the time.
kept by tests/engine/project/test_standing_answer.py::test_nothing_to_do_loads_next_to_nothing
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
import time
from operator import attrgetter

from loom.build.housekeeping.run_files import first_line, forget_old, run_name
from loom.build.housekeeping.times import seconds
from loom.build.installed import installed

TYPE_CHECKING = False
"""As in `typing`, which takes longer to load than all that is here."""
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from typing import TypeAlias

    Around: TypeAlias = "tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]"
    """The project, this module, where packages lie, variables."""
    Looks: TypeAlias = "tuple[bytes, bytes]"
    """Names of files, with a NUL between two, and the stamps that all of them had."""
    Timed: TypeAlias = "tuple[str, str]"
    """A text around a time."""
    Answer: TypeAlias = "tuple[bytes | None, tuple[tuple[str, str], ...], Timed, Timed]"
    """The dodo.py that may be answered for; lines, each time up to warnings; the last line; the log but its first."""

PLACE = ".loom/answer.marshal"
FORMAT = ("loom.answer/3", sys.version)
READ = ("loom.yaml", ".loom/doit.sqlite", "pyproject.toml", "doit.cfg")
"""Compared by content: what doit and Loom read besides files that are known by their stamps."""
DODO = "dodo.py"

_STAMP = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


def repeat(program: str, words: Sequence[str], *, dodo: bool = False) -> bool:
    """Says it all again, as doit would; False, and not a word, when doit has to be asked.

    The answer is that of the project alone: with `dodo`, only where a dodo.py is known to add nothing to it.
    """
    at, begun = time.time(), time.monotonic_ns()
    answer = _uncollected(_standing)
    if answer is None or (dodo and (answer[0] is None or content(DODO) != answer[0])):
        return False
    _, said, summary, log = answer
    spent = (time.monotonic_ns() - begun) // 1_000_000
    _log(at, first_line(at, program, '["generate"]' if words else "[]") + str(spent).join(log))
    for lines, warnings in said:
        sys.stdout.write(lines + (_painted(warnings) if warnings else ""))
    sys.stdout.write(seconds(spent).join(summary))
    return True


def circumstances(root: str, secrets: Collection[str]) -> Around:
    """What an answer holds for besides files; of the secrets among the variables, only which are given."""
    wishes = ((name, value) for name, value in os.environ.items() if name.startswith("LOOM_") or name == "HOME")
    given = sorted((name, "" if name in secrets else value) for name, value in wishes)
    return root, __file__, installed(), tuple(given)


def dumped(found: Iterable[tuple[int, int, int, int]]) -> bytes:
    """Equal for equal stamps: this version of the format knows of no objects, only of what they hold."""
    return marshal.dumps(list(found), 2)


def content(name: str) -> bytes | None:
    try:
        with open(name, "rb") as stream:
            return stream.read()
    except OSError:
        return None


def _uncollected(find: Callable[[], Answer | None]) -> Answer | None:
    """Stamps have no cycles: looking for some in all that doit has loaded takes longer than reading them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return find()
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _standing() -> Answer | None:
    """None unless every stamp and every byte is as it was."""
    recorded = content(PLACE)
    if recorded is None or os.environ.get("LOOM_CACHE") == "write":
        return None
    try:
        form, *rest = marshal.loads(recorded)
        if form != FORMAT:
            return None
        secrets, around, read, watched, absent, written, answer = rest
    except (ValueError, EOFError, TypeError):
        return None
    stands = (
        around == circumstances(os.getcwd(), secrets)
        and read == tuple(map(content, READ))
        and not any(map(os.path.exists, absent))
        and _look(watched, os.stat)
        and _look(written, os.lstat)
    )
    found: Answer | None = answer if stands else None
    return found


def _look(known: Looks, look: Callable[[bytes], os.stat_result]) -> bool:
    names, were = known
    try:
        return dumped(map(_STAMP, map(look, names.split(b"\0")))) == were
    except OSError:
        return False


def _log(at: float, text: str) -> None:
    folder = ".loom/runs"
    try:
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/{run_name(at)}.jsonl", "x", encoding="utf-8") as stream:
            stream.write(text)
    except OSError:
        return
    forget_old(folder)


def _painted(text: str) -> str:
    from loom.build.terminal import painted

    return painted(text, sys.stdout)
