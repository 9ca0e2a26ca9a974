"""What a run does when somebody ends it: whatever it started ends with it.

In: a way to stop. Out: the same interruption, after it. Never: another behaviour of the process once the run is over.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """SIGTERM counts as Ctrl-C: CI services send it, and it would leave everything behind."""
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _interrupt) if is_main else None
    try:
        yield
    except KeyboardInterrupt:
        stop()
        raise
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
