"""What changed among the inputs of a step or an action, and from where that came.

In: keys before and after. Out: causes, each of which may lead on. Never: a guess: what is not kept any more is said.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from loom.build.commands.past import past_entries
from loom.build.commands.preimages import Flat, Stored
from loom.build.deps.locks import TREE_LOCK, deps_folder
from loom.build.graph.inputs import Inputs, action_files
from loom.build.graph.reads import StepName, step_of, told_path
from loom.build.state import Known
from loom.build.steps.products import NotKnown
from loom.build.steps.trail import Former, former_keys
from loom.build.store.atomic import canonical_json
from loom.build.store.content import BlobLost
from loom.build.store.entries import WHOLE
from loom.build.work.actions import ActionWork
from loom.build.work.work import Work

_CODE = "code.files."
_NAMED = 3
"""Files of Loom that are named one by one."""
_ABSENT = "absent"
FORGOTTEN = "what it was made of before is not kept any more"

Place = StepName | str
"""A step, or the name of a task that runs an action or gathers others."""


class Keys(NamedTuple):
    """Of one step or action, before and after; empty where nothing is known."""

    before: str = ""
    after: str = ""


class Cause(NamedTuple):
    """What changed; `place` leads on where that was made here.

    `seen` is a part of it and how that looked before and after; `keys` are those of the change, where they are known.
    Without a place it is a root cause, unless it only says that the trail is lost; `within` are parts of it.
    """

    text: str
    place: Place | None = None
    seen: tuple[str, str, str] = ("", "", "")
    keys: Keys | None = None
    is_root: bool = True
    within: tuple[str, ...] = ()


class Chain:
    """The causes of one change. `now` compares with the present, else the last two keys are compared."""

    def __init__(self, inputs: Inputs, stored: Stored, *, now: bool) -> None:
        self._inputs = inputs
        self._workspace = inputs.workspace
        self._stored = stored
        self._now = now
        self._found: dict[tuple[Place, Keys], tuple[Cause, ...]] = {}

    def of(self, place: Place, keys: Keys) -> tuple[Cause, ...]:
        """What changed among the inputs of a step or action; empty when nothing did."""
        if (place, keys) not in self._found:
            self._found[place, keys] = ()  # a place that leads back to itself explains nothing
            self._found[place, keys] = tuple(self._causes(place, keys))
        return self._found[place, keys]

    def of_files(self) -> list[Cause]:
        """What changed in the model's files: they decide what there is, when a trail ends at what is there no more."""
        products = self._workspace.products
        files = [step for step in self._inputs.owners if products.stage(step[0]).per == "file"]
        return [cause for step in files for cause in self.of(step, self.last_two(step))]

    def keys(self, place: Place, seen: tuple[str, str, str] = ("", "", "")) -> Keys:
        """Those under which `place` gave what was seen of it, if they are kept; the last two where nothing was."""
        known = self._known(place)
        part, *wanted = seen
        found = [next((key for key in known if part and self._part(key, part) == look), "") for look in wanted]
        if all(found):
            return Keys(*found)
        if not self._task(place) or (part and _ABSENT not in wanted):
            return Keys()
        return Keys(known[1], known[0]) if len(known) > 1 else Keys("", known[0] if known else "")

    def last_two(self, place: Place) -> Keys:
        """Those of the change that is asked about, which are the same when this place had no part in it."""
        task = self._task(place)
        state = self._workspace.last
        old = state and (state.ran if self._now else state.previous).get(task)
        new = self._current(place) if self._now else state and state.ran.get(task)
        unit = _unit(place)
        return Keys(_entries(old or None).get(unit, ""), _entries(new or None).get(unit, ""))

    def _differing(self, place: Place, part: str) -> Keys | None:
        """The last two that gave different ones of `part`; None when all that are known gave the same."""
        pairs = (Keys(old, new) for new, old in pairwise(self._known(place)))
        return next((keys for keys in pairs if self._part(keys.before, part) != self._part(keys.after, part)), None)

    def _task(self, place: Place) -> str:
        """Empty for a step of no task."""
        return place if isinstance(place, str) else self._inputs.owners.get(place, "")

    def _part(self, key: str, part: str) -> str:
        return self._stored.outputs(key).get(part, "")

    def _known(self, place: Place) -> list[str]:
        """Keys, the newest first."""
        task = self._task(place)
        unit = _unit(place)
        now = [_entries(self._current(place))] if self._now else []
        past = past_entries(self._workspace, task) if task else [{unit: key} for key in self._former.get(unit, ())]
        return list(dict.fromkeys(found[unit] for found in [*now, *past] if unit in found))

    @cached_property
    def _former(self) -> Former:
        return former_keys(self._workspace.project.state)

    def _current(self, place: Place) -> Known | None:
        if isinstance(place, str):
            work = self._work(place)
            return at_present(work) if work is not None else None
        step = self._workspace.products.step(*place)
        return Known(step.key, 0, ((_unit(place), step.key),))

    def _work(self, task: str) -> Work | None:
        node = self._inputs.graph.nodes.get(task)
        return node.work if node is not None else None

    def _causes(self, place: Place, keys: Keys) -> Iterator[Cause]:
        if keys.before == keys.after and keys.before:
            return
        old, new = self._flat(place, keys.before), self._flat(place, keys.after)
        if old is not None and new is not None:
            yield from self._rows(place, keys, old, new)
        elif not isinstance(place, str) and place not in self._inputs.owners:
            yield from self._through(place)
        elif isinstance(place, str) and self._now and keys.before and not keys.after:
            yield from self._awaited(place, self._flat(place, keys.before) or {})
        else:
            yield Cause(FORGOTTEN, is_root=False)

    def _awaited(self, place: str, old: Flat) -> Iterator[Cause]:
        """An action that waits for what it reads has no key yet: whatever changed is above it."""
        work = self._work(place)
        assert isinstance(work, ActionWork)
        inputs = self._workspace.actions.templates.template(work.rule).inputs
        changed = [row for name, source in inputs for row in self._input_now(work, name, source, old)]
        yield from dict.fromkeys(changed) if changed else [Cause(FORGOTTEN, is_root=False)]

    def _input_now(self, work: ActionWork, name: str, source: str, old: Flat) -> Iterator[Cause]:
        """What of one tree is other than before; of one that is not there yet, what changed above it."""
        try:
            tree = self._workspace.actions.tree(source, work.slug)
        except NotKnown:
            above = self._changed_above(self._input_row(work, name))
            yield from [above] if above is not None else []
            return
        new = self._stored.flat(canonical_json({"inputs": {name: {"sha256": tree.sha256, "size": tree.size}}}))
        before = {row: told for row, told in old.items() if re.match(rf"inputs\.{re.escape(name)}(\W|$)", row)}
        rows = sorted(row for row in before.keys() | new.keys() if before.get(row) != new.get(row))
        yield from (self._action_row(work, row) for row in rows)

    def _changed_above(self, row: Cause) -> Cause | None:
        keys = self.last_two(row.place) if row.place is not None else None
        is_changed = row.place is not None and keys is not None and self.of(row.place, keys)
        return row._replace(keys=keys) if is_changed else None

    def _flat(self, place: Place, key: str) -> Flat | None:
        """The preimage of `key`; that of the present is not stored before it was run."""
        stored = self._stored.keyed(key) if key else None
        if stored is not None or not self._now or not key:
            return stored
        work = self._work(place) if isinstance(place, str) else None
        if work is not None:
            return self._stored.flat(work.preimages()[""])
        return self._stored.flat(self._workspace.products.preimage(*place)) if not isinstance(place, str) else None

    def _through(self, step: StepName) -> Iterator[Cause]:
        """A step that no task shows: whatever changed above it. Its own keys are not kept, so nothing else is known."""
        causes = []
        for above, part in self._inputs.reading.of(step).parts:
            is_shown = above in self._inputs.owners
            keys = self._differing(above, part) if is_shown else Keys()
            if keys is not None and self.of(above, keys):
                causes.append(Cause(f"{'/'.join(above)} gave another `{part}`", above, keys=keys))
        yield from causes or [Cause(FORGOTTEN, is_root=False)]

    def _rows(self, place: Place, keys: Keys, old: Flat, new: Flat) -> Iterator[Cause]:
        changed = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
        if isinstance(place, str):
            work = self._work(place)
            assert isinstance(work, ActionWork)
            yield from dict.fromkeys(self._action_row(work, name) for name in changed)
            return
        for name in changed:
            if name.startswith("input "):
                yield self._part_row(name, old.get(name, _ABSENT), new.get(name, _ABSENT))
        code = [name.removeprefix(_CODE) for name in changed if name.startswith(_CODE)]
        yield from [_own_code(code)] if code else []
        others = [name for name in changed if not name.startswith(("input ", _CODE))]
        yield from dict.fromkeys(self._step_row(place, keys, name) for name in others)

    def _part_row(self, name: str, old: str, new: str) -> Cause:
        above, part = step_of(name.removeprefix("input "))
        text = f"{'/'.join(above)} gave another `{part}`: {old} -> {new}"
        try:
            self._workspace.products.step(*above)
        except (KeyError, StopIteration):
            return Cause(f"{'/'.join(above)} is there no more", is_root=False)
        return Cause(text, above, (part, old, new))

    def _step_row(self, step: StepName, keys: Keys, name: str) -> Cause:
        """A source, a folder that is read as a whole, a setting, or Loom itself."""
        if name.startswith("code.packages."):
            return Cause(f"the installed package {name.removeprefix('code.packages.')}")
        position = re.match(r"inputs\[(\d+)\]", name)
        if position is None:
            return Cause("Loom itself" if name != "code.interpreter" else "the Python interpreter")
        file = self._inputs.reading.of(step).named.get(int(position[1]))
        is_model = file in self._workspace.outline.files
        within = self._within(step, file or "", keys) if is_model else ()
        return Cause(file or f"what `{step[0]}` was told of {step[1]}: {name}", within=within)

    def _within(self, step: StepName, file: str, keys: Keys) -> tuple[str, ...]:
        """Which parts of a model file are other; nothing where the store has lost what was read in it."""
        workspace = self._workspace
        read = [workspace.stored.known(key) for key in keys]
        try:
            parts = tuple({name: workspace.stored.values.load(*part) for name, part in found.parts.items()}
                          for found in read if found is not None)  # fmt: skip
        except BlobLost:
            return ()
        if len(parts) < len(keys):
            return ()
        before, after = parts
        is_now = keys.after == workspace.products.step(*step).key
        data = workspace.products.source(file) if is_now else None
        return workspace.pipeline.changed(file, before, after, data)

    def _action_row(self, work: ActionWork, name: str) -> Cause:
        if name.startswith("inputs."):
            tree, _, file = name.removeprefix("inputs.").partition(" ")
            return self._input_row(work, tree.partition(".")[0], file)
        if name == "world.isolated":
            return Cause("the setting `sandbox`, in loom.yaml or LOOM_SANDBOX")
        rule, *toolchain = action_files(work)
        if name == "pinned":
            return Cause(self._told(deps_folder(work.rule.partition("/")[2], self._workspace.project.root) / TREE_LOCK))
        if name == "world.toolchain":
            return Cause(f"the toolchain in {self._told(toolchain[0].parent)}")
        return Cause(f"Loom itself: {name}" if name.startswith(("world.profile", "schema")) else self._told(rule))

    def _input_row(self, work: ActionWork, name: str, file: str = "") -> Cause:
        source = dict(self._workspace.actions.templates.template(work.rule).inputs).get(name, "")
        stage, _, backend = source.partition("/")
        text = f"its input `{name}`"
        match stage:
            case "gate":
                return Cause(text, work.rule.replace("e2e/", "gate:") + f":{work.slug}")
            case "deps":
                return Cause(text, f"deps:{backend}")
            case "lock":
                return Cause(self._told(deps_folder(backend, self._workspace.project.root) / file))
            case _:
                return self._provided_row(work, source, text, file)

    def _provided_row(self, work: ActionWork, source: str, text: str, file: str) -> Cause:
        stage = self._workspace.provided[source].stage
        if not stage:
            return _own_code([file] if file else [])
        place = (stage, work.slug)
        return Cause(text, place, keys=None if place in self._inputs.owners else self._differing(place, WHOLE))

    def _told(self, path: Path) -> str:
        return told_path(self._workspace.project.root, path)


def at_present(work: Work) -> Known | None:
    """What the keys of its steps or its action are now; pure stages run for it. None for an action that waits."""
    try:
        entries = tuple((unit, hashlib.sha256(data).hexdigest()) for unit, data in work.preimages().items())
    except NotKnown:
        return None
    return Known("", 0, entries)


def _own_code(files: list[str]) -> Cause:
    if not files:
        return Cause("Loom's own files")
    if len(files) == 1:
        return Cause(f"Loom's own file {files[0]}")
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return Cause(f"Loom's own files {', '.join(files[:_NAMED])}{more}")


def _entries(known: Known | None) -> dict[str, str]:
    return dict(known.entries) if known is not None else {}


def _unit(place: Place) -> str:
    """Under which name the key of a task holds this one's."""
    return "" if isinstance(place, str) else "/".join(place)
