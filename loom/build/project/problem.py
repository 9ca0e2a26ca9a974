"""The mistake of a user in the files of a project, ready to print.

In: text. Out: an exception that the command line prints without a traceback.
Never: a fault of Loom itself (those keep their traceback).
"""

from __future__ import annotations


class ProjectProblem(Exception):
    """One or more mistakes that the user can mend; each line says where and how."""
