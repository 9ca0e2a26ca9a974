"""Actions that run elsewhere: given, run, fetched and checked, or left to the local sandbox.

In: an action whose result nobody has. Out: its exit and its files, or None when it is to run here.
Never: a wrong result, more actions at once than was agreed, a second try without an end.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

from loom.base import Digest
from loom.build.actions.action import Action
from loom.build.project.problem import ProjectProblem
from loom.build.remote.breaker import Breaker
from loom.build.remote.carrying import Carrier
from loom.build.remote.execution.outcome import Outcomes
from loom.build.remote.execution.request import Request, request
from loom.build.remote.execution.terms import Terms
from loom.build.remote.known import Known
from loom.build.remote.places.executing import WAITS, Ended, Execution, Waits
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.places.transport import RemoteBroke, RemoteFailed, RemoteLacks
from loom.build.remote.taking import RemoteDamaged, Taker
from loom.build.remote.traffic import Traffic
from loom.build.sandbox.job import Exit
from loom.build.sandbox.running import Running
from loom.build.store.atomic import COUNTER
from loom.build.store.content import ContentStore
from loom.build.terminal import harmless

_WORKERS = 8
_ENDED = Exit(137, b"", b"")
"""As of a process that was killed."""


class Executor:
    """The workers of one server. `here` is how many actions run locally at once while it is in use."""

    def __init__(
        self, transport: GrpcTransport, content: ContentStore, terms: Terms, here: int = 1, waits: Waits = WAITS
    ) -> None:
        self.name = transport.name
        self.traffic = Traffic()
        self.running = Running()
        self.here = threading.Semaphore(here)
        self._transport = transport
        self._content = content
        self._terms = terms
        self._waits = waits
        self._known = Known()
        self._pool = ThreadPoolExecutor(_WORKERS, "loom-execute")
        self._carrier = Carrier(transport, self._known, self.traffic, self._pool)
        self._taker = Taker(transport, content, Known(), self.traffic)
        self._outcomes = Outcomes(content, self._taker)
        self._there = threading.Semaphore(terms.jobs)
        self._breaker = Breaker()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._told = False

    def takes(self, action: Action) -> bool:
        """Not what needs a network, which no worker may give it, nor outputs inside of each other."""
        places = sorted(f"{output.path}/" for output in action.outputs)
        apart = not any(after.startswith(before) for before, after in pairwise(places))
        return action.network == "none" and apart and places[0] != "/out/"

    def run(self, key: str, action: Action, root: Callable[[], Path], out: Path) -> Exit | None:
        """`out` holds what was left, or is as empty as before.

        ProjectProblem instead of None where it was required; BlobLost when the store lacks an input.
        """
        with self._there:
            if not self._terms.required and not self._breaker.allows():
                return None
            try:
                found = self._done(request(key, action, root(), self._content, self._terms.platform), action, out)
            except Ended:
                return _ENDED
            except RemoteDamaged as damaged:
                self._refuse(f"gave a wrong result for {action.kind}, which is not used: {damaged}")
                return None
            except RemoteFailed as failed:
                self._refuse(str(failed))
                return None
        self._breaker.worked()
        return found

    def stop(self) -> None:
        self._over.set()
        self.running.stop()

    def close(self, *, abandon: bool = False) -> None:
        """`abandon` ends what still runs."""
        if abandon:
            self.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._taker.close(wait=False)
        self._transport.close()

    def _done(self, asked: Request, action: Action, out: Path) -> Exit:
        """Once more after each failure that may pass, and once after inputs were lost."""
        may_lack = True
        for pause in (*self._waits.pauses[1:], None):
            try:
                return self._attempt(asked, action, out)
            except RemoteLacks:
                if not may_lack or pause is None:
                    raise
                may_lack = False
                self._known.unsure(asked.sources)
            except RemoteBroke:
                if pause is None:
                    raise
                self._known.unsure(asked.sources)
                self._over.wait(pause)
        raise Ended

    def _attempt(self, asked: Request, action: Action, out: Path) -> Exit:
        if self._over.is_set():
            raise Ended
        if not self._transport.abilities().executes:
            raise RemoteFailed("runs no actions")
        if large := self._carrier.carry(asked.sources):
            raise RemoteFailed(f"does not take files of {max(large, key=_size).size} bytes")
        execution = Execution(self._transport, asked.action, action.timeout, self._waits)
        begun = time.monotonic()
        with self.running.listed(execution.end):
            found = execution.followed()
        # A worker may read an input when it is opened, and a tool may go on without what cannot be read.
        # kept by tests/engine/remote/test_execution.py::test_input_that_the_server_lost_is_given_again
        self._known.unsure(asked.sources)
        if self._carrier.lacking(asked.sources):
            raise RemoteLacks("loses what it was given")
        fresh = out.with_name(f"there-{next(COUNTER)}")
        fresh.mkdir()
        left = self._outcomes.laid(found, action, fresh, time.monotonic() - begun)
        out.rmdir()
        fresh.rename(out)
        return left

    def _refuse(self, why: str) -> None:
        self._breaker.failed()
        said = f"the executor {self.name} {harmless(why)}"
        if self._terms.required:
            raise ProjectProblem(f"{said}, and it is required")
        with self._lock:
            told, self._told = self._told, True
        if not told:
            sys.stderr.write(f"WARNING: {said}; going on in the local sandbox\n")


def _size(digest: Digest) -> int:
    return digest.size
