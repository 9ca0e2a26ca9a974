"""Two checkouts of one project that share nothing but a cache: each has a store and a state of its own."""

from __future__ import annotations

from pathlib import Path

from tests.engine.core.tide_project import LoomProject


class Machine(LoomProject):
    """`log` names every step that really ran here."""

    def __init__(self, root: Path, cache: str, **environment: str) -> None:
        super().__init__(root, LOOM_REMOTE_CACHE=cache, LOOM_REMOTE_UPLOAD="always", **environment)

    def steps(self, *words: str) -> dict[str, str]:
        """How each task went."""
        return self.doit(*words).marks
