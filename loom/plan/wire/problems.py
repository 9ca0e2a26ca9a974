"""What planning may find wrong with routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from loom.base import Diagnostic


class DuplicateRoute(Diagnostic):
    """Two routes of one service have the same method and path, or the same operation id.

    Routes carry no context, so aggregates of one name in two contexts cannot be served by one deployable.
    """

    message: ClassVar[Mapping[str, str]] = {
        "context": "`{name}` would stand for both {first} and {second}",
        "contexts": "`{name}` would stand for both {first} and {second} in {deployable}",
    }
    help: ClassVar[Mapping[str, str]] = {
        "context": "rename one of them",
        "contexts": "rename one of them, or host the contexts in two deployables",
    }

    case: Literal["context", "contexts"]
    deployable: str
    name: str
    first: str
    second: str
