"""One action on a server of the Remote Execution API (v2), followed to its end however often the stream breaks.

In: the digest of an Action that the server has. Out: the Operation at its end.
Never: more waiting than was agreed, or a second run while the first may still be found.
"""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

import grpc

from loom.base import Digest
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.places.line import Answers, failure, status_of, understood
from loom.build.remote.places.transport import RemoteBroke, RemoteFailed, RemoteLacks
from loom.build.remote.protocol import execution
from loom.build.remote.protocol.execution import Operation

_MESSAGES = 10_000
"""More than any server says of one action."""
_LACKING = frozenset({grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND})
_BREAKS = frozenset(
    {
        *(grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN),
        *(grpc.StatusCode.CANCELLED, grpc.StatusCode.ABORTED),
    }
)


class Waits(NamedTuple):
    """Seconds: before each new attempt, and how long an action may wait for a worker."""

    pauses: tuple[float, ...] = (0.2, 1.0, 2.0)
    queue: float = 600.0


WAITS = Waits()


class Ended(Exception):
    """Somebody ended the run."""


class Execution:
    """`end` may be called by another thread, at any time."""

    def __init__(self, transport: GrpcTransport, action: Digest, timeout: int, waits: Waits = WAITS) -> None:
        self._transport = transport
        self._action = action
        self._waits = waits
        self._until = time.monotonic() + timeout + waits.queue
        self._over = threading.Event()
        self._call: Answers | None = None
        self._name = ""
        self._heard = 0

    def followed(self) -> Operation:
        """RemoteBroke when it is lost, RemoteLacks, RemoteFailed, or Ended."""
        for pause in (*self._waits.pauses, None):
            try:
                return self._to_its_end()
            except RemoteBroke:
                if pause is None or not self._name:
                    raise
            if self._over.wait(pause):
                break
        raise Ended

    def end(self) -> None:
        """On the server, too, if it can be told."""
        if self._over.is_set():
            return
        self._over.set()
        if self._name:
            self._transport.line.tell(execution.CANCEL, execution.named(self._name))
        if self._call is not None:
            self._call.cancel()

    def _to_its_end(self) -> Operation:
        try:
            for said in self._stream():
                found = understood(execution.operation, said)
                self._name = found.name or self._name
                self._heard += 1
                if found.done:
                    return found
                if self._heard > _MESSAGES:
                    raise RemoteFailed("never comes to an end with an action")
        except grpc.RpcError as error:
            self._broken(status_of(error))
        raise RemoteBroke("stops talking about an action")

    def _stream(self) -> Answers:
        """Of a new run, or of the one that is known already."""
        if self._over.is_set():
            raise Ended
        left = max(self._until - time.monotonic(), 0.001)
        if self._name:
            self._call = self._transport.line.stream(execution.WAIT, execution.named(self._name), left)
        else:
            request = execution.execute(self._transport.instance.named(), self._action)
            self._call = self._transport.line.stream(execution.EXECUTE, request, left)
        return self._call

    def _broken(self, status: grpc.StatusCode) -> None:
        if self._over.is_set():
            raise Ended
        if time.monotonic() >= self._until:
            self.end()
            raise RemoteFailed("does not come to an end with an action in time")
        if self._name and status is grpc.StatusCode.NOT_FOUND:
            self._name = ""
            raise RemoteBroke("has lost an action that it was running")
        if not self._name and status in _LACKING:
            raise RemoteLacks(f"answers {status.name}")
        if status in _BREAKS:
            raise RemoteBroke(str(failure(status)))
        raise failure(status)
