"""A server of the Remote Execution API that does as it is told, wrongly: what no real one can be asked to be."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc

from loom.base import Digest
from loom.build.remote.protocol import execution, reapi
from loom.build.remote.protocol.wire import as_bytes, as_text, decode_digest, encode_digest, fields, message, number

Context = grpc.ServicerContext
SHA256 = message(1, bytes([1]))
UPDATES = message(2, number(1, 1))


class Talker(grpc.GenericRpcHandler):
    """`asked` are the methods and the sizes of their requests; `batch` is the limit that it announces.

    Without `executes` it says that it runs no actions.
    """

    def __init__(self) -> None:
        self.blobs: dict[Digest, bytes] = {}
        self.results: dict[str, bytes] = {}
        self.asked: list[tuple[str, int]] = []
        self.busiest = 0
        self.batch = 0
        self.largest = 0
        self.twist: Callable[[str, bytes, Context], bytes | None] = lambda method, request, context: None
        self.stream: Callable[[bytes, Context], Iterator[bytes]] = self._read
        self.executes: Callable[[str, bytes, Context], Iterator[bytes]] | None = None
        self.ended = threading.Event()
        self._busy = 0
        self._lock = threading.Lock()
        self.address = ""

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        method = details.method
        if method == reapi.READ:
            return grpc.unary_stream_rpc_method_handler(self.stream)
        if method in (execution.EXECUTE, execution.WAIT):
            return grpc.unary_stream_rpc_method_handler(self._executing(method))
        if method == reapi.WRITE:
            return grpc.stream_unary_rpc_method_handler(self._write)
        answers = {
            reapi.GET_CAPABILITIES: self._capabilities,
            reapi.FIND_MISSING: self._missing,
            reapi.BATCH_READ: self._batch_read,
            reapi.BATCH_UPDATE: self._batch_update,
            reapi.GET_RESULT: self._get_result,
            reapi.UPDATE_RESULT: self._update_result,
            execution.CANCEL: lambda request, context: b"",
        }
        return grpc.unary_unary_rpc_method_handler(self._counted(method, answers[method]))

    def count(self, method: str) -> int:
        return sum(name == method for name, _ in self.asked)

    def _counted(self, method: str, answer: Callable[[bytes, Context], bytes]) -> Callable[[bytes, Context], bytes]:
        def counted(request: bytes, context: Context) -> bytes:
            with self._lock:
                self.asked.append((method, len(request)))
                self._busy += 1
                self.busiest = max(self.busiest, self._busy)
            try:
                lie = self.twist(method, request, context)
                return answer(request, context) if lie is None else lie
            finally:
                with self._lock:
                    self._busy -= 1

        return counted

    def _executing(self, method: str) -> Callable[[bytes, Context], Iterator[bytes]]:
        def executing(request: bytes, context: Context) -> Iterator[bytes]:
            self.asked.append((method, len(request)))
            assert self.executes is not None
            return self.executes(method, request, context)

        return executing

    def _capabilities(self, request: bytes, context: Context) -> bytes:
        told = message(1, SHA256 + UPDATES + number(4, self.batch) + number(8, self.largest))
        return told + message(2, number(1, 1) + number(2, int(self.executes is not None)))

    def _missing(self, request: bytes, context: Context) -> bytes:
        return b"".join(message(2, encode_digest(one)) for one in wanted(request) if one not in self.blobs)

    def _batch_read(self, request: bytes, context: Context) -> bytes:
        return b"".join(read_response(one, self.blobs.get(one)) for one in wanted(request))

    def _batch_update(self, request: bytes, context: Context) -> bytes:
        said = b""
        for field, value in fields(request):
            if field == 2:
                found = dict(fields(as_bytes(value)))
                digest = decode_digest(as_bytes(found[1]))
                self.blobs[digest] = as_bytes(found.get(2, b""))
                said += message(1, message(1, encode_digest(digest)))
        return said

    def _get_result(self, request: bytes, context: Context) -> bytes:
        key = wanted(request)[0].sha256
        if key not in self.results:
            context.abort(grpc.StatusCode.NOT_FOUND, "not here")
        return self.results[key]

    def _update_result(self, request: bytes, context: Context) -> bytes:
        found = dict(fields(request))
        self.results[wanted(request)[0].sha256] = as_bytes(found[3])
        return as_bytes(found[3])

    def _read(self, request: bytes, context: Context) -> Iterator[bytes]:
        self.asked.append((reapi.READ, len(request)))
        *_, sha256, size = as_text(dict(fields(request))[1]).split("/")
        data = self.blobs.get(Digest(sha256, int(size)))
        if data is None:
            context.abort(grpc.StatusCode.NOT_FOUND, "not here")
            return
        for start in range(0, len(data), 1 << 20):
            yield message(10, data[start : start + (1 << 20)])

    def _write(self, requests: Iterator[bytes], context: Context) -> bytes:
        data, digest = b"", Digest("", 0)
        for request in requests:
            self.asked.append((reapi.WRITE, len(request)))
            found = dict(fields(request))
            if 1 in found:
                *_, sha256, size = as_text(found[1]).split("/")
                digest = Digest(sha256, int(size))
            data += as_bytes(found.get(10, b""))
        self.blobs[digest] = data
        return number(1, len(data))


def wanted(request: bytes) -> list[Digest]:
    return [decode_digest(as_bytes(value)) for field, value in fields(request) if field == 2]


def read_response(digest: Digest, data: bytes | None) -> bytes:
    """Of one blob in a batch."""
    status = message(3, number(1, grpc.StatusCode.NOT_FOUND.value[0])) if data is None else b""
    return message(1, message(1, encode_digest(digest)) + message(2, data or b"") + status)


@contextlib.contextmanager
def talker() -> Iterator[Talker]:
    handler = Talker()
    server = grpc.server(ThreadPoolExecutor(32), handlers=[handler])
    handler.address = f"grpc://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield handler
    finally:
        handler.ended.set()
        server.stop(0).wait()
