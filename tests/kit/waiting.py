"""Waits for what must come, on however busy a machine.

In: a question. Out: nothing, as soon as its answer is yes.
Never: a limit that a busy machine reaches: only what has failed takes that long.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST = 300.0
_STEP = 0.05


def until(there: Callable[[], bool], what: str = "") -> None:
    """AssertionError with `what` when it has not come after all that time."""
    end = time.monotonic() + LONGEST
    while not there():
        assert time.monotonic() < end, what
        time.sleep(_STEP)
