"""Trees that rules may read and that are neither stored nor fetched.

In: nothing. Out: what makes them. Never: how their files are laid in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from loom.base.files import TextFile


class Provided(NamedTuple):
    """A tree that a rule may read: its files for a deployable, and the stage that they are from.

    `stage` is empty where they are Loom's own.
    """

    files: Callable[[str], tuple[TextFile, ...]]
    stage: str = ""
