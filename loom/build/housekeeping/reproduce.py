"""Actions for people to do by hand: a script that does the same again, beside the folder of one that failed.

In: a job, or the preimage of an action's key. Out: `run.sh`. Never: a secret, or the environment of whoever ran it.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from loom.build.actions.action import Action, ActionInput, ActionLimits, ActionOutput, ActionStep
from loom.build.project.problem import ProjectProblem
from loom.build.sandbox.bubblewrap import find_bubblewrap, program_of, shell_of, walls
from loom.build.sandbox.inputs import laid_out
from loom.build.sandbox.job import Job
from loom.build.store.content import ContentStore

_AGAIN = Path("/again")
_TEXT = """\
#!/bin/sh
# Does {kind} again: the same root, inputs, environment and walls, without its limits of memory and processes.
# What it leaves lies in `again` beside this file. With words it runs those in the place of
# the first step: run.sh /bin/sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$here/again" && mkdir "$here/again"
if [ $# -gt 0 ]; then set -- {shell} "$@"; else set -- {program}; fi
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
            shell=shlex.join(shell_of(job.action)),
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


def action_of(preimage: bytes) -> Action:
    """The action whose key is the digest of `preimage`."""
    said = json.loads(preimage)
    world = said["world"]
    return Action(
        kind=said["kind"],
        steps=tuple(ActionStep(name=step["name"], argv=tuple(step["argv"]), cwd=step["cwd"]) for step in said["steps"]),
        env=tuple(said["env"].items()),
        inputs=tuple(ActionInput(name=name, **tree) for name, tree in said["inputs"].items()),
        copy_in=tuple(said["copy"]),
        outputs=tuple(ActionOutput(name=name, path=path) for name, path in said["outputs"].items()),
        toolchain=world["toolchain"],
        network=world["network"],
        timeout=said["timeout"],
        limits=ActionLimits(memory=world["memory"], processes=world["processes"]),
        pinned=said.get("pinned", ""),
    )


def reproduce(preimage: bytes, content: ContentStore, place: Path) -> str:
    """Writes `run.sh` into `place`; BlobLost or ProjectProblem when the store has lost what it takes."""
    action = action_of(preimage)
    root = content.root / "roots" / action.toolchain
    if not root.is_dir():
        raise ProjectProblem(f"the root of {action.kind} is not built; run the task once")
    inputs = {item.name: laid_out(content, item.tree) for item in action.inputs}
    place.mkdir(parents=True, exist_ok=True)
    write_script(place, Job(action, root, action.toolchain, inputs, place / "out", place / "scratch"))
    return f"{place / 'run.sh'} does it again; with words it runs those instead: run.sh /bin/sh\n"
