"""Results that no action of ours can have left, sent by a server that is honest otherwise, are refused and replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.remote.protocol.naming import action_of
from loom.build.remote.protocol.wire import SharedFile, decode_result, encode_result
from loom.build.store.atomic import Json
from loom.build.store.codec import from_bytes
from tests.engine.remote.liar import Liar
from tests.engine.remote.site import assert_right_and_clean, shown
from tests.engine.remote.web import WebSite, filled


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Liar]:
    with filled(tmp_path / "first") as server:
        yield server


Entry = dict[str, Json]
FILE: Entry = {"path": "report/HTTPLog", "sha256": Digest.of(b"harbour").sha256, "size": 7, "exec": False}


def _with_path(path: str) -> Callable[[Entry], None]:
    def change(entry: Entry) -> None:
        entry["outputs"] = [{**FILE, "path": path}]

    return change


def _with_link(target: str) -> Callable[[Entry], None]:
    def change(entry: Entry) -> None:
        entry["outputs"] = [{"path": "report/link", "link": target}]

    return change


def _outputs(*rows: dict[str, Json]) -> Callable[[Entry], None]:
    return lambda entry: entry.update(outputs=list(rows))


def _set(**fields: Json) -> Callable[[Entry], None]:
    return lambda entry: entry.update(fields)


PATHS = ["../x", "/abs", "report/../../x", "C:/x", "report\\..\\x", "report/a\0b", "", ".", "report/", "other/name"]
CHANGES: dict[str, Callable[[Entry], None]] = {
    **{f"path {path!r}": _with_path(path) for path in PATHS},
    "path twice": lambda entry: entry.update(outputs=[FILE, FILE]),
    "file and folder": lambda entry: entry.update(outputs=[FILE, {**FILE, "path": "report/HTTPLog/x"}]),
    "link out": _with_link("../../../etc/passwd"),
    "link to /": _with_link("/etc/passwd"),
    "file through a link": _outputs({"path": "report/way", "link": "."}, {**FILE, "path": "report/way/HTTPLog"}),
    "link through a link": _outputs({"path": "report/a", "link": ".."}, {"path": "report/b", "link": "a/../../etc"}),
    "link to itself, and more": _outputs({"path": "report/end", "link": "end"}, {"path": "report/x", "link": "/end"}),
    "half a letter": _set(meta={"milliseconds": 1, "class": "\ud800"}),
    "link through a name": _with_link("x/../../y"),
    "no outputs": _set(outputs=[]),
    "no trees": _set(trees=[]),
    "other tree": _set(trees=[{"name": "report", "sha256": "0" * 64, "size": 3}]),
    "tree of another name": _set(trees=[{"name": "secrets", "sha256": "0" * 64, "size": 3}]),
    "other key": _set(key="f" * 64),
    "failed": _set(exit=1),
    "other preimage": _set(preimage=["0" * 64, 3]),
    "huge": lambda entry: entry.update(outputs=[{**FILE, "size": 1 << 50}]),
    "negative": lambda entry: entry.update(outputs=[{**FILE, "size": -1}]),
    "digest that is a path": lambda entry: entry.update(outputs=[{**FILE, "sha256": "../../../../etc/passwd"}]),
    "stdout that is a path": _set(stdout=["../../../../etc/passwd", 10]),
    "no digest": _set(stdout=None),
    "other schema": _set(schema="loom.result/99"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_result_that_cannot_be_is_refused(
    tmp_path: Path, server: Liar, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    for kind, name in [name for name in server.stored if name[0] == "ac"]:
        own, *files = decode_result(server.stored[kind, name])
        entry = json.loads(own.contents)
        CHANGES[change](entry)
        data = json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()
        server.stored[kind, name] = encode_result([SharedFile(own.path, Digest.of(data), data), *files])
    site = WebSite(tmp_path / "second", server)
    done = site.run()
    assert done.how == "ran"
    assert_right_and_clean(site, done)
    assert "gave a wrong result" in capsys.readouterr().err
    assert WebSite(tmp_path / "third", server).run().how == "restored"  # what was wrong has been replaced


@pytest.mark.parametrize("data", [b"", b"\xff" * 40, b"\x12\xff\xff\xff\xff\x0f", encode_result([]), b"{}" * 100])
def test_answer_that_is_no_result_is_refused(tmp_path: Path, server: Liar, data: bytes) -> None:
    for name in [name for name in server.stored if name[0] == "ac"]:
        server.stored[name] = data
    site = WebSite(tmp_path / "second", server)
    assert_right_and_clean(site, site.run())


def test_result_of_another_key_is_refused(tmp_path: Path, server: Liar) -> None:
    """Replayed as it is, under the key of an action that does something else."""
    (stolen,) = [data for (kind, _), data in server.stored.items() if kind == "ac"]
    site = WebSite(tmp_path / "second", server)
    other = "mkdir /out/report; echo other > /out/report/berth"
    server.stored["ac", action_of(site.runner.key(site.action(other))).sha256] = stolen
    assert shown(site.run(other), site.root) == {"berth": b"other\n"}


@pytest.mark.parametrize("name", ["os:system", "subprocess:Popen", "builtins:eval", "pathlib:Path"])
def test_values_from_elsewhere_make_nodes_and_nothing_else(tmp_path: Path, name: str) -> None:
    touched = tmp_path / "touched"
    data = b"loom.node/1 " + json.dumps([[name], [0, f"touch {touched}"]]).encode()
    with pytest.raises(ValueError, match="is no node"):
        from_bytes(data)
    assert not touched.exists()
