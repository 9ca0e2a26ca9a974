"""Tasks that run an action in a sandbox: dependencies and gates.

In: a workspace, a rule, a deployable. Out: the work of `deps:<backend>` and `gate:<backend>:<deployable>`.
Never: a file outside the stores.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.build.state import Known
from loom.build.work import How, Options, Outcome, WorkBroken, WorkFailed
from loom.build.workspace import Workspace


class ActionWork(NamedTuple):
    """`slug` is empty for a rule that is not about one deployable."""

    workspace: Workspace
    name: str
    rule: str
    slug: str = ""

    def known(self) -> Known | None:
        return self.workspace.recall(self.name, self._known)

    def missing(self) -> str:
        known = self.known()
        there = known is not None and self.workspace.results.has(known.key)
        return "" if there else "its result is no longer in the store"

    def replay(self) -> str:
        return ""

    def run(self, options: Options) -> Outcome:
        from loom.build.cached import ActionFailed
        from loom.build.sandbox.job import SandboxError
        from loom.build.toolchain.fetching import FetchError
        from loom.build.toolchain.root import RootError

        actions = self.workspace.actions
        try:
            done = actions.runner.run(actions.action(self.rule, self.slug), actions.check(self.rule))
        except ActionFailed as failed:
            raise WorkFailed(f"{failed}\n{_texts(failed.stdout, failed.stderr)}") from None
        except (SandboxError, FetchError, RootError) as broken:
            raise WorkBroken(str(broken)) from None
        known = self.workspace.remember(self.name, Known(done.result.key, 0))
        return Outcome(done.how, known, _told(done.how, _texts(done.stdout, done.stderr)))

    def _known(self) -> Known:
        actions = self.workspace.actions
        return Known(actions.runner.key(actions.action(self.rule, self.slug)), 0)


def _texts(stdout: bytes, stderr: bytes) -> str:
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in (_read(stdout), _read(stderr)) if text)


def _read(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _told(how: How, text: str) -> str:
    """What the tools said, marked as said earlier where they did not run now."""
    mark = "   " if how == "ran" else "   (cached) "
    return "".join(f"{mark}{line}\n" for line in text.splitlines())
