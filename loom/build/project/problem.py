"""The mistakes of a user, in the files of a project or in words, ready to print.

In: text. Out: exceptions that the command line prints without a traceback.
Never: a fault of Loom itself (those keep their traceback).
"""

from __future__ import annotations


class ProjectProblem(Exception):
    """One or more mistakes that the user can mend; each line says where and how."""


class Misused(Exception):
    """Its arguments are the words of a command; what followed them means nothing."""
