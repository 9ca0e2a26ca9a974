"""A real nginx as a shared cache, in the foreground, on a free port, gone when its test is."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.engine.remote.casd import wait_for
from tests.kit.ports import free_port
from tests.kit.waiting import LONGEST

_CONF = """
daemon off; master_process off; pid "{root}/pid"; error_log "{root}/error.log";
events {{}}
http {{
    access_log "{root}/access.log";
    client_body_temp_path "{root}/body"; client_max_body_size 0;
    proxy_temp_path "{root}/t1"; fastcgi_temp_path "{root}/t2"; uwsgi_temp_path "{root}/t3"; scgi_temp_path "{root}/t4";
    server {{
        listen 127.0.0.1:{port}{tls};
        {certificates}
        location ~ "^/shared/(ac|cas)/[0-9a-f]{{64}}$" {{
            root "{root}/files";
            dav_methods PUT;
            create_full_put_path on;
            {guard}
        }}
    }}
}}
"""


class Nginx(NamedTuple):
    root: Path
    address: str

    def requests(self) -> list[str]:
        """`VERB /path` and the status of each."""
        quoted = [line.split('"') for line in (self.root / "access.log").read_text().splitlines()]
        return [f"{parts[1].rsplit(' ', 1)[0]} {parts[2].split()[0]}" for parts in quoted]

    def files(self, kind: str) -> dict[str, bytes]:
        folder = self.root / "files" / "shared" / kind
        return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}

    def file(self, kind: str, name: str) -> Path:
        return self.root / "files" / "shared" / kind / name


@contextlib.contextmanager
def nginx(root: Path, port: int = 0, *, certificates: str = "", guard: str = "") -> Iterator[Nginx]:
    """`certificates` turns TLS on; `guard` is what nginx checks before it serves. A free port unless one is named."""
    tls = " ssl" if certificates else ""
    with _running(root, _CONF, port, tls=tls, certificates=certificates, guard=guard) as port:
        yield Nginx(root, f"http{'s' if certificates else ''}://127.0.0.1:{port}/shared")


@contextlib.contextmanager
def _running(root: Path, conf: str, port: int = 0, **words: str) -> Iterator[int]:
    """The port it listens at."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    assert program, "nginx is missing: apt-get install nginx-light"
    root.mkdir(exist_ok=True)
    port = port or free_port()
    (root / "nginx.conf").write_text(conf.format(root=root, port=port, **words))
    process = subprocess.Popen([program, "-p", root, "-c", root / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        wait_for(port, process, "nginx")
        yield port
    finally:
        process.terminate()
        process.wait(LONGEST)


_FRONT = """
daemon off; master_process off; pid "{root}/pid"; error_log "{root}/error.log";
events {{}}
http {{
    access_log "{root}/access.log";
    client_body_temp_path "{root}/body"; client_max_body_size 0;
    proxy_temp_path "{root}/t1"; fastcgi_temp_path "{root}/t2"; uwsgi_temp_path "{root}/t3"; scgi_temp_path "{root}/t4";
    server {{
        listen 127.0.0.1:{port} ssl http2;
        {certificates}
        location / {{ {guard} grpc_pass {behind}; }}
    }}
}}
"""


@contextlib.contextmanager
def front(root: Path, behind: str, *, certificates: str, guard: str) -> Iterator[str]:
    """The address of an nginx that keeps the door of a gRPC server."""
    with _running(root, _FRONT, behind=behind, certificates=certificates, guard=guard) as port:
        yield f"grpcs://127.0.0.1:{port}"
