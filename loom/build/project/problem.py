"""The mistake of a user in a project file, ready to print.

In: lines of text. Out: an exception that the command line prints without a traceback.
Never: a fault of Loom itself (those keep their traceback).
"""

from __future__ import annotations

from collections.abc import Iterable


class ProjectProblem(Exception):
    """One or more mistakes that the user can mend; each line says where and how."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))
