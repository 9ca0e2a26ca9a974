"""Each probe tries to see or change what an action must not; it fails in every sandbox and works with none.

On a worker of somebody else's, too, for what it can be held to: `everywhere`.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from loom.build.sandbox.choose import choose_sandbox
from loom.build.sandbox.image import remembered_image
from loom.build.sandbox.job import Trouble
from tests.engine.world.world_kit import EVERYWHERE, ISOLATING, Kind, action, python, run, the_root, the_store, tree_of

CANARY = "seagull-7391"

isolating = pytest.mark.parametrize("kind", ISOLATING)
everywhere = pytest.mark.parametrize("kind", EVERYWHERE)


@pytest.fixture
def host_service() -> Iterator[int]:
    """A service on the host's loopback; yields its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_greet, args=(server,), daemon=True)
        thread.start()
        yield server.getsockname()[1]


def _greet(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.sendall(CANARY.encode())


def refused(kind: Kind, code: str) -> None:
    """The program fails in the sandbox, and works without one, which proves that it probes something."""
    assert python("none", code).worked, "the probe itself is broken"
    assert not python(kind, code).worked


@everywhere
def test_undeclared_input_is_not_there(kind: Kind, tmp_path: Path) -> None:
    hidden = tmp_path / "harbour class.txt"
    hidden.write_text(CANARY)
    refused(kind, f"assert open({str(hidden)!r}).read() == {CANARY!r}")


@everywhere
def test_host_service_cannot_be_called(kind: Kind, host_service: int) -> None:
    refused(
        kind,
        "import socket\n"
        f"with socket.create_connection(('127.0.0.1', {host_service}), timeout=5) as call:\n"
        f"    assert call.recv(99) == {CANARY.encode()!r}",
    )


@everywhere
def test_no_route_leads_out(kind: Kind) -> None:
    # Connecting a datagram socket asks for a route and sends nothing.
    refused(kind, "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))")


@everywhere
def test_abstract_socket_of_the_host_is_not_there(kind: Kind) -> None:
    name = f"\0loom-{os.getpid()}-{kind}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        refused(kind, f"import socket\nsocket.socket(socket.AF_UNIX).connect({name!r})")


@everywhere
def test_loopback_inside_works(kind: Kind) -> None:
    code = (
        "import socket\n"
        "server = socket.create_server(('127.0.0.1', 5432))\n"
        "socket.create_connection(('localhost', 5432), timeout=5).close()"
    )
    assert python(kind, code).worked


@everywhere
def test_host_folders_are_not_there(kind: Kind) -> None:
    home, checkout = str(Path.home()), str(Path(__file__).parents[3])
    for place in {home, checkout, str(the_store().root), "/etc/shadow", "/etc/ssh", "/boot", "/var"}:
        if Path(place).exists():
            refused(kind, f"import os\nos.stat({place!r})")


@everywhere
def test_sockets_of_host_daemons_are_not_there(kind: Kind) -> None:
    assert python(kind, "import os\nassert os.listdir('/run') == []\nassert not os.path.exists('/var/run')").worked


@everywhere
def test_users_of_the_host_are_not_shown(kind: Kind) -> None:
    refused(kind, "assert 'root' in open('/etc/passwd').read()")


@everywhere
@pytest.mark.parametrize("place", ["/in/class", "/in/class/END.txt", "/usr/seagull", "/seagull", "/etc/hosts"])
def test_read_only_places_cannot_be_written(kind: Kind, place: str) -> None:
    probe = action(
        "python3", "-c", f"import os\nopen({place!r} + ('/x' if os.path.isdir({place!r}) else ''), 'w')",
        inputs={"class": tree_of({"END.txt": "end"})},
    )  # fmt: skip
    ran = run(kind, probe)
    assert not ran.worked
    assert b"Read-only file system" in ran.exit.stderr or b"Permission denied" in ran.exit.stderr


@everywhere
def test_copied_input_can_be_written_and_the_original_cannot_change(kind: Kind) -> None:
    digest = tree_of({"app/END.py": "x = 1\n"})
    code = "open('/build/class/app/END.py', 'a').write('y = 2\\n')\nprint(open('/in/class/app/END.py').read())"
    ran = run(kind, action("python3", "-c", code, inputs={"class": digest}, copy=("class",)))
    assert ran.worked, ran.exit.stderr
    assert ran.said.strip() == "x = 1"


@everywhere
def test_canary_variable_does_not_leak(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOM_CANARY_SECRET", CANARY)
    refused(kind, f"import os\nassert os.environ['LOOM_CANARY_SECRET'] == {CANARY!r}")


@everywhere
def test_no_process_shows_the_canary(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOM_CANARY_SECRET", CANARY)
    refused(
        kind,
        "import pathlib\n"
        "seen = b''\n"
        "for place in [*pathlib.Path('/proc').glob('[0-9]*/environ'), *pathlib.Path('/proc').glob('[0-9]*/cmdline')]:\n"
        "    try: seen += place.read_bytes()\n"
        "    except OSError: pass\n"
        f"assert b'LOOM_CANARY_' + b'SECRET={CANARY}' in seen",
    )


@everywhere
def test_no_command_line_shows_a_host_path(kind: Kind) -> None:
    code = "import pathlib\nprint(*(p.read_text() for p in pathlib.Path('/proc').glob('[0-9]*/cmdline')))"
    ran = python(kind, code)
    assert ran.worked
    assert str(the_store().root) not in ran.said
    assert str(Path.home()) not in ran.said.replace("HOME=/tmp", "")


@everywhere
def test_open_files_of_the_caller_are_not_inherited(kind: Kind, tmp_path: Path) -> None:
    secret = os.open(tmp_path / "secret", os.O_CREAT | os.O_RDWR)
    os.set_inheritable(secret, True)
    try:
        code = "import os\nfound = sorted(map(int, os.listdir('/proc/self/fd')))\nassert found == [0, 1, 2, 3], found"
        ran = python(kind, code)
    finally:
        os.close(secret)
    assert ran.worked, ran.exit.stderr


@everywhere
def test_daemon_cannot_change_what_is_captured(kind: Kind) -> None:
    mark = f"{CANARY}-{kind}-{os.getpid()}"
    daemon = "import time\ntime.sleep(0.2)\nwhile True: open('/out/seen', 'a').write('x')"
    code = (
        "import os, sys, time\n"
        "stream = open('/out/seen', 'w'); stream.write('begun'); stream.flush()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        f"        os.execvp('python3', ['python3', '-c', {daemon!r}, {mark!r}])\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "time.sleep(0.1)\n"
    )
    ran = python(kind, code)
    size = (ran.out / "seen").stat().st_size
    time.sleep(0.5)
    assert ran.worked, ran.exit.stderr
    assert (ran.out / "seen").stat().st_size == size
    assert not [place for place in Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in _read(place)]


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:
        return b""


@isolating
def test_fork_bomb_hits_the_limit(kind: Kind) -> None:
    code = (
        "import os, signal, time\n"
        "made = 0\n"
        "try:\n"
        "    for made in range(400):\n"
        "        if os.fork() == 0: time.sleep(20); os._exit(0)\n"
        "except OSError:\n"
        "    print(made)\n"
        "    raise\n"
    )
    ran = python(kind, code, processes=64)
    assert not ran.worked
    assert 30 < int(ran.said) < 64


@isolating
def test_memory_limit_ends_the_action_and_says_so(kind: Kind) -> None:
    ran = python(kind, "data = [bytearray(16 << 20) for _ in range(64)]", memory=256 << 20)
    assert ran.exit.trouble is Trouble.MEMORY


def test_memory_limit_of_a_worker_is_that_of_each_process() -> None:
    """No worker is known to tell why; the program does."""
    ran = python("casd", "data = [bytearray(16 << 20) for _ in range(64)]", memory=256 << 20)
    assert ran.exit.code == 1 and b"MemoryError" in ran.exit.stderr


@everywhere
def test_time_limit_ends_everything_and_says_so(kind: Kind) -> None:
    ran = python(kind, "import subprocess\nprint('begun', flush=True)\nsubprocess.run(['sleep', '600'])", timeout=5)
    assert ran.exit.trouble is Trouble.TIMEOUT
    assert ran.said.strip() == "begun"


@everywhere
def test_user_namespaces_cannot_be_nested(kind: Kind) -> None:
    refused(kind, "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == 0")


@everywhere
def test_privileges_cannot_be_gained(kind: Kind) -> None:
    code = (
        "lines = open('/proc/self/status').read().splitlines()\n"
        "status = dict(line.split(':\\t') for line in lines if ':\\t' in line)\n"
        "assert status['NoNewPrivs'] == '1' and int(status['CapEff'], 16) == int(status['CapBnd'], 16) == 0, status"
    )
    ran = python(kind, code)
    assert ran.worked, ran.exit.stderr


@everywhere
def test_kernel_settings_cannot_be_written(kind: Kind) -> None:
    code = (
        "import os\n"
        "places = ['/proc/sysrq-trigger', *(os.path.join(f, n) for f, _, ns in os.walk('/proc/sys') for n in ns)]\n"
        "assert [place for place in places if os.access(place, os.W_OK)]"
    )
    refused(kind, code)


@everywhere
def test_there_is_no_terminal(kind: Kind) -> None:
    assert not python(kind, "open('/dev/tty')").worked


@everywhere
def test_standard_input_is_empty(kind: Kind) -> None:
    assert python(kind, "import sys\nassert sys.stdin.read() == ''").worked


@everywhere
def test_exit_code_is_that_of_the_failing_step(kind: Kind) -> None:
    assert python(kind, "raise SystemExit(41)").exit.code == 41


@everywhere
def test_words_of_a_command_are_never_read_by_a_shell(kind: Kind) -> None:
    words = ("$HOME", "`id`", "a'b\"c", "; exit 3", "two\nlines", "*", "")
    ran = run(kind, action("python3", "-c", "import sys\nprint(sys.argv[1:])", *words))
    assert ran.said.strip() == repr(list(words))


def test_container_of_a_killed_run_is_removed() -> None:
    assert python("docker", "pass").worked
    client = docker.from_env()
    image = remembered_image(the_root().folder)
    labels = {"loom.owner": "4194303 12345"}
    left = client.containers.create(image, ["/bin/true"], labels=labels, network_mode="none")
    choose_sandbox("docker")
    assert left.id not in {container.id for container in client.containers.list(all=True)}
