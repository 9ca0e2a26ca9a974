"""`loom verify --rebuild`: is everything the same when it is made again in another world?

In: tasks. Out: what differs, and where both lie side by side. Never: an upload of a result that was seen to differ.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from loom.build.graph.reads import StepName
from loom.build.project.problem import ProjectProblem
from loom.build.rebuild.actions import Failed, Rebuilt, rebuilt_action
from loom.build.rebuild.child import Different
from loom.build.rebuild.otherwise import Clock, one_processor
from loom.build.rebuild.steps import rebuilt_steps
from loom.build.sandbox.choose import choose_sandbox
from loom.build.sandbox.job import SandboxError
from loom.build.store.unsound import mark
from loom.build.toolchain.trouble import FetchError, RootError
from loom.build.work.actions import ActionWork
from loom.build.work.stages import StageWork
from loom.build.work.work import Options, Work, WorkBroken, WorkFailed
from loom.build.workspace import Workspace

DIFFERENT = 4
"""The exit code."""

Say = Callable[[str], object]


class Verdict(NamedTuple):
    """What of a task is not the same; `folder` has both."""

    task: str
    what: tuple[str, ...]
    folder: Path


def verify(workspace: Workspace, works: Sequence[Work], needed: Sequence[Work], say: Say) -> int:
    """0 when all is the same, else `DIFFERENT`; ProjectProblem when something could not be made at all.

    `needed` are all tasks that these need, and these, in the order in which they run.
    """
    if not all(map(_is_made, works)):
        _make(needed, say)
    kept = workspace.project.state / "verify"
    shutil.rmtree(kept, ignore_errors=True)
    clock = _clock(workspace)
    folder = tempfile.TemporaryDirectory(prefix="rebuild-", dir=_below(workspace.project.state))
    with folder as scratch, one_processor() as had_more, _closed(workspace):
        verdicts = list(_verdicts(workspace, works, clock, Path(scratch), kept, say))
    for verdict in verdicts:
        say(f"{verdict.task} is not the same: {', '.join(verdict.what)}\n  both lie in {verdict.folder}\n")
    said = "another path, clock, time zone, locale and hash seed" + (", one processor" if had_more else "")
    told = "they are the same" if not verdicts else f"{len(verdicts)} not the same"
    say(f"{len(works)} task{'s' * (len(works) != 1)} made again ({said}): {told}\n")
    return DIFFERENT if verdicts else 0


@contextmanager
def _closed(workspace: Workspace) -> Iterator[None]:
    """Whoever was asked to work for us is told when nothing more comes."""
    try:
        yield
    finally:
        if workspace.executor is not None:
            workspace.executor.close()


def _is_made(work: Work) -> bool:
    known = work.known()
    return known is not None and all(work.workspace.results.has(key) for _, key in known.entries)


def _make(works: Sequence[Work], say: Say) -> None:
    """There has to be something to compare with."""
    for work in works:
        if not _is_made(work):
            say(f"{work.name} is made for the first time\n")
            try:
                work.run(Options())
            except (WorkFailed, WorkBroken) as failed:
                raise ProjectProblem(f"{work.name} failed\n{failed.text}".rstrip()) from None


def _clock(workspace: Workspace) -> Clock:
    try:
        return Clock(workspace, choose_sandbox(workspace.project.sandbox))
    except (FetchError, RootError, SandboxError) as error:
        raise ProjectProblem(f"the clock cannot be turned: {error}") from None


def _verdicts(
    workspace: Workspace, works: Sequence[Work], clock: Clock, scratch: Path, kept: Path, say: Say
) -> Iterator[Verdict]:
    stages = [work for work in works if isinstance(work, StageWork)]
    if stages:
        found = list(_of_steps(workspace, stages, clock, scratch, kept))
        others = {verdict.task for verdict in found}
        say("".join(_told(work, others) for work in stages))
        yield from found
    for work in works:
        if isinstance(work, ActionWork):
            folder = kept / work.name.replace(":", ".")
            again = _of_action(work, clock, scratch / work.name, folder)
            others = {work.name} if again.paths else set()
            where = " (remote)" if again.is_remote else ""
            say(_told(work, others, where + ("" if again.is_turned else " (its clock was not turned)")))
            if again.paths:
                mark(workspace.project.store, [key for _, key in _entries(work)])
                yield Verdict(work.name, again.paths, folder)


def _told(work: Work, others: set[str], beside: str = "") -> str:
    return f"!! {work.name}: not the same\n" if work.name in others else f"== {work.name}{beside}\n"


def _of_steps(
    workspace: Workspace, works: Sequence[StageWork], clock: Clock, scratch: Path, kept: Path
) -> Iterator[Verdict]:
    owners: dict[StepName, StageWork] = {step: work for work in works for step in work.units()}
    found = rebuilt_steps(workspace, list(owners), clock.of_host(), _below(scratch / "steps"), kept / "steps")
    names: dict[str, list[Different]] = {}
    for item in found:
        stage, _, unit = item.step.partition("/")
        names.setdefault(owners[stage, unit].name, []).append(item)
        mark(workspace.project.store, [workspace.products.step(stage, unit).key])
    for name, items in names.items():
        told = tuple(f"{item.step} `{item.part}`" if item.part else f"the key of {item.step}" for item in items)
        yield Verdict(name, told, kept / "steps")


def _of_action(work: ActionWork, clock: Clock, scratch: Path, folder: Path) -> Rebuilt:
    try:
        return rebuilt_action(work, clock, scratch, folder)
    except Failed as failed:
        (_below(folder) / "failure.txt").write_text(f"{failed}\n")
        return Rebuilt(("it failed the second time, see failure.txt",), True)


def _entries(work: Work) -> tuple[tuple[str, str], ...]:
    known = work.known()
    return known.entries if known is not None else ()


def _below(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
