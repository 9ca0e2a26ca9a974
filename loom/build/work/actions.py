"""Tasks that run an action in a sandbox: dependencies and gates.

In: a workspace, a rule, a deployable. Out: the work of `deps:<backend>` and `gate:<backend>:<deployable>`.
Never: a file outside the stores.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from loom.build.state import Known
from loom.build.work.work import How, Options, Outcome, WorkBroken, WorkFailed
from loom.build.workspace import Workspace

if TYPE_CHECKING:
    from loom.build.actions.cached import Done


def as_it_is(workspace: Workspace, slug: str, stderr: bytes) -> str:
    """What the tools of a failed action said, in their own words."""
    return _read(stderr)


class ActionWork(NamedTuple):
    """`slug` is empty for a rule that is not about one deployable; `failure` words what a failed action said."""

    workspace: Workspace
    name: str
    rule: str
    slug: str = ""
    failure: Callable[[Workspace, str, bytes], str] = as_it_is

    def known(self) -> Known | None:
        return self.workspace.recall(self.name, self._known)

    def missing(self) -> str:
        known = self.known()
        there = known is not None and self.workspace.results.has(known.key)
        return "" if there else "its result is no longer in the store"

    def replay(self) -> str:
        return ""

    def run(self, options: Options) -> Outcome:
        from loom.build.actions.cached import ActionFailed
        from loom.build.sandbox.job import SandboxError
        from loom.build.steps.products import NotKnown
        from loom.build.toolchain.trouble import FetchError, RootError

        try:
            done = self._done()
        except ActionFailed as failed:
            said = self.failure(self.workspace, self.slug, failed.stderr)
            raise WorkFailed(f"{failed}\n{_texts(_read(failed.stdout), said)}") from None
        except NotKnown as absent:
            raise WorkFailed(f"{self.name} needs {absent}, which has to run first") from None
        except (SandboxError, FetchError, RootError) as broken:
            raise WorkBroken(str(broken)) from None
        self.workspace.disturbed |= done.how != "restored"
        known = self.workspace.remember(self.name, _one(done.result.key))
        return Outcome(done.how, known, _told(done.how, _texts(_read(done.stdout), _read(done.stderr))))

    def preimages(self) -> dict[str, bytes]:
        actions = self.workspace.actions
        return {"": actions.runner.preimage(actions.action(self.rule, self.slug))}

    def _done(self) -> Done:
        from loom.build.store.content import BlobLost

        actions = self.workspace.actions
        before = self.workspace.done(self.name)
        stored = actions.stored(self.rule, before.key) if before is not None else None
        if stored is not None:
            return stored
        action = actions.action(self.rule, self.slug)
        known = actions.runner.known(action)
        if known is not None:
            return known
        actions.lay_in(self.rule, self.slug)
        try:
            return actions.runner.run(action, actions.check(self.rule))
        except BlobLost:
            # The damaged blob has been put aside, so whoever made it makes it again now.
            # kept by tests/engine/core/test_gate_tasks.py::test_damaged_input_is_made_again
            actions.make_inputs_again(self.rule, self.slug)
            return actions.runner.run(action, actions.check(self.rule))

    def _known(self) -> Known:
        actions = self.workspace.actions
        return _one(actions.runner.key(actions.action(self.rule, self.slug)))


def _one(key: str) -> Known:
    return Known(key, 0, (("", key),))


def _texts(*texts: str) -> str:
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in texts if text)


def _read(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _told(how: How, text: str) -> str:
    """What the tools said, marked as said earlier where they did not run now."""
    mark = "   (cached) " if how == "restored" else "   "
    return "".join(f"{mark}{line}\n" for line in text.splitlines())
