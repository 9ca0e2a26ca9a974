"""Texts in double quotes that are written as if they were templates.

In: a text as written, and what has a name there. Out: a warning.
Never: a doubt about braces around what means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Literal

from loom.lower.expressions.names import is_value_name
from loom.lower.problems.expressions import PlainInterpolation
from loom.lower.scope.frames import Frame

_HOLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?:\.[A-Za-z0-9_.]+)?\}")


def doubt_holes(frame: Frame, at: int, text: str, case: Literal["text", "message"]) -> None:
    """Warns of the first brace that holds the name of a value."""
    if hole := hole_in(text, partial(is_value_name, frame)):
        frame.report(PlainInterpolation(at=frame.at(at), case=case, hole=hole))


def hole_in(text: str, is_known: Callable[[str], bool]) -> str:
    """The first brace around a known name, with what is in it; empty where there is none."""
    return next((hole[0] for hole in _HOLE.finditer(text) if is_known(hole[1])), "")
