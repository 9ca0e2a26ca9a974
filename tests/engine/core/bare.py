"""A world without walls for tests of the cache alone: /in and /out in a script become real folders, quoted."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from loom.build.actions.action import Action, ActionInput, ActionLimits, ActionOutput, ActionStep
from loom.build.actions.cached import ActionRunner
from loom.build.sandbox.job import Exit, Job, Sandbox
from loom.build.sandbox.running import Running
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from loom.build.store.tree import Tree, TreeFile


class BareSandbox:
    name = "none"
    owner: int | None = None

    def __init__(self, log: Path) -> None:
        self.log = log
        self.running = Running()

    def run(self, job: Job) -> Exit:
        with self.log.open("a") as log:
            log.write(job.action.kind + "\n")
        stdout = stderr = b""
        for step in job.action.steps:
            argv = [self._here(word, job) for word in step.argv]
            done = subprocess.run(argv, cwd=job.scratch, capture_output=True, env=dict(job.action.env), check=False)
            stdout, stderr = stdout + done.stdout, stderr + done.stderr
            if done.returncode:
                return Exit(done.returncode, stdout, stderr)
        return Exit(0, stdout, stderr)

    def forget(self, root: Path) -> None:
        """Nothing is kept about a root."""

    def _here(self, word: str, job: Job) -> str:
        for name, folder in job.inputs.items():
            word = word.replace(f"/in/{name}", shlex.quote(str(folder)))
        return word.replace("/out", shlex.quote(str(job.out)))


class BareWorld:
    def __init__(self, log: Path, *, isolated: bool = False) -> None:
        self.isolated = isolated
        self._sandbox: Sandbox = BareSandbox(log)

    def sandbox(self) -> Sandbox:
        return self._sandbox

    def root(self, identity: str) -> Path:
        return Path("/")


def action_runner(root: Path) -> ActionRunner:
    return ActionRunner(ContentStore(root), ResultStore(root), BareWorld(root.parent / "runs.log"))


def runs(root: Path) -> int:
    log = root.parent / "runs.log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def shell(script: str, root: Path, text: str = "harbour") -> Action:
    """`script` under sh, with one input file /in/model/name holding `text`, and the output /out/report."""
    store = ContentStore(root)
    sha256, size = store.put(text.encode())
    tree = store.put_tree(Tree.of([TreeFile(path="name", sha256=sha256, size=size)]))
    return Action(
        kind="test/shell",
        steps=(ActionStep(name="only", argv=("/bin/sh", "-c", script)),),
        env=(("PATH", "/usr/bin:/bin"),),
        inputs=(ActionInput.of("model", tree),),
        outputs=(ActionOutput(name="report", path="/out/report"),),
        toolchain="none",
        timeout=60,
        limits=ActionLimits(memory=1 << 30, processes=64),
    )
