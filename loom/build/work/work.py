"""One task as the engine sees it, whatever doit thinks of it.

In: nothing. Out: the protocol that each kind of task keeps to. Never: doit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from loom.build.state import Known

if TYPE_CHECKING:
    from loom.build.workspace import Workspace

How = Literal["ran", "remote", "restored"]


class Options(NamedTuple):
    """What a person asked for on the command line of a task."""

    overwrite: bool = False


class Outcome(NamedTuple):
    """How a task came by what it gives; `text` is for people."""

    how: How
    known: Known
    text: str = ""


class WorkFailed(Exception):
    """The mistake is the user's, or a command of theirs failed; `text` is all there is to say."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class WorkBroken(Exception):
    """The machine cannot do it: no sandbox, no network, a full disk; `text` says what to do."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Work(Protocol):
    """A task. Only `run` may change anything."""

    @property
    def name(self) -> str: ...

    @property
    def workspace(self) -> Workspace: ...

    def known(self) -> Known | None:
        """Its key as of now; None when that cannot be said without running something."""
        ...

    def missing(self) -> str:
        """Why what it leaves outside the stores is not in place; empty when it is."""
        ...

    def replay(self) -> str:
        """What it said when it ran: warnings are part of a cached value."""
        ...

    def preimages(self) -> dict[str, bytes]:
        """What the key of each step or action in it is the digest of, as of now; pure stages may run for it."""
        ...

    def run(self, options: Options) -> Outcome: ...
