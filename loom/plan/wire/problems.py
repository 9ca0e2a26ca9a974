"""What planning may find wrong with routes."""

from __future__ import annotations

from typing import ClassVar

from loom.base import Diagnostic


class DuplicateRoute(Diagnostic):
    """Two routes of one service have the same method and path, or the same operation id.

    Routes carry no context, so aggregates of one name in two contexts cannot be served by one deployable.
    """

    message: ClassVar[str] = "`{name}` would stand for both `{first}` and `{second}` in {deployable}"
    help: ClassVar[str] = "rename one of them, or host the contexts in two deployables"

    deployable: str
    name: str
    first: str
    second: str
