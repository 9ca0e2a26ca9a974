"""What `loom.yaml` may say.

In: YAML text. Out: plain data for `settings.Project`. Never: files or the environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, TypeVar, get_args

from pydantic import AfterValidator, Field, model_validator

from loom.build.housekeeping.schema import KeepYaml
from loom.build.project.problem import NothingBegun
from loom.build.remote.schema import RemoteYaml
from loom.build.sandbox.choose import Choice
from loom.build.settings import Settings, decoded, parse_settings
from loom.build.toolchain.model import ProviderName

RESERVED = (".loom", "migrations", "extern", "rules", "toolchains")


def _inside(path: str) -> str:
    """A relative path that stays below the project."""
    parts = path.split("/")
    if not path or path.startswith("/") or "\\" in path or re.match(r"[A-Za-z]:", path) or "\0" in path:
        raise ValueError("must be a path relative to loom.yaml, with `/`")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError("must not contain `.`, `..` or empty parts")
    return path


def _name(name: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,62}", name):
        raise ValueError("must be a lower-case name: letters, digits, `-` and `_`")
    return name


RelativePath = Annotated[str, AfterValidator(_inside)]
Name = Annotated[str, AfterValidator(_name)]
Toolchains = tuple[tuple[str, ProviderName], ...]
Word = TypeVar("Word", bound=str)


class SystemEntry(Settings):
    """One system: `entry` is its first file, `out` holds only what Loom writes."""

    entry: RelativePath
    out: RelativePath | None = None


class LoomYaml(Settings):
    """The whole file."""

    systems: Annotated[dict[Name, SystemEntry], Field(min_length=1)]
    sandbox: Choice = "auto"
    toolchains: dict[Name, ProviderName] = Field(default_factory=dict)
    store: str = "~/.cache/loom"
    remote: RemoteYaml = Field(default_factory=RemoteYaml)
    keep: KeepYaml = Field(default_factory=KeepYaml)

    @model_validator(mode="after")
    def folders_are_apart(self) -> LoomYaml:
        """Two systems never write one folder, and none writes where people write."""
        taken = [(name, entry.out or f"out/{name}") for name, entry in self.systems.items()]
        for index, (name, out) in enumerate(taken):
            if out.split("/")[0] in RESERVED:
                raise ValueError(f"`{name}` would write into `{out}`, which belongs to people")
            for other, others in taken[:index]:
                if _overlap(out, others):
                    raise ValueError(f"`{other}` and `{name}` would write into the same folder `{out}`")
            for entry in self.systems.values():
                if _overlap(out, entry.entry):
                    raise ValueError(f"`{name}` would write into `{out}`, where `{entry.entry}` lies")
        return self


def _overlap(one: str, other: str) -> bool:
    first, second = one.split("/"), other.split("/")
    return all(a == b for a, b in zip(first, second, strict=False))


Plain = tuple[tuple[tuple[str, str, str], ...], Choice, Toolchains, str, tuple[str, ...], tuple[int, ...]]


def parse_loom_yaml(data: bytes, name: str) -> Plain:
    """Systems, sandbox, toolchains, store, shared cache and limits as plain data."""
    read = parse_settings(decoded(data, name), name, LoomYaml)
    systems = tuple((name, entry.entry, entry.out or f"out/{name}") for name, entry in read.systems.items())
    toolchains = tuple(sorted(read.toolchains.items()))
    return systems, read.sandbox, toolchains, read.store, read.remote.plain(), read.keep.plain()


def override_choices(
    environment: Mapping[str, str], sandbox: Choice, toolchains: Toolchains
) -> tuple[Choice, Toolchains]:
    """Sandbox and toolchains with `LOOM_SANDBOX` and `LOOM_TOOLCHAINS` (`java=oci,node=debian`) over them."""
    choice: Choice = _one_of("LOOM_SANDBOX", environment.get("LOOM_SANDBOX") or sandbox, get_args(Choice))
    chosen = dict(toolchains)
    for pair in filter(None, environment.get("LOOM_TOOLCHAINS", "").split(",")):
        name, _, provider = pair.partition("=")
        chosen[name] = _one_of(f"LOOM_TOOLCHAINS: {name}", provider, get_args(ProviderName))
    return choice, tuple(sorted(chosen.items()))


def _one_of(name: str, value: str, allowed: tuple[Word, ...]) -> Word:
    for word in allowed:
        if word == value:
            return word
    raise NothingBegun(f"{name}: `{value}` is not one of {', '.join(allowed)}")
