"""Actions done once for each key: look up, else run in a sandbox, check, and store.

In: an action and the world it runs in. Out: its result, and whether it ran or was known already.
Never: a result of an action that failed, lost an output, or saw its inputs change.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import NamedTuple, Protocol

from loom.base import Digest
from loom.build.actions.action import Action, ActionInput, ActionOutput, ActionResult, How
from loom.build.actions.entry import result_from_entry, to_entry
from loom.build.actions.keys import action_key
from loom.build.phases import phase
from loom.build.remote.protocol.declared import of_action
from loom.build.remote.protocol.entry import Shared
from loom.build.sandbox.inputs import laid_out
from loom.build.sandbox.job import Exit, Job, Sandbox, Trouble
from loom.build.sandbox.launcher import failed_step
from loom.build.store.atomic import COUNTER, RUN, Json
from loom.build.store.content import ContentStore
from loom.build.store.entries import BadEntry, digest, number, rows, text
from loom.build.store.folders import make_folder
from loom.build.store.locks import held
from loom.build.store.results import ResultStore
from loom.build.store.tree import Tree, TreeEntry, TreeError, TreeFile, TreeLink
from loom.build.trust.believed import ORIGIN


class World(Protocol):
    """What actions run in; asked for only when one really has to run."""

    @property
    def isolated(self) -> bool: ...

    def sandbox(self) -> Sandbox: ...

    def root(self, identity: str) -> Path: ...


class Elsewhere(Protocol):
    """Workers that may do instead of the local sandbox; `here` is held while something runs locally all the same."""

    @property
    def name(self) -> str: ...

    @property
    def here(self) -> AbstractContextManager[object]: ...

    def takes(self, action: Action) -> bool: ...

    def run(self, key: str, action: Action, root: Callable[[], Path], out: Path) -> Exit | None:
        """None when it is to run locally."""
        ...


class ActionFailed(Exception):
    """The commands ran and did not succeed; `message` says which step and why, the texts are theirs."""

    def __init__(self, message: str, stdout: bytes = b"", stderr: bytes = b"") -> None:
        super().__init__(message)
        self.stdout = stdout
        self.stderr = stderr


class Done(NamedTuple):
    """A result, with the texts that its commands printed when they ran."""

    result: ActionResult
    how: How
    stdout: bytes
    stderr: bytes


Check = Callable[[Path], None]


class ActionRunner:
    """`read=False` runs everything anew and stores it over what was known. `shared` is where others keep results,
    `elsewhere` has workers that do.

    `keep_failed` leaves the folder of an action that failed, with a script that does it again.
    """

    def __init__(
        self,
        content: ContentStore,
        results: ResultStore,
        world: World,
        *,
        read: bool = True,
        shared: Shared | None = None,
        elsewhere: Elsewhere | None = None,
        keep_failed: bool = False,
    ) -> None:
        self._content = content
        self._results = results
        self._world = world
        self._read = read
        # What ran on a host as it is, is of no use elsewhere.
        # kept by tests/engine/remote/test_two_machines.py::test_nothing_that_ran_without_a_sandbox_is_shared
        self._shared = shared if world.isolated else None
        self._elsewhere = elsewhere
        self._keep_failed = keep_failed and world.isolated

    def key(self, action: Action) -> str:
        return action_key(action, isolated=self._world.isolated)[0]

    def preimage(self, action: Action) -> bytes:
        return action_key(action, isolated=self._world.isolated)[1]

    def known(self, action: Action) -> Done | None:
        """The stored result, if it and everything that it names is there."""
        return self.stored(self.key(action), action.outputs)

    def tree(self, action: Action, output: str) -> Digest | None:
        """Digest of one output's tree, if the action is done; reads no more than that."""
        entry = self._results.read(self.key(action))
        try:
            found = [row for row in rows(entry, "trees") if text(row, "name") == output]
            digest = Digest(text(found[0], "sha256"), number(found[0], "size"))
        except (BadEntry, IndexError):
            return None
        return digest if self._content.has(digest) else None

    def run(self, action: Action, check: Check | None = None) -> Done:
        """`check` sees the folder of outputs before anything is stored, and raises ActionFailed to refuse it."""
        known = self.known(action)
        if known is not None:
            return known
        key, preimage = action_key(action, isolated=self._world.isolated)
        with ExitStack() as lock:
            with phase("wait for others"):
                lock.enter_context(held(f"{self._content.root}/locks", key))
            known = self.known(action)  # another process may have done it while this one waited
            if known is None and self._fetched(key, action, check):
                known = self.known(action)
            return known or self._execute(action, key, preimage, check)

    def _fetched(self, key: str, action: Action, check: Check | None) -> bool:
        """What a lock pins is pinned whoever made it."""
        if self._shared is None or not self._read:
            return False
        with phase("fetch"):
            is_there = self._shared.fetch(key, of_action(action))
        if not is_there:
            return False
        refused = self._refused(action, check) if check is not None else ""
        if refused:
            self._results.forget(key)
            self._shared.refuse(key, refused)
        return not refused

    def _refused(self, action: Action, check: Check) -> str:
        known = self.known(action)
        if known is None:
            return ""
        place = self._place()
        try:
            for output in action.outputs:
                target = place / output.path.removeprefix("/out/")
                target.parent.mkdir(parents=True, exist_ok=True)
                self._content.materialise(known.result.tree(output.name), target)
            check(place)
        except ActionFailed as failed:
            return str(failed)
        finally:
            _remove(place)
        return ""

    def _place(self) -> Path:
        return self._content.root / "work" / f"{RUN}-{os.getpid()}-{next(COUNTER)}"

    def stored(self, key: str, outputs: Iterable[ActionOutput]) -> Done | None:
        """The same by its key, if it has just these outputs."""
        entry = self._results.read(key) if self._read else None
        if entry is None:
            return None
        try:
            result = result_from_entry(key, entry)
            stdout, stderr = (self._content.get(digest(entry, name)) for name in ("stdout", "stderr"))
        except (BadEntry, TreeError, LookupError):
            return None
        wanted = {output.name for output in outputs}
        return Done(result, "restored", stdout, stderr) if self._complete(result, wanted) else None

    def _complete(self, result: ActionResult, wanted: set[str]) -> bool:
        there = all(self._content.has(entry.content) for entry in result.entries if isinstance(entry, TreeFile))
        return (
            there
            and {item.name for item in result.trees} == wanted
            and all(self._content.has(item.tree) for item in result.trees)
        )

    def _execute(self, action: Action, key: str, preimage: bytes, check: Check | None) -> Done:
        place = self._place()
        out, scratch = place / "out", place / "scratch"
        make_folder(str(self._content.root), str(place.parent))
        for folder in (out, scratch):
            folder.mkdir(parents=True)
        try:
            begun = time.monotonic_ns()
            left, where = self._run_somewhere(key, action, out, scratch)
            spent = (time.monotonic_ns() - begun) // 1_000_000
            _succeed(action, left, out, where)
            if check is not None:
                check(out)
            with phase("store"):
                return self._store(action, preimage, out, _Made(key, left, where, spent))
        except ActionFailed as failed:
            if self._keep_failed:
                from loom.build.housekeeping.reproduce import kept

                failed.args = (f"{failed}\n{kept(place, self._content.root)}",)
            raise
        finally:
            _remove(place)

    def _run_somewhere(self, key: str, action: Action, out: Path, scratch: Path) -> tuple[Exit, str]:
        """How it ended, and whose worker did it; empty when it ran here."""
        elsewhere = self._elsewhere
        if elsewhere is None:
            return self._run_here(action, out, scratch), ""
        if elsewhere.takes(action):
            with phase("run elsewhere"):
                left = elsewhere.run(key, action, lambda: self._world.root(action.toolchain), out)
            if left is not None:
                if self._keep_failed:
                    self._job(action, None, out, scratch)
                return left, elsewhere.name
        with elsewhere.here:
            return self._run_here(action, out, scratch), ""

    def _run_here(self, action: Action, out: Path, scratch: Path) -> Exit:
        with phase("lay out"):
            sandbox = self._world.sandbox()
            job = self._job(action, sandbox.owner, out, scratch)
        with phase("run"):
            left = sandbox.run(job)
        if not self._world.isolated:
            self._refuse_changed(action, job.inputs)
        return left

    def _job(self, action: Action, owner: int | None, out: Path, scratch: Path) -> Job:
        """With a script that does it by hand, if it would be kept."""
        inputs = {item.name: laid_out(self._content, item.tree, owner) for item in action.inputs}
        job = Job(action, self._world.root(action.toolchain), action.toolchain, inputs, out, scratch)
        if self._keep_failed:
            from loom.build.housekeeping.reproduce import write_script

            write_script(out.parent, job)
        return job

    def _refuse_changed(self, action: Action, inputs: Mapping[str, Path]) -> None:
        """Isolated actions see their inputs read-only; the others must be shown to have left them alone."""
        for item in action.inputs:
            if self._digest_of(inputs[item.name]) != item.tree:
                _remove(inputs[item.name])
                raise ActionFailed(f"{action.kind}: the input `{item.name}` changed while it was read; nothing is kept")

    def _digest_of(self, folder: Path) -> Digest | None:
        """None for what no tree can be."""
        try:
            return self._content.capture(folder).digest()
        except (TreeError, OSError):
            return None

    def _store(self, action: Action, preimage: bytes, out: Path, made: _Made) -> Done:
        entries: list[TreeEntry] = []
        trees: list[ActionInput] = []
        for output in action.outputs:
            tree = self._captured(action, output, out)
            entries += tree.under(output.name).entries
            trees.append(ActionInput.of(output.name, self._content.put_tree(tree)))
        result = ActionResult(key=made.key, entries=Tree.of(entries).entries, trees=tuple(trees))
        texts = (made.left.stdout, made.left.stderr)
        stdout, stderr, kept = (self._content.put(data) for data in (*texts, preimage))
        self._results.write(made.key, {**to_entry(result, stdout, stderr, kept, made.spent), **made.origin})
        if self._shared is not None:
            self._shared.push(made.key)
        return Done(result, "remote" if made.where else "ran", *texts)

    def _captured(self, action: Action, output: ActionOutput, out: Path) -> Tree:
        """The files of one output; a single file is a tree that holds it under its own name."""
        place = out / output.path.removeprefix("/out").lstrip("/")
        try:
            mode = place.lstat().st_mode
            if stat.S_ISDIR(mode):
                tree = self._content.capture(place)
            else:
                tree = Tree.of([self._content.capture_file(str(place), place.name, mode)])
        except FileNotFoundError:
            raise ActionFailed(f"{action.kind}: succeeded without leaving {output.path}") from None
        except TreeError as error:
            raise ActionFailed(f"{action.kind}: {output.path}: {error}") from None
        if not any(isinstance(entry, TreeLink) or entry.size for entry in tree.entries):
            raise ActionFailed(f"{action.kind}: succeeded but left nothing in {output.path}")
        return tree


class _Made(NamedTuple):
    """A run that went well; `spent` are milliseconds."""

    key: str
    left: Exit
    where: str
    spent: int

    @property
    def origin(self) -> dict[str, Json]:
        """What its entry says of where it is from."""
        return {ORIGIN: {"executor": self.where}} if self.where else {}


def _succeed(action: Action, left: Exit, out: Path, where: str) -> None:
    if left.code == 0 and left.trouble is Trouble.NONE:
        return
    step = failed_step(out)
    told = f"{action.kind}, step `{step}`" if step else action.kind
    reason = left.trouble.value or f"exit code {left.code}"
    raise ActionFailed(f"{told}: {reason}" + (f" (at {where})" if where else ""), left.stdout, left.stderr)


def _remove(place: Path) -> None:
    """Folders that an action made read-only are opened first, else an ordinary user could not empty them."""
    for folder, _, _ in os.walk(place):
        os.chmod(folder, 0o700)
    shutil.rmtree(place, ignore_errors=True)
