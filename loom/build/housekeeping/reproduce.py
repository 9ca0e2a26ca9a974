"""Failed actions kept for people: the folder as it was left, and a script that does the same again.

In: a job. Out: `run.sh`, the folder's lasting place. Never: a secret, or the environment of whoever ran it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from loom.build.sandbox.bubblewrap import find_bubblewrap, program_of, walls
from loom.build.sandbox.job import Job

_AGAIN = Path("/again")
_TEXT = """\
#!/bin/sh
# Does {kind} again: the same root, inputs, environment and walls, without its limits of memory and processes.
# What it leaves lies in `again` beside this file. With words it runs those instead: run.sh /bin/sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$here/again" && mkdir "$here/again"
[ $# -gt 0 ] || set -- {program}
exec env -i {bubblewrap} {walls} -- "$@"
"""


def write_script(place: Path, job: Job) -> None:
    """`place/run.sh`, for bubblewrap, whose world is that of every sandbox."""
    words = [_word(word) for word in walls(job._replace(out=_AGAIN))]
    script = place / "run.sh"
    script.write_text(
        _TEXT.format(
            kind=job.action.kind,
            program=shlex.join(program_of(job.action)),
            bubblewrap=shlex.quote(find_bubblewrap() or "bwrap"),
            walls=" ".join(words),
        )
    )
    script.chmod(0o755)


def _word(word: str) -> str:
    return '"$here/again"' if word == str(_AGAIN) else shlex.quote(word)


def kept(place: Path, root: Path) -> str:
    """Moves a failed action's folder to where it stays; what to tell."""
    target = root / "failed" / place.name
    target.parent.mkdir(exist_ok=True)
    place.rename(target)
    return f"kept in {target}; run.sh there does it again"
