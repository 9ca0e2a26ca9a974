"""The actions of a project: rules, their input trees, and the runner that caches them.

In: what a workspace opens. Out: trees by what a rule calls them, actions, results.
Never: a run when only a key was asked for.
"""

from __future__ import annotations

import hashlib
import os
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from loom.base import Digest
from loom.build.actions.action import Action
from loom.build.actions.cached import ActionRunner, Check, Done
from loom.build.actions.provided import Provided
from loom.build.actions.world import ProjectWorld
from loom.build.deps.locks import TREE_LOCK, deps_folder, lock_tree, pins
from loom.build.steps.products import NotKnown
from loom.build.store.tree import Tree, TreeFile
from loom.build.work.emitted import FromStages, emitted_files, listed_files

if TYPE_CHECKING:
    from loom.base.files import ListedFile, TextFile
    from loom.build.actions.templates import Templates
    from loom.build.project.settings import Project
    from loom.build.remote.cache import RemoteCache
    from loom.build.remote.execution.executor import Executor
    from loom.build.state import Outline
    from loom.build.steps.products import StoredProducts
    from loom.build.store.content import ContentStore
    from loom.build.store.results import ResultStore


class Opened(Protocol):
    """What actions take of a workspace, each opened when it is first asked for."""

    project: Project
    read: bool
    provided: dict[str, Provided]

    @property
    def outline(self) -> Outline: ...
    @property
    def templates(self) -> Templates: ...
    @property
    def products(self) -> StoredProducts: ...
    @property
    def content(self) -> ContentStore: ...
    @property
    def results(self) -> ResultStore: ...
    @property
    def shared(self) -> RemoteCache | None: ...
    @property
    def executor(self) -> Executor | None: ...


class Actions:
    """One for each workspace."""

    def __init__(self, workspace: Opened) -> None:
        self._workspace = workspace
        self.templates = workspace.templates
        self._world = ProjectWorld(workspace.project, workspace.content)
        # The same dictionary, not a copy: whoever provides trees may come after the first look at a rule.
        self._makers = workspace.provided
        self._makers["emit"] = Provided(self._project, "emit")
        self.made: dict[str, Tree] = {}
        """Trees that keys were computed from, by their SHA-256: the store has none of an action that has to run."""

    @cached_property
    def runner(self) -> ActionRunner:
        workspace = self._workspace
        return ActionRunner(
            workspace.content,
            workspace.results,
            self._world,
            read=workspace.read,
            shared=workspace.shared,
            elsewhere=workspace.executor,
            keep_failed=os.environ.get("LOOM_KEEP_FAILED") == "1",
        )

    def stop(self) -> None:
        """Ends every action that runs; each comes back as one that failed."""
        executor = self._workspace.__dict__.get("executor")
        if executor is not None:
            executor.stop()
        self._world.stop()

    def action(self, rule: str, slug: str) -> Action:
        """The rule for one deployable (`slug` is empty where a rule needs none); NotKnown before its inputs are."""
        template = self.templates.template(rule)
        action = template.filled({name: self.tree(source, slug) for name, source in template.inputs})
        self._world.announce(action.toolchain, template.toolchain)
        return action.model_copy(update={"pinned": self._pinned(rule)})

    def _pinned(self, rule: str) -> str:
        """What was fetched for other pins than those of now was never held against these."""
        stage, _, backend = rule.partition("/")
        return pins(backend, self._workspace.project.root) if stage == "deps" else ""

    def stored(self, rule: str, key: str) -> Done | None:
        """The result that a rule had with that key; no input is looked at for it."""
        return self.runner.stored(key, self.templates.template(rule).outputs)

    def tree(self, source: str, slug: str) -> Digest:
        """`emit` (a project), `gate` (its artefact), `deps/<backend>`, `lock/<backend>`, or what was provided."""
        if source in self._makers:
            return self._made(source, slug)
        stage, _, backend = source.partition("/")
        match stage:
            case "lock":
                return lock_tree(backend, self._workspace.project.root, self._workspace.content)
            case "gate":
                return self.output(f"gate/{self._backend(slug)}", slug)
            case _:
                return self.output(source, "")

    def output(self, rule: str, slug: str) -> Digest:
        """The tree of the first output of a rule that has been done; else NotKnown, with the name of its task."""
        action = self.action(rule, slug)
        digest = self.runner.tree(action, action.outputs[0].name)
        if digest is None:
            raise NotKnown(":".join(filter(None, [*rule.split("/"), slug])))
        return digest

    def check(self, rule: str) -> Check | None:
        """What is fetched must be what its lock pins."""
        stage, _, backend = rule.partition("/")
        if stage != "deps":
            return None
        from loom.build.deps.fixed import must_match

        action = self.action(rule, "")
        place = action.outputs[0].path.removeprefix("/out/")
        return must_match(deps_folder(backend, self._workspace.project.root) / TREE_LOCK, place)

    def _backend(self, slug: str) -> str:
        return next(backend for name, backend, _ in self._workspace.outline.deployables if name == slug)

    def _made(self, source: str, slug: str) -> Digest:
        """Computed, not stored: a key is asked for far more often than the tree is needed."""
        if source == "emit":
            tree = Tree.of(map(_listed, listed_files(FromStages(self._workspace.products), "emit", slug)))
        else:
            tree = Tree.of(_tree_file(file, file.text.encode()) for file in self._makers[source].files(slug))
        digest = tree.digest()
        self.made[digest.sha256] = tree
        return digest

    def lay_in(self, rule: str, slug: str) -> None:
        """Put the files that were made here into the store, for an action that really has to run."""
        content = self._workspace.content
        for _, source in self.templates.template(rule).inputs:
            if source in self._makers:
                files = self._makers[source].files(slug)
                for file in files:
                    content.put(file.text.encode())
                content.put_tree(Tree.of(_tree_file(file, file.text.encode()) for file in files))

    def make_inputs_again(self, rule: str, slug: str) -> None:
        """Whatever of a rule's inputs the store has lost; results that are complete are left as they are."""
        self.lay_in(rule, slug)
        for _, source in self.templates.template(rule).inputs:
            if source == "gate":
                self._make_again(f"gate/{self._backend(slug)}", slug)
            elif source not in self._makers and not source.startswith("lock/"):
                self._make_again(source, "")

    def _make_again(self, rule: str, slug: str) -> None:
        self.lay_in(rule, slug)
        self.runner.run(self.action(rule, slug), self.check(rule))

    def _project(self, slug: str) -> tuple[TextFile, ...]:
        return tuple(emitted_files(FromStages(self._workspace.products), "emit", slug))


def _listed(file: ListedFile) -> TreeFile:
    return TreeFile(path=file.path, sha256=file.sha256, size=file.size, executable=file.executable)


def _tree_file(file: TextFile, data: bytes) -> TreeFile:
    sha256, size = hashlib.sha256(data).hexdigest(), len(data)
    return TreeFile(path=file.path, sha256=sha256, size=size, executable=file.executable)
