"""`rules/<stage>/<backend>.yaml` as a checked model.

In: the file. Out: a value that says what runs, with which toolchain, on what, giving what.
Never: a command for a shell, or a variable taken from the machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, field

from loom.build.shapes import Settings, Wrong

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"^([1-9][0-9]*)(KiB|MiB|GiB)$")

Name = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]*\Z")]


def in_bytes(size: str) -> int:
    """`3GiB` as a number; ValueError for anything else."""
    found = _SIZE.match(size)
    if found is None:
        raise ValueError(f"`{size}` is no size: write a number and KiB, MiB or GiB")
    return int(found[1]) * _UNITS[found[2]]


class Step(Settings):
    """One command. Its words are never read by a shell."""

    name: str
    argv: Annotated[tuple[str, ...], Meta(min_length=1)]
    cwd: str = "/build"


class Limits(Settings):
    """What one action may take; reaching a limit is an error that says so."""

    memory: str = "3GiB"
    processes: Annotated[int, Meta(ge=8, le=32768)] = 512

    def wrong(self) -> Iterator[Wrong]:
        try:
            in_bytes(self.memory)
        except ValueError as error:
            yield Wrong(("memory",), str(error))


class RuleFile(Settings):
    """One rule."""

    rule: str
    """`<stage>/<backend>`, as the file's path says it."""
    toolchain: str
    inputs: dict[Name, str] = field(default_factory=dict)
    """Name at /in/<name>: the task whose tree it is."""
    copy_in: tuple[Name, ...] = field(name="copy", default=())
    """Inputs that are copied to /build/<name> because the tools write beside their sources."""
    env: dict[str, str] = field(default_factory=dict)
    """Complete but for the engine's fixed set and the toolchain's own."""
    steps: Annotated[tuple[Step, ...], Meta(min_length=1)]
    outputs: Annotated[dict[Name, str], Meta(min_length=1)]
    network: Literal["none", "fetch"] = "none"
    """`fetch` is legal only in rules/deps, whose results must match a lock."""
    timeout: Annotated[int, Meta(ge=1, le=7200)] = 600
    limits: Limits = Limits()

    def wrong(self) -> Iterator[Wrong]:
        for name, path in self.outputs.items():
            if not path.startswith("/out/") or ".." in path.split("/"):
                yield Wrong(("outputs", name), f"`{path}` must lie below /out")
        if unknown := sorted(set(self.copy_in) - set(self.inputs)):
            yield Wrong((), f"`copy` names {unknown}, which are no inputs")
        if self.network == "fetch" and not self.rule.startswith("deps/"):
            yield Wrong((), "`network: fetch` is legal only in rules/deps")
