"""A machine that shares over HTTP, and a server that an honest one has filled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from loom.build.remote.credentials import Credentials
from loom.build.remote.places.http import HttpTransport
from loom.build.remote.places.transport import PATIENCE, Patience
from tests.engine.remote.liar import Liar, liar
from tests.engine.remote.site import TOKEN, Site


class WebSite(Site):
    """Shares through a server that speaks HTTP."""

    def __init__(self, root: Path, server: Liar, *, required: bool = False, patience: Patience = PATIENCE) -> None:
        super().__init__(root, HttpTransport(server.address, Credentials(TOKEN), patience), required=required)


@contextlib.contextmanager
def filled(root: Path) -> Iterator[Liar]:
    """Warm: an honest machine was here."""
    with liar() as server:
        assert WebSite(root, server).run().how == "ran"
        yield server
