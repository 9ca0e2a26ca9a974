"""A project as the engine sees it: plain tuples, so that a run with nothing to do loads no parser.

In: nothing. Out: `Project` and `System`. Never: validation (`schema.py`) or files (`load.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loom.build.housekeeping.limits import Keep
from loom.build.remote.settings import Remote, listed

if TYPE_CHECKING:
    from loom.build.sandbox.choose import Choice
    from loom.build.toolchain.model import ProviderName


class System(NamedTuple):
    """One model and the folder that Loom writes for it; both relative to the project, with `/`."""

    name: str
    entry: str
    out: str


class Project(NamedTuple):
    """What `loom.yaml` and the `LOOM_*` variables say together.

    `locked` refuses whatever is not recorded or locked yet; `may_lose_data` lets migrations drop what holds data.
    """

    root: Path
    systems: tuple[System, ...]
    sandbox: Choice
    toolchains: tuple[tuple[str, ProviderName], ...]
    store: Path
    locked: bool
    may_lose_data: bool
    remote: Remote = Remote()
    keep: Keep = Keep()

    @property
    def state(self) -> Path:
        """Where what may be deleted at any time lies: doit's database, caches, locks."""
        return self.root / ".loom"

    @property
    def trusted_files(self) -> tuple[str, ...]:
        """Where the public keys lie of those whose results are believed."""
        return tuple(str(self.root / Path(name).expanduser()) for name in listed(self.remote.trust))

    def provider(self, toolchain: str) -> ProviderName | None:
        """Where that toolchain is to come from; None leaves it to the toolchain."""
        return dict(self.toolchains).get(toolchain)


def own_folders(project: Project) -> tuple[Path, ...]:
    """Where a project may have rules, toolchains and locks of its own: watched also while they are not there."""
    return project.root / "rules", project.root / "toolchains", project.state / "locks"
