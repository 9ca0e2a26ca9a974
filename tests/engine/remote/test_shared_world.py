"""Caches as they are in a long life: restarted, written by two at once, with clocks that differ."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from loom.base import Digest
from loom.build.remote.credentials import Credentials
from loom.build.remote.places.folder import FolderTransport
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.places.http import HttpTransport
from loom.build.remote.places.transport import RemoteAbsent, RemoteFailed, Transport
from tests.engine.remote.casd import casd
from tests.engine.remote.nginx import nginx
from tests.engine.remote.site import SCRIPT, Site, assert_right_and_clean, shown
from tests.kit.ports import free_port

Engine = Callable[[Path, int], AbstractContextManager[str]]


@contextmanager
def web(root: Path, port: int) -> Iterator[str]:
    with nginx(root, port) as server:
        yield server.address


ENGINES: dict[str, Engine] = {"nginx": web, "casd": casd}


def transport(address: str) -> Transport:
    return GrpcTransport(address, "", None) if address.startswith("grpc") else HttpTransport(address, Credentials())


@pytest.mark.parametrize("engine", ENGINES)
def test_server_that_restarts_during_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    """What it had is there again, what was made meanwhile was made here, and what comes later is given again."""
    run, port = ENGINES[engine], free_port()
    with run(tmp_path / "engine", port) as address:
        line = transport(address)
        first = Site(tmp_path / "first", line)
        assert first.runner.run(first.action(f"{SCRIPT} early")).how == "ran"
        _until_shared(tmp_path, address, "early")
    assert first.runner.run(first.action(f"{SCRIPT} meanwhile")).how == "ran"
    with run(tmp_path / "engine", port) as address:
        _until_heard(line)
        assert first.run(f"{SCRIPT} late").how == "ran"
        for number, word in enumerate(("early", "late")):
            other = Site(tmp_path / f"other{number}", transport(address))
            done = other.run(f"{SCRIPT} {word}")
            assert done.how == "restored"
            assert_right_and_clean(other, done)
    assert capsys.readouterr().err.count("WARNING") == 1


def _until_shared(root: Path, address: str, word: str) -> None:
    """Giving goes on in the background."""
    for number in range(200):
        other = Site(root / f"probe{number}", transport(address))
        other.shared.push = lambda key: None  # type: ignore[method-assign] # it only looks
        if other.run(f"{SCRIPT} {word}").how == "restored":
            return
        time.sleep(0.1)
    raise AssertionError("nothing was given")


def _until_heard(line: Transport) -> None:
    for _ in range(300):
        try:
            line.result(Digest("0" * 64, 66))
        except RemoteAbsent:
            return
        except RemoteFailed:
            time.sleep(0.1)
    raise AssertionError("the server is not found again")


NEVER_THE_SAME = "mkdir /out/report; head -c 40000 /dev/urandom | tee /out/report/HTTPLog > /out/report/berth"


@pytest.mark.parametrize("engine", [*ENGINES, "folder"])
def test_two_machines_that_write_one_key_at_once(tmp_path: Path, engine: str) -> None:
    """Each keeps its own result, and whoever comes later has one of the two, whole: never some of each."""
    share = tmp_path / "engine"
    if engine == "folder":
        share.mkdir()
        _race(tmp_path, lambda: FolderTransport(str(share)))
    else:
        with ENGINES[engine](share, free_port()) as address:
            _race(tmp_path, lambda: transport(address))


def _race(root: Path, line: Callable[[], Transport]) -> None:
    for attempt in range(5):
        script = f"{NEVER_THE_SAME}; : {attempt}"
        sites = [Site(root / f"{attempt}-{name}", line(), required=True) for name in ("one", "two")]
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(Site.run, sites, [script] * 2))
        made = [shown(each, site.root) for each, site in zip(done, sites, strict=True)]
        third = Site(root / f"{attempt}-three", line())
        later = third.run(script)
        found = shown(later, third.root)
        assert later.how == "restored" and found in made and found["HTTPLog"] == found["berth"]


@pytest.mark.parametrize("years", [-40, 40])
def test_clocks_that_differ_decide_nothing(tmp_path: Path, years: int) -> None:
    """A share whose files are from another time is as good as any."""
    share = tmp_path / "share"
    share.mkdir()
    Site(tmp_path / "first", FolderTransport(str(share))).run()
    when = time.time() + years * 31_557_600
    for path in share.rglob("*"):
        os.utime(path, (when, when))
    for name in ("second", "third"):
        other = Site(tmp_path / name, FolderTransport(str(share)))
        done = other.run()
        assert done.how == "restored"
        assert_right_and_clean(other, done)


def _certificate(root: Path, *, start: int, end: int) -> str:
    """For nginx: of 127.0.0.1, signed by itself, good between these days from now."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Harbour HTTP class")])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now + timedelta(days=start)).not_valid_after(now + timedelta(days=end))
    here = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    signed = made.add_extension(here, critical=False).sign(key, hashes.SHA256())
    (root / "server.pem").write_bytes(signed.public_bytes(Encoding.PEM))
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (root / "server.key").write_bytes(secret)
    return f"ssl_certificate '{root}/server.pem'; ssl_certificate_key '{root}/server.key';"


@pytest.mark.parametrize(("start", "end", "good"), [(-2, 2, True), (-20, -2, False), (2, 20, False)])
def test_certificate_of_another_time_is_not_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: int, end: int, good: bool
) -> None:
    certificates = _certificate(tmp_path, start=start, end=end)
    with nginx(tmp_path / "engine", certificates=certificates) as server:
        tls = ssl.create_default_context(cafile=tmp_path / "server.pem")
        for name, how in (("first", "ran"), ("second", "restored" if good else "ran")):
            site = Site(tmp_path / name, HttpTransport(server.address, Credentials(tls=tls)))
            assert site.run().how == how
        assert bool(server.files("ac")) == good
    said = capsys.readouterr().err
    assert said.count("has a certificate that is not accepted") == (0 if good else 2)
