"""Why the key of a task changed: two stored preimages, compared field by field and file by file.

In: a work, its state before, or a key of some other time. Out: lines of text. Never: a run of an action.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from loom.build.commands.past import keys_like, known_entries
from loom.build.commands.preimages import Flat, Stored, compared
from loom.build.commands.unchanged import is_rearranged, never_done, rearranged, unchanged
from loom.build.project.problem import NothingBegun
from loom.build.steps.products import NotKnown

if TYPE_CHECKING:
    from loom.build.work.work import Work
    from loom.build.workspace import Workspace


def explain(workspace: Workspace, work: Work, due: Callable[[], str]) -> str:
    """What differs between now and the last run; when nothing does, what the last change was.

    `due` says why doit would run it, empty when it would not; to be asked once stages ran.
    """
    last = workspace.last.ran.get(work.name) if workspace.last else None
    previous = workspace.last.previous.get(work.name) if workspace.last else None
    if last is None:
        return never_done(work)
    stored = Stored(workspace.content, workspace.results, workspace.actions.made)
    try:
        now = work.preimages()
    except NotKnown as absent:
        return f"{work.name} has no key until {absent} has run: see `loom explain {absent}`\n"
    same = {unit for unit, key in last.entries if unit in now and hashlib.sha256(now[unit]).hexdigest() == key}
    before = {unit: told for unit, told in stored.preimages(last).items() if unit not in same}
    lines = list(compared(before, {unit: stored.flat(data) for unit, data in now.items() if unit not in same}))
    if lines:
        return f"{work.name} would run, because its key changed:\n" + "".join(lines)
    if is_rearranged(work, last):
        return rearranged(work)
    reason = due()
    if reason or previous is None:
        return unchanged(work, last, reason)
    lines = list(compared(stored.preimages(previous), stored.preimages(last)))
    return f"{work.name} is as it was; when it last changed:\n" + "".join(lines)


def explain_against(workspace: Workspace, work: Work, key: str) -> str:
    """What differs between now and a key of some other time or place; ProjectProblem when nothing knows it."""
    stored = Stored(workspace.content, workspace.results, workspace.actions.made)
    now = {unit: stored.flat(data) for unit, data in work.preimages().items()}
    before = _of_key(workspace, work, stored, key, now)
    lines = list(compared(before, {unit: flat for unit, flat in now.items() if unit in before or len(before) > 1}))
    if not lines:
        return f"{work.name} has that key\n"
    return f"{work.name} differs from {key[:12]}:\n" + "".join(lines)


def _of_key(workspace: Workspace, work: Work, stored: Stored, key: str, now: Mapping[str, Flat]) -> dict[str, Flat]:
    """A task's key stands for those of its steps; a result's key for that of the step that is most like it."""
    if entries := known_entries(workspace, work.name, key):
        return {unit: stored.told(step) for unit, step in entries.items()}
    found = [name for name in keys_like(workspace.results, key) if stored.keyed(name)]
    if len(found) != 1:
        told = "several begin so" if found else "neither a run that is kept nor a stored result has it"
        raise NothingBegun(f"there is no key {key}: {told}")
    flat = stored.told(found[0])
    unit = max(
        now, key=lambda name: (now[name].get("stage") == flat.get("stage"), len(now[name].items() & flat.items()))
    )
    if now[unit].get("stage") != flat.get("stage") or now[unit].get("kind") != flat.get("kind"):
        raise NothingBegun(f"{key} is no key of {work.name}: it is one of `{flat.get('stage') or flat.get('kind')}`")
    return {unit: flat}
