"""The shared cache that a project asks for, and the executor.

In: a project and its stores. Out: each, or None where there is none. Never: a connection before it is used.
"""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from loom.build.project.problem import ProjectProblem
from loom.build.project.settings import Project
from loom.build.remote.cache import RemoteCache
from loom.build.remote.places.transport import Transport
from loom.build.remote.settings import uploads
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from loom.build.trust.policy import trust_of

if TYPE_CHECKING:
    from loom.build.remote.execution.executor import Executor
    from loom.build.remote.places.grpc import GrpcTransport


def remote_cache(project: Project, content: ContentStore, results: ResultStore) -> RemoteCache | None:
    remote = project.remote
    if not remote.cache or remote.policy == "off":
        return None
    required = remote.policy == "required"
    trust = trust_of(remote, project.root, os.environ)
    gives = uploads(remote, os.environ)
    return RemoteCache(_transport(project), content, results, required=required, uploads=gives, trust=trust)


def executor(project: Project, content: ContentStore, here: int) -> Executor | None:
    """`here` is how many actions may run locally at once all the same.

    What it needs is there: `ready` has looked.
    """
    remote = project.remote
    if remote.execution == "off":
        return None
    transport = _grpc(project, remote.executor)
    from loom.build.remote.execution.executor import Executor
    from loom.build.remote.execution.terms import Terms

    terms = Terms(remote.execution == "required", remote.at_once, remote.properties)
    return Executor(transport, content, terms, here)


def _transport(project: Project) -> Transport:
    parts = urlsplit(project.remote.cache)
    if parts.scheme == "file":
        from loom.build.remote.places.folder import FolderTransport

        return FolderTransport(unquote(parts.path))
    if parts.scheme in ("grpc", "grpcs"):
        return _grpc(project, project.remote.cache)
    from loom.build.remote.credentials import credentials
    from loom.build.remote.places.http import HttpTransport

    return HttpTransport(project.remote.cache, credentials(project.remote, project.root, os.environ))


def _grpc(project: Project, address: str) -> GrpcTransport:
    from loom.build.remote.credentials import bearer, is_private, tls_files

    if importlib.util.find_spec("grpc") is None:
        raise ProjectProblem("remote: grpc:// needs the package grpcio: pip install 'loom-ddd[grpc]'")
    from loom.build.remote.places.grpc import GrpcTransport

    remote = project.remote
    token = bearer(remote, project.root, os.environ, address)
    return GrpcTransport(address, token, tls_files(remote, project.root) if is_private(address) else None)
