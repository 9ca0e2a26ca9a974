"""Lines as they are said, and what goes on below them: a live area on a terminal, a sign of life elsewhere.

In: lines of a run, its progress. Out: a stream that reads well afterwards. Never: a thread before something runs, or a
control sequence in a file, a pipe or the log of a CI service.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import TextIO

from loom.build.bridge.progress import Progress

_QUIET = 30.0
_DRAWN_EVERY = 0.2
_CLEAR = "\r\x1b[J"


class Screen:
    """Nothing but lines."""

    def __init__(self, stream: TextIO, progress: Progress, environment: Mapping[str, str] = os.environ) -> None:
        self.stream = stream
        self.progress = progress
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._last = time.monotonic()
        self._every = float(environment.get("LOOM_HEARTBEAT") or _QUIET)

    def write(self, text: str) -> None:
        with self._lock:
            self._last = time.monotonic()
            self.stream.write(text)

    def go_on(self) -> None:
        """Something runs: from now on somebody watches it."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="loom-screen", daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Only lines are left."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._period()):
            self._look()

    def _period(self) -> float:
        return self._every / 4

    def _look(self) -> None:
        """A line whenever nothing was said for long."""
        with self._lock:
            running = self.progress.running()
            if running and time.monotonic() - self._last >= self._every:
                self.write("   still running: " + ", ".join(f"{task} {spent:.0f} s" for task, spent in running) + "\n")
                self.stream.flush()


class LiveScreen(Screen):
    """Lines scroll by above an area that is drawn anew."""

    _drawn = 0

    def write(self, text: str) -> None:
        with self._lock:
            self._erase()
            self.stream.write(text)
            self.stream.flush()

    def end(self) -> None:
        super().end()
        with self._lock:
            self._erase()
            self.stream.flush()

    def _period(self) -> float:
        return _DRAWN_EVERY

    def _look(self) -> None:
        with self._lock:
            self._erase()
            lines = self.progress.area(_width(self.stream))
            self.stream.write("\n".join(lines))
            self.stream.flush()
            self._drawn = len(lines)

    def _erase(self) -> None:
        """Back to where the area began."""
        if self._drawn:
            above = f"\x1b[{self._drawn - 1}A" if self._drawn > 1 else ""
            self.stream.write(f"\r{above}{_CLEAR}")
            self._drawn = 0


def screen(stream: TextIO, progress: Progress, environment: Mapping[str, str] = os.environ) -> Screen:
    """A CI service may pretend to be a terminal: it is told apart by its variable."""
    in_ci = environment.get("CI", "").lower() not in ("", "0", "false")
    is_live = stream.isatty() and environment.get("TERM", "dumb") != "dumb" and not in_ci
    return (LiveScreen if is_live else Screen)(stream, progress, environment)


def _width(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80
