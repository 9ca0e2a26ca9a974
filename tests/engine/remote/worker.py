"""One machine that has its actions run by a server that does as it is told; nothing of it really runs there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from loom.base import Digest
from loom.build.actions.action import Action
from loom.build.actions.cached import ActionRunner, Done
from loom.build.remote.execution.executor import Executor
from loom.build.remote.execution.terms import Terms
from loom.build.remote.places.executing import Waits
from loom.build.remote.places.grpc import GrpcTransport
from loom.build.remote.places.transport import PATIENCE, Patience
from loom.build.remote.protocol.wire import encode_digest, message, number
from loom.build.store.content import ContentStore
from loom.build.store.results import ResultStore
from tests.engine.core.bare import BareWorld, shell
from tests.engine.remote.cable import Cable
from tests.engine.remote.site import SCRIPT, shown
from tests.engine.remote.talker import Context, Talker

RIGHT = {"HTTPLog": b"harbour", "berth": b"class end\n"}
"""What the action leaves, wherever it runs."""
NAME = "operations/HTTPLog end"
# An action that never ends is given up after its time and this.
SOON = Waits(pauses=(0.01, 0.01, 0.01), queue=1.0)


class RootedWorld(BareWorld):
    """Its root has no more than what a request looks for."""

    def __init__(self, log: Path, root: Path) -> None:
        super().__init__(log, isolated=True)
        self._folder = root
        (root / "usr/lib").mkdir(parents=True)
        (root / "usr/lib/ld-linux-class.so.2").write_text("loads programs")
        (root / "out").mkdir()

    def root(self, identity: str) -> Path:
        return self._folder


class Employer:
    """`log` has a line for each action that ran on the machine itself."""

    def __init__(
        self, root: Path, server: Talker | Cable, *, required: bool = False, patience: Patience = PATIENCE
    ) -> None:
        self.root = root / "store"
        root.mkdir(parents=True)
        self.content, self.results = ContentStore(self.root), ResultStore(self.root)
        transport = GrpcTransport(server.address, "", None, patience)
        self.executor = Executor(transport, self.content, Terms(required, 2, {"OSFamily": "linux"}), waits=SOON)
        self.log = root / "runs.log"
        world = RootedWorld(self.log, root / "root")
        self.runner = ActionRunner(self.content, self.results, world, elsewhere=self.executor)

    def action(self, script: str = SCRIPT) -> Action:
        return shell(script, self.root).model_copy(update={"timeout": 2})

    def run(self, script: str = SCRIPT) -> Done:
        try:
            return self.runner.run(self.action(script))
        finally:
            self.executor.close()

    @property
    def ran_here(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


class Report(NamedTuple):
    """What a worker says that it left; `files` and `folders` are fields of an ActionResult."""

    files: tuple[bytes, ...]
    folders: tuple[bytes, ...]
    code: int = 0
    status: int = 0
    cached: bool = False
    rest: bytes = b""

    def operation(self) -> bytes:
        result = b"".join(message(2, file) for file in self.files)
        result += b"".join(message(3, folder) for folder in self.folders) + number(4, self.code) + self.rest
        response = message(1, result) + number(2, int(self.cached)) + message(3, number(1, self.status))
        return message(1, NAME.encode()) + number(3, 1) + message(5, message(2, response))


def begun() -> bytes:
    return message(1, NAME.encode())


def file(path: str, digest: Digest, *, executable: bool = False) -> bytes:
    return message(1, path.encode()) + message(2, encode_digest(digest)) + number(4, int(executable))


def folder(path: str, tree: Digest) -> bytes:
    return message(1, path.encode()) + message(3, encode_digest(tree))


def kept(server: Talker, data: bytes) -> Digest:
    """A blob that the server has."""
    digest = Digest.of(data)
    server.blobs[digest] = data
    return digest


def node(name: str, digest: Digest) -> bytes:
    return message(1, name.encode()) + message(2, encode_digest(digest))


def tree(server: Talker, *, files: bytes = b"", folders: bytes = b"", links: bytes = b"", rest: bytes = b"") -> Digest:
    """The message Tree of a folder with these nodes."""
    parts = ((1, files), (2, folders), (3, links))
    return kept(server, message(1, b"".join(message(field, part) for field, part in parts if part)) + rest)


def honest(server: Talker) -> Report:
    """What SCRIPT leaves."""
    berth, log = (node(name, kept(server, data)) for name, data in (("berth", b"class end\n"), ("HTTPLog", b"harbour")))
    whole = kept(server, message(1, message(1, log) + message(1, berth)))
    step = kept(server, b"only\n")
    said = message(6, encode_digest(kept(server, b"said\n")))
    return Report((file("out/.loom-step", step),), (folder("out/report", whole),), rest=said)


Answer = Callable[[str, bytes, Context], Iterator[bytes]]


def says(*answers: bytes) -> Answer:
    return lambda method, request, context: iter(answers)


def heard(asked: list[bytes], answer: Answer) -> Answer:
    """The same answer; `asked` gets the requests."""

    def answering(method: str, request: bytes, context: Context) -> Iterator[bytes]:
        asked.append(request)
        return answer(method, request, context)

    return answering


def assert_right(employer: Employer, done: Done) -> None:
    """That is what came of it, and nothing is left lying about."""
    assert shown(done, employer.root) == RIGHT and done.stdout == b"said\n"
    assert not any((employer.root / "work").iterdir()) and not any((employer.root / "tmp").iterdir())
