"""What lies beyond a sandbox: other addresses, name servers, the folders of other actions, a terminal, more rights."""

from __future__ import annotations

import os
import pty
import socket
import sys
import threading
from pathlib import Path

import pytest

from loom.build.store.tree import TreeFile
from tests.engine.world.test_probes import CANARY, refused
from tests.engine.world.world_kit import EVERYWHERE, Kind, python, the_store

CHECKOUT = Path(__file__).parents[3]
everywhere = pytest.mark.parametrize("kind", EVERYWHERE)


def outward() -> str:
    """This machine's address on the way out, or its loopback where none leads out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        address: str = probe.getsockname()[0]
    return address


def answer(server: socket.socket) -> None:
    """Until the socket is closed: the canary, to whoever connects or asks."""
    while True:
        try:
            if server.type == socket.SOCK_DGRAM:
                _, asker = server.recvfrom(99)
                # Closing the socket ends the wait with a message from nobody.
                if asker is None:
                    return
                server.sendto(CANARY.encode(), asker)
                continue
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.sendall(CANARY.encode())


@everywhere
def test_service_beyond_the_loopback_cannot_be_called(kind: Kind) -> None:
    with socket.create_server((outward(), 0)) as server:
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        refused(
            kind,
            "import socket\n"
            f"with socket.create_connection({server.getsockname()!r}, timeout=5) as call:\n"
            f"    assert call.recv(99) == {CANARY.encode()!r}",
        )


@everywhere
def test_name_server_cannot_be_asked(kind: Kind) -> None:
    """A datagram and its answer, as a resolver would have them."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((outward(), 0))
        threading.Thread(target=answer, args=(server,), daemon=True).start()
        refused(
            kind,
            "import socket\n"
            "asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
            "asking.settimeout(5)\n"
            f"asking.sendto(b'harbour.example', {server.getsockname()!r})\n"
            f"assert asking.recv(99) == {CANARY.encode()!r}",
        )


@everywhere
def test_folder_of_another_action_is_not_there(kind: Kind) -> None:
    other = python("none", "print('done')").out
    (other / "secret").write_text(CANARY)
    refused(kind, f"assert open({str(other / 'secret')!r}).read() == {CANARY!r}")


# Run as the leader of a session that has a terminal, as from a shell.
WITH_TERMINAL = """
import sys
from tests.engine.world.world_kit import RUNNING, python
open("/dev/tty").close()
with RUNNING:
    worked = python(sys.argv[1], sys.argv[2]).worked
sys.exit(0 if worked else 41)
"""
TERMINAL = "open('/dev/tty')"
TYPED = "import fcntl, os, termios\nfor end in (0, 1, 2): fcntl.ioctl(end, termios.TIOCSTI, b'x')"


@everywhere
@pytest.mark.parametrize("code", [TERMINAL, TYPED], ids=["open", "type"])
def test_terminal_of_the_caller_is_out_of_reach(kind: Kind, code: str) -> None:
    child, end = pty.fork()
    if child == 0:
        os.chdir(CHECKOUT)
        os.execv(sys.executable, [sys.executable, "-c", WITH_TERMINAL, kind, code])
    said = b""
    while part := read(end):
        said += part
    os.close(end)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 41, said.decode()


def read(end: int) -> bytes:
    try:
        return os.read(end, 4096)
    except OSError:  # the other side is closed
        return b""


@everywhere
def test_no_right_of_another_user_is_there_or_captured(kind: Kind) -> None:
    """Nothing in a root or among inputs has such a right, and what an action gives itself is not kept."""
    code = (
        "import os\n"
        "open('/out/seen', 'w').write('x')\n"
        "os.chmod('/out/seen', 0o6755)\n"
        "found = [os.path.join(f, n) for f, _, ns in os.walk('/') if not f.startswith(('/proc', '/out'))\n"
        "         for n in ns if os.lstat(os.path.join(f, n)).st_mode & 0o6000]\n"
        "assert not found, found"
    )
    ran = python(kind, code)
    assert ran.worked, ran.exit.stderr
    entry = the_store().capture_file(str(ran.out / "seen"), "seen", (ran.out / "seen").stat().st_mode)
    assert isinstance(entry, TreeFile) and entry.executable
