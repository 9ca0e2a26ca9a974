"""Whether what `remote` asks for can be had at all, before anything is begun.

In: a project and the environment. Out: nothing, or one SettingsError with every mistake, its place and what to do.
Never: a connection, or a library that only a connection needs.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from loom.build.project.problem import ProjectProblem, SettingsError
from loom.build.project.settings import Project
from loom.build.remote.asked import ASKED
from loom.build.remote.settings import TOKEN, VARIABLES, Remote, listed


class Lack(NamedTuple):
    """A field of `remote` that cannot be used as it is."""

    field: str
    what: str
    hint: str = ""


def refuse_unready(project: Project, environment: Mapping[str, str]) -> None:
    """SettingsError unless the shared cache and the executor could be asked."""
    if found := list(_lacks(project, environment)):
        raise _told(project, environment, found)


def _lacks(project: Project, environment: Mapping[str, str]) -> Iterator[Lack]:
    remote = project.remote
    cache = remote.cache if remote.policy != "off" else ""
    executor = remote.executor if remote.execution != "off" else ""
    if remote.execution != "off" and not executor:
        yield Lack("execution", "needs an executor", "add `executor: grpc://host:port`, or LOOM_REMOTE_EXECUTOR")
    if executor and project.sandbox == "none":
        yield Lack("executor", "runs actions in a sandbox, and `sandbox` is none", "choose another sandbox")
    for field, address in (("cache", cache), ("executor", executor)):
        if address.startswith("grpc") and importlib.util.find_spec("grpc") is None:
            yield Lack(field, "needs the package grpcio", "pip install 'loom-ddd[grpc]'")
    if cache or executor:
        yield from _unusable(project, environment, [address for address in (cache, executor) if address])


def _unusable(project: Project, environment: Mapping[str, str], addresses: list[str]) -> Iterator[Lack]:
    from loom.build.remote.credentials import bearer, tls_files

    remote, root = project.remote, project.root
    checks: list[tuple[str, Callable[[], object]]] = [
        ("token_file", partial(bearer, remote, root, environment, address)) for address in addresses
    ]
    tls = next((name for name in ("certificate", "ca", "key") if getattr(remote, name)), "")
    checks += [(tls, partial(tls_files, remote, root))] if tls else []
    for field, check in dict(checks).items():
        try:
            check()
        except ProjectProblem as problem:
            yield Lack(field, str(problem).removeprefix("remote: "))
    for name in listed(remote.trust):
        # What is in it is read when a result is to be believed: a run with nothing to do reads no key.
        # kept by tests/engine/remote/test_trust.py::test_nothing_to_do_needs_no_cryptography
        if not os.access(root / Path(name).expanduser(), os.R_OK):
            yield Lack("trust", f"{name} cannot be read as a file of public keys")


def _told(project: Project, environment: Mapping[str, str], found: list[Lack]) -> SettingsError:
    from loom.build.project.load import FILE
    from loom.build.settings import wrong_settings

    text = (project.root / FILE).read_text("utf-8-sig")
    said = {name: VARIABLES[name] for name in Remote._fields if environment.get(VARIABLES[name])}
    if environment.get(TOKEN):
        said["token_file"] = TOKEN
    if environment.get(ASKED) == "1":
        said.setdefault("execution", "--remote-exec")
    told = [(said.get(lack.field) or ("remote", lack.field), lack.what, lack.hint) for lack in found]
    return wrong_settings(text, FILE, told)
