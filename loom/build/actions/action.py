"""A command as a value, and what came of it.

In: argv lists, a complete environment, input trees by digest, named outputs. Out: frozen values.
Never: host paths, descriptions, which sandbox will run it, or a default taken from the machine.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from loom.base import Digest, Value
from loom.build.store.tree import Tree, TreeEntry

How: TypeAlias = Literal["ran", "remote", "restored"]
"""How a result came about: here, on a worker of somebody else's for this machine, or earlier."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class ActionStep(Value):
    """One command. `argv` is never given to a shell."""

    name: str
    argv: tuple[str, ...]
    cwd: str = "/build"


class ActionInput(Value):
    """A tree that the action reads at /in/<name>."""

    name: str
    sha256: str
    size: int

    @classmethod
    def of(cls, name: str, digest: Digest) -> ActionInput:
        return cls(name=name, sha256=digest.sha256, size=digest.size)

    @property
    def tree(self) -> Digest:
        return Digest(self.sha256, self.size)


class ActionOutput(Value):
    """A file or folder that the action must leave behind, by its path in the sandbox."""

    name: str
    path: str


class ActionLimits(Value):
    memory: int
    """Bytes."""
    processes: int


class Action(Value):
    """Everything that can change what the commands do; so everything is in the key."""

    kind: str
    steps: tuple[ActionStep, ...]
    env: tuple[tuple[str, str], ...] = ()
    inputs: tuple[ActionInput, ...] = ()
    copy_in: tuple[str, ...] = ()
    """Names of inputs that are copied to /build/<name> because the tools write beside their sources."""
    outputs: tuple[ActionOutput, ...]
    toolchain: str
    """Identity of the root that the commands run in."""
    network: Literal["none", "fetch"] = "none"
    timeout: int
    """Seconds."""
    limits: ActionLimits
    pinned: str = ""
    """Digest of what its outputs have to be, where that is written down."""

    def __post_init__(self) -> None:
        if not self.steps or not self.outputs:
            raise ValueError(f"{self.kind} needs at least one step and one output")
        _check_names("environment variable", [name for name, _ in self.env])
        _check_names("input", [item.name for item in self.inputs])
        _check_names("output", [item.name for item in self.outputs])
        if unknown := set(self.copy_in) - {item.name for item in self.inputs}:
            raise ValueError(f"{self.kind} copies what is no input: {sorted(unknown)}")


def _check_names(what: str, names: list[str]) -> None:
    if len(set(names)) != len(names):
        raise ValueError(f"an {what} is given twice: {names}")
    for name in names:
        if not _NAME.fullmatch(name) and what != "environment variable":
            raise ValueError(f"`{name}` cannot name an {what}")


class ActionResult(Value):
    """What a successful action left; `entries` are all outputs, each below its output's name."""

    key: str
    entries: tuple[TreeEntry, ...]
    trees: tuple[ActionInput, ...]
    """Each output as the digest of its own tree, so that another action can take it in."""

    def tree(self, output: str) -> Tree:
        """The files of one output."""
        return Tree(entries=self.entries).below(output)
