"""Rules applied to their toolchains, kept ready: reading YAML costs more than all else in a short run.

In: a rule's name. Out: its action but for the input trees, and which tree each input is.
Never: a template whose rule, toolchain or lock has changed since, or the code that applies them.
"""

from __future__ import annotations

import contextlib
import marshal
from collections.abc import Mapping
from typing import NamedTuple

from loom.base import Digest
from loom.build.actions.action import Action, ActionInput, ActionOutput
from loom.build.data import data_folder
from loom.build.itself import own_stamps
from loom.build.project.settings import Project, own_folders
from loom.build.stamps import Stamp, folder_stamps, settled, unchanged
from loom.build.store.atomic import write_disposable

_NOTHING = Digest.of(b"")


class Template(NamedTuple):
    """`action` is canonical and takes nothing for its inputs; `inputs` says what they are to be."""

    action: bytes
    inputs: tuple[tuple[str, str], ...]
    toolchain: str

    @property
    def outputs(self) -> tuple[ActionOutput, ...]:
        return Action.from_canonical(self.action).outputs

    def filled(self, trees: Mapping[str, Digest]) -> Action:
        inputs = tuple(ActionInput.of(name, trees[name]) for name, _ in self.inputs)
        return Action.from_canonical(self.action).model_copy(update={"inputs": inputs})


class Templates:
    """`.loom/rules.marshal` holds those that were used."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._choices = (project.toolchains, project.locked, str(data_folder("rules")))
        self._path = str(project.state / "rules.marshal")
        self._stamps: dict[str, Stamp] = {}
        self._sources: dict[str, tuple[tuple[str, str], ...]] = {}
        self._known: dict[str, Template] = {}
        self._load()

    def sources(self, name: str) -> tuple[tuple[str, str], ...]:
        """Which tree each input of a rule is; needs no toolchain."""
        if name not in self._sources:
            from loom.build.rules.load import rule

            self._sources[name] = tuple(sorted(rule(name, self._project.root).file.inputs.items()))
            self._save()
        return self._sources[name]

    def template(self, rule: str) -> Template:
        if rule not in self._known:
            self._known[rule] = self._made(rule)
            self._save()
        return self._known[rule]

    def _made(self, name: str) -> Template:
        from loom.build.rules.apply import apply_rule
        from loom.build.rules.load import rule
        from loom.build.toolchain.toolchain import toolchain

        found = rule(name, self._project.root)
        prefer = self._project.provider(found.file.toolchain)
        chain = toolchain(found.file.toolchain, self._project.root, prefer, committed=self._project.locked)
        action = apply_rule(found, chain, dict.fromkeys(found.file.inputs, _NOTHING))
        return Template(action.canonical(), tuple(sorted(found.file.inputs.items())), chain.name)

    def _load(self) -> None:
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError):
            with open(self._path, "rb") as stream:
                chosen, stamps, sources, known = marshal.loads(stream.read())
            if chosen == self._choices and unchanged(stamps):
                self._stamps, self._sources = stamps, sources
                self._known = {name: Template(*item) for name, item in known.items()}
                return
        self._stamps = dict(own_stamps())
        for folder in own_folders(self._project):
            self._stamps |= folder_stamps(str(folder))

    def _save(self) -> None:
        known = {name: tuple(item) for name, item in self._known.items()}
        data = marshal.dumps((self._choices, settled(self._stamps), self._sources, known))
        write_disposable(self._path, data)
