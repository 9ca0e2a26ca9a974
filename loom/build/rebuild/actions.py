"""One action done again in the same sandbox or on a worker, in another world.

In: an action task whose result is stored. Out: the paths that are different. Never: a stored or shared result.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loom.build.actions.action import Action, ActionResult
from loom.build.actions.cached import ActionFailed, ActionRunner, Check, Done
from loom.build.actions.world import ProjectWorld
from loom.build.rebuild.otherwise import Clock, otherwise
from loom.build.rebuild.steps import AGAIN, FIRST
from loom.build.store.results import ResultStore
from loom.build.store.tree import TreeEntry, TreeFile

if TYPE_CHECKING:
    from loom.build.work.actions import ActionWork


class Failed(Exception):
    """It succeeded once, and does not in another world."""


class Rebuilt(NamedTuple):
    """The paths that differ, whether the clock was turned, and whether a worker did it."""

    paths: tuple[str, ...]
    is_turned: bool
    is_remote: bool = False


def rebuilt_action(work: ActionWork, clock: Clock, scratch: Path, folder: Path) -> Rebuilt:
    """The files that differ lie below `folder`, side by side."""
    workspace = work.workspace
    actions = workspace.actions
    action = actions.action(work.rule, work.slug)
    first = actions.runner.run(action, actions.check(work.rule)).result
    world = ProjectWorld(workspace.project, workspace.content)
    world.announce(action.toolchain, actions.templates.template(work.rule).toolchain)
    actions.lay_in(work.rule, work.slug)
    varied = otherwise(action)
    runner = ActionRunner(workspace.content, ResultStore(scratch), world, read=False, elsewhere=workspace.executor)
    done, is_turned = _again(runner, varied, clock, actions.check(work.rule))
    again = done.result
    paths = differing(first, again)
    for name, result in ((FIRST, first), (AGAIN, again)):
        _lay(work, result, paths, folder / name)
    return Rebuilt(tuple(paths), is_turned, done.how == "remote")


def _again(runner: ActionRunner, action: Action, clock: Clock, check: Check | None) -> tuple[Done, bool]:
    """The library that turns the clock breaks some waits, so that what fails with it has a second chance without."""
    try:
        return runner.run(clock.in_sandbox(action), check), True
    except ActionFailed:
        pass
    try:
        return runner.run(action, check), False
    except ActionFailed as failed:
        said = (failed.stdout + failed.stderr).decode(errors="replace")
        raise Failed(f"{failed}\n{said}".rstrip()) from None


def differing(first: ActionResult, again: ActionResult) -> list[str]:
    """Paths whose content, kind or executable bit is not the same, or that only one of the two has."""
    one, two = ({entry.path: entry for entry in result.entries} for result in (first, again))
    return sorted(path for path in one.keys() | two.keys() if one.get(path) != two.get(path))


def _lay(work: ActionWork, result: ActionResult, paths: list[str], folder: Path) -> None:
    entries: dict[str, TreeEntry] = {entry.path: entry for entry in result.entries}
    for path in paths:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        match entries.get(path):
            case TreeFile() as file:
                work.workspace.content.copy_to(file.content, str(place), 0o755 if file.executable else 0o644)
            case None:
                place.with_name(f"{place.name}.absent").touch()
            case link:
                place.symlink_to(link.target)
