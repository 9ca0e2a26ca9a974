"""What stands in a match for kinds of the program that no Plan says yet.

A context that uses such a feature is never planned: `features.check` names the use, and the compiler stops there.
"""

from __future__ import annotations

from typing import NoReturn


def unplanned(item: object) -> NoReturn:
    """Raises: whoever calls this has planned what `features.check` refuses."""
    raise TypeError(f"{type(item).__name__} has no place in a Plan; is its feature named where it is used?")
