"""The mistakes of a user, in the files of a project or in words, ready to print, and the exit code of each kind.

In: text. Out: exceptions that the command line prints without a traceback.
Never: a fault of Loom itself (those keep their traceback).
"""

from __future__ import annotations

from typing import ClassVar


class ProjectProblem(Exception):
    """One or more mistakes that the user can mend; each line says where and how."""

    code: ClassVar[int] = 1


class NothingBegun(ProjectProblem):
    """Nothing of what was asked for could be begun: the words, a name, a setting or a variable mean nothing."""

    code: ClassVar[int] = 3


class SettingsError(NothingBegun):
    """A settings file is wrong; the text tells each mistake with its line."""


class Unable(ProjectProblem):
    """The machine cannot do what was asked for."""

    code: ClassVar[int] = 2


class Misused(Exception):
    """Its arguments are the words of a command; what followed them means nothing."""


def complaint(problem: Exception | str) -> str:
    """As doit tells that it could not begin."""
    return f"ERROR: {problem}\n"
