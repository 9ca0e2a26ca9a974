"""Small programs run in each sandbox, as an action would run them."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, NamedTuple

from loom.base import Digest
from loom.build.actions.action import Action, ActionInput, ActionLimits, ActionOutput, ActionStep
from loom.build.remote.execution.executor import Executor
from loom.build.remote.execution.terms import Terms
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.settings import Remote
from loom.build.sandbox.choose import choose_sandbox
from loom.build.sandbox.inputs import laid_out
from loom.build.sandbox.job import Exit, Job, Sandbox
from loom.build.store.content import ContentStore
from loom.build.store.tree import Tree, TreeFile
from loom.build.toolchain.root import Root, build_root
from loom.build.toolchain.toolchain import toolchain
from tests.engine.remote.casd import casd
from tests.kit.places import STORE

Kind = Literal["docker", "bubblewrap", "casd", "none"]
ISOLATING: tuple[Kind, ...] = ("docker", "bubblewrap")
EVERYWHERE: tuple[Kind, ...] = (*ISOLATING, "casd")
"""A worker of buildbox-casd too, for what it can be held to."""
RUNNING = ExitStack()
"""What is to end with the tests."""


class Ran(NamedTuple):
    """How a probe ended, and the folder that it wrote to."""

    exit: Exit
    out: Path

    @property
    def said(self) -> str:
        return self.exit.stdout.decode()

    @property
    def worked(self) -> bool:
        return self.exit.code == 0 and not self.exit.trouble


@functools.cache
def the_store() -> ContentStore:
    """The machine's own store: roots are made once, by identity."""
    return ContentStore(STORE)


@functools.cache
def the_sandbox(kind: Kind) -> Sandbox:
    assert kind != "casd"
    return choose_sandbox(kind)


@functools.cache
def the_executor() -> Executor:
    """Of a server that runs until the last test of this folder."""
    folder = Path(RUNNING.enter_context(tempfile.TemporaryDirectory()))
    address = RUNNING.enter_context(casd(folder / "casd"))
    executor = Executor(GrpcTransport(address, "", None), the_store(), Terms(True, 2, Remote().properties))
    RUNNING.callback(executor.close)
    return executor


@functools.cache
def the_root(name: str = "python") -> Root:
    return build_root(toolchain(name), the_store(), the_sandbox("bubblewrap"))


def tree_of(files: Mapping[str, str]) -> Digest:
    """A stored tree with these files; names that end in `!` are programs."""
    store = the_store()
    entries = []
    for name, text in files.items():
        sha256, size = store.put(text.encode())
        entries.append(TreeFile(path=name.rstrip("!"), sha256=sha256, size=size, executable=name.endswith("!")))
    return store.put_tree(Tree.of(entries))


def action(
    *argv: str,
    inputs: Mapping[str, Digest] | None = None,
    copy: tuple[str, ...] = (),
    timeout: int = 300,
    memory: int = 1 << 30,
    processes: int = 200,
) -> Action:
    return Action(
        kind="probe/world",
        steps=(ActionStep(name="probe", argv=argv),),
        inputs=tuple(ActionInput.of(name, digest) for name, digest in (inputs or {}).items()),
        copy_in=copy,
        outputs=(ActionOutput(name="seen", path="/out/seen"),),
        toolchain=the_root().identity,
        timeout=timeout,
        limits=ActionLimits(memory=memory, processes=processes),
    )


def run(kind: Kind, probe: Action) -> Ran:
    """Run an action in the sandbox of that kind, without any cache."""
    work = the_store().root / "work"
    work.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=work, prefix="probe-"))
    out = scratch / "out"
    out.mkdir()
    root = the_root()
    if kind == "casd":
        left = the_executor().run("f" * 64, probe, lambda: root.folder, out)
        assert left is not None
        return Ran(left, out)
    sandbox = the_sandbox(kind)
    inputs = {item.name: laid_out(the_store(), item.tree, sandbox.owner) for item in probe.inputs}
    return Ran(sandbox.run(Job(probe, root.folder, root.identity, inputs, out, scratch)), out)


def python(kind: Kind, code: str, *, timeout: int = 300, memory: int = 1 << 30, processes: int = 200) -> Ran:
    """Run a Python program; an uncaught exception is a failure."""
    return run(kind, action("python3", "-c", code, timeout=timeout, memory=memory, processes=processes))
