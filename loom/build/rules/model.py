"""`rules/<stage>/<backend>.yaml` as a checked model.

In: the file. Out: a value that says what runs, with which toolchain, on what, giving what.
Never: a command for a shell, or a variable taken from the machine.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from loom.build.settings import Settings

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_SIZE = re.compile(r"^([1-9][0-9]*)(KiB|MiB|GiB)$")

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]


def in_bytes(size: str) -> int:
    """`3GiB` as a number; ValueError for anything else."""
    found = _SIZE.match(size)
    if found is None:
        raise ValueError(f"`{size}` is no size: write a number and KiB, MiB or GiB")
    return int(found[1]) * _UNITS[found[2]]


def _is_size(size: str) -> str:
    in_bytes(size)
    return size


def _is_inside(folder: str, path: str) -> str:
    if not path.startswith(f"{folder}/") or ".." in path.split("/"):
        raise ValueError(f"`{path}` must lie below {folder}")
    return path


def _is_output(path: str) -> str:
    return _is_inside("/out", path)


class Step(Settings):
    """One command. Its words are never read by a shell."""

    name: str
    argv: Annotated[tuple[str, ...], Field(min_length=1)]
    cwd: str = "/build"


class Limits(Settings):
    """What one action may take; reaching a limit is an error that says so."""

    memory: Annotated[str, AfterValidator(_is_size)] = "3GiB"
    processes: Annotated[int, Field(ge=8, le=32768)] = 512


class RuleFile(Settings):
    """One rule."""

    rule: str
    """`<stage>/<backend>`, as the file's path says it."""
    toolchain: str
    inputs: dict[Name, str] = Field(default_factory=dict)
    """Name at /in/<name>: the task whose tree it is."""
    copy_in: Annotated[tuple[Name, ...], Field(alias="copy")] = ()
    """Inputs that are copied to /build/<name> because the tools write beside their sources."""
    env: dict[str, str] = Field(default_factory=dict)
    """Complete but for the engine's fixed set and the toolchain's own."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    outputs: Annotated[dict[Name, Annotated[str, AfterValidator(_is_output)]], Field(min_length=1)]
    network: Literal["none", "fetch"] = "none"
    """`fetch` is legal only in rules/deps, whose results must match a lock."""
    timeout: Annotated[int, Field(ge=1, le=7200)] = 600
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if unknown := sorted(set(self.copy_in) - set(self.inputs)):
            raise ValueError(f"`copy` names {unknown}, which are no inputs")
        if self.network == "fetch" and not self.rule.startswith("deps/"):
            raise ValueError("`network: fetch` is legal only in rules/deps")
        return self
