"""One machine with a store, that runs an action and shares its result; and what must be true of it afterwards."""

from __future__ import annotations

import hashlib
from pathlib import Path

from loom.build.actions.action import Action
from loom.build.actions.cached import ActionRunner, Done
from loom.build.remote.cache import RemoteCache
from loom.build.remote.places.transport import Patience, Transport
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from loom.build.store.tree import TreeFile
from tests.engine.core.bare import BareWorld, shell

SCRIPT = "mkdir /out/report; cp /in/model/name /out/report/HTTPLog; echo 'class end' > /out/report/berth; echo said"
# For a server that never ends alone: a busy machine may keep an honest one waiting as long.
HASTY = Patience(connect=5, silence=1.5, answer=3.0, slowest=1 << 20)
TOKEN = "tide-token-5d20"


class Site:
    """`log` has a line for each run."""

    def __init__(self, root: Path, transport: Transport, *, required: bool = False) -> None:
        self.root = root / "store"
        content, results = ContentStore(self.root), ResultStore(self.root)
        self.shared = RemoteCache(transport, content, results, required=required, uploads=True)
        self.log = root / "runs.log"
        world = BareWorld(self.log, isolated=True)
        self.runner = ActionRunner(content, results, world, shared=self.shared)

    def action(self, script: str = SCRIPT) -> Action:
        return shell(script, self.root)

    def run(self, script: str = SCRIPT) -> Done:
        try:
            return self.runner.run(self.action(script))
        finally:
            self.shared.close()

    def blobs(self) -> list[Path]:
        return [path for path in (self.root / "cas").rglob("*") if path.is_file()]


def shown(done: Done, root: Path) -> dict[str, bytes]:
    """The files of its output."""
    tree = done.result.tree("report")
    return {entry.path: ContentStore(root).get(entry.content) for entry in tree.entries if isinstance(entry, TreeFile)}


def assert_right_and_clean(site: Site, done: Done) -> None:
    assert shown(done, site.root) == {"HTTPLog": b"harbour", "berth": b"class end\n"}
    for blob in site.blobs():
        assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name
    assert not any((site.root / "tmp").iterdir())
