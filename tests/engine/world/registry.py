"""A registry of images on loopback: its images are made by tests, and it may be told to serve other bytes."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar.gzip"


class Part(NamedTuple):
    """One member of a layer: a file unless it has a `link` or a `twin`, which is another name of a file."""

    path: str
    data: bytes = b""
    mode: int = 0o644
    link: str = ""
    twin: str = ""


class Registry:
    """`tags` says what each name means now, `contents` what is behind each digest."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.contents: dict[str, bytes] = {}
        self.tags: dict[str, str] = {}

    def push(self, tag: str, *layers: tuple[Part, ...]) -> str:
        """An image without a command of its own; the digest of its manifest."""
        tars = [_tar(layer) for layer in layers]
        rootfs = {"type": "layers", "diff_ids": [_digest(tar) for tar in tars]}
        config = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": rootfs}).encode()
        packed = [gzip.compress(tar, mtime=0) for tar in tars]
        manifest = {
            "schemaVersion": 2, "mediaType": MANIFEST,
            "config": self._kept(config, CONFIG), "layers": [self._kept(layer, LAYER) for layer in packed],
        }  # fmt: skip
        self.tags[tag] = str(self._kept(json.dumps(manifest).encode(), MANIFEST)["digest"])
        return self.tags[tag]

    def _kept(self, data: bytes, kind: str) -> dict[str, str | int]:
        self.contents[_digest(data)] = data
        return {"mediaType": kind, "size": len(data), "digest": _digest(data)}


@contextmanager
def registry() -> Iterator[Registry]:
    """One that serves until the end of the block; an engine takes it without TLS, as it is on loopback."""
    server = _Server()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(ThreadingHTTPServer):
    """Of one registry, whose address it chooses."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.registry = Registry(f"127.0.0.1:{self.server_port}")


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, _Server)
        registry = self.server.registry
        asked = self.path.rsplit("/", 1)[-1]
        digest = registry.tags.get(asked, asked)
        data = b"{}" if self.path == "/v2/" else registry.contents.get(digest)
        self.send_response(404 if data is None else 200)
        self.send_header("Content-Type", MANIFEST if "/manifests/" in self.path else "application/json")
        self.send_header("Docker-Content-Digest", digest)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data or b"")

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: tests look at what Loom says."""


def _tar(parts: tuple[Part, ...]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for part in parts:
            info = tarfile.TarInfo(part.path)
            info.mode, info.size, info.linkname = part.mode, len(part.data), part.link or part.twin
            info.type = tarfile.SYMTYPE if part.link else tarfile.LNKTYPE if part.twin else tarfile.REGTYPE
            archive.addfile(info, io.BytesIO(part.data))
    return stream.getvalue()


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
