"""A door that wants to see a client's certificate and a token, and a machine that has both."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.engine.remote.two_machines import Machine

TOKEN = "tide-token-93f1c2"
GUARD = f'if ($http_authorization != "Bearer {TOKEN}") {{ return 403; }}'


def papers_signed(root: Path) -> Path:
    """An authority, a server of 127.0.0.1 and a client that it vouches for."""
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    authority = [*make, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Harbour Office"]
    subprocess.run(authority, cwd=root, check=True, capture_output=True)
    for name in ("server", "client"):
        signed = [*make, "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", f"{name}.key", "-out", f"{name}.pem"]
        words = [*signed, "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
        subprocess.run(words, cwd=root, check=True, capture_output=True)
    return root


def tls_of(papers: Path) -> str:
    """For nginx: shows the server's certificate, wants a client's."""
    return (
        f"ssl_certificate '{papers}/server.pem'; ssl_certificate_key '{papers}/server.key';"
        f"ssl_client_certificate '{papers}/ca.pem'; ssl_verify_client on;"
    )


def let_in(machine: Machine, papers: Path, *, leave_out: str = "", token: str = "TOKEN_FILE") -> Machine:
    """`token` is the setting that has it: its name, or the file in which it lies."""
    if token == "TOKEN_FILE":
        (machine.root / "token").write_text(f"{TOKEN}\n")
    given = {"CA": f"{papers}/ca.pem", "CERTIFICATE": f"{papers}/client.pem", "KEY": f"{papers}/client.key"}
    given[token] = "token" if token == "TOKEN_FILE" else TOKEN
    left_out = {leave_out, "KEY" if leave_out == "CERTIFICATE" else ""}
    machine.environment |= {f"LOOM_REMOTE_{name}": value for name, value in given.items() if name not in left_out}
    return machine
