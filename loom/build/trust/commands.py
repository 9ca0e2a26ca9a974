"""`loom cache key new|show`: a key to sign with, and whose signatures are believed.

In: a project, words. Out: text for a person. Never: a secret key, but into the file that was asked for.
"""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Sequence
from pathlib import Path

from loom.build.project.problem import Misused
from loom.build.project.settings import Project
from loom.build.remote.settings import SIGNING_KEY, listed
from loom.build.trust.keys import PublicKey, read_keys
from loom.build.trust.secret import new_key, signing_key

USUAL = "~/.config/loom/signing-key"


def key_command(project: Project, words: Sequence[str]) -> str:
    """What a person is told; Misused for other words."""
    match words:
        case ["new"]:
            return _new(project, USUAL)
        case ["new", file] if not file.startswith("-"):
            return _new(project, file)
        case ["show"]:
            return _show(project)
        case _:
            raise Misused("cache", "key")


def _new(project: Project, file: str) -> str:
    public = new_key(project.root / Path(file).expanduser(), f"{getpass.getuser()}@{socket.gethostname()}")
    return (
        f"the secret key is in {file}: whoever has it signs as you, so never commit it\n"
        f"the public key is in {file}.pub: {public.fingerprint}\n"
        f"{public.line}\n"
        f"to sign:    `signing_key_file: {file}` in `remote:`, or its text in the variable {SIGNING_KEY}\n"
        f"to believe: a committed file that holds the line above, named by `trust: [FILE]` in `remote:`\n"
    )


def _show(project: Project) -> str:
    """Keys are public here, and named by the files that they are from."""
    remote = project.remote
    key = signing_key(remote.signing_key_file, project.root, os.environ)
    lines = [_signing(key.public, key.where) if key else "signs with: nothing; results are given unsigned"]
    files = listed(remote.trust)
    lines += [
        f"believes: {_named(one)} of {file}" for file in files for one in read_keys(project.root, [file]).values()
    ]
    lines += [] if files else ["believes: whoever may write to the cache"]
    lines += [f"gives to the namespace: {remote.namespace}"] if remote.namespace else []
    also = ", ".join(dict.fromkeys(filter(None, (remote.namespace, *listed(remote.also_read)))))
    lines += [f"believes without a signature what is in the namespaces: {also}"] if also else []
    return "".join(f"{line}\n" for line in lines)


def _signing(key: PublicKey, where: str) -> str:
    return f"signs with: {key.fingerprint} of {where}\n{key.line}"


def _named(key: PublicKey) -> str:
    return f"{key.fingerprint} {key.name}".rstrip()
