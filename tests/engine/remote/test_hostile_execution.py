"""Whatever a server says of an action that it was asked to run, a build gives the right result, in time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.actions.cached import ActionFailed
from loom.build.project.problem import ProjectProblem
from loom.build.remote.protocol import execution
from loom.build.remote.protocol.wire import WireError, fields, message, number
from tests.engine.remote.talker import Talker
from tests.engine.remote.worker import (
    Employer,
    Report,
    assert_right,
    begun,
    file,
    folder,
    heard,
    honest,
    kept,
    node,
    says,
    tree,
)


def test_honest_server_is_believed(tmp_path: Path, server: Talker) -> None:
    employer = Employer(tmp_path / "one", server)
    done = employer.run()
    assert done.how == "remote" and employer.ran_here == 0
    assert_right(employer, done)
    assert employer.runner.run(employer.action()).how == "restored"


def test_action_carries_its_key_and_asks_for_a_run_that_nobody_remembers(tmp_path: Path, server: Talker) -> None:
    asked: list[bytes] = []
    server.executes = heard(asked, says(honest(server).operation()))
    employer = Employer(tmp_path / "one", server)
    employer.run()
    (request,) = asked
    assert (3, 1) in fields(request)
    key = (9, employer.runner.key(employer.action()).encode())
    (action,) = [found for data in server.blobs.values() if key in (found := _read(data))]
    assert (7, 1) in action


def _read(data: bytes) -> list[tuple[int, int | bytes]]:
    try:
        return list(fields(data))
    except WireError:
        return []


Lie = Callable[[Talker, Report], Report]


def _folder(make: Callable[[Talker], Digest]) -> Lie:
    return lambda server, report: report._replace(folders=(folder("out/report", make(server)),))


def _more(*files: tuple[str, bytes]) -> Lie:
    def lie(server: Talker, report: Report) -> Report:
        return report._replace(files=(*report.files, *(file(path, kept(server, data)) for path, data in files)))

    return lie


def _link(target: str) -> Lie:
    return _folder(lambda server: tree(server, links=message(1, b"end") + message(2, target.encode())))


def _named(name: str) -> Lie:
    return _folder(lambda server: tree(server, files=node(name, kept(server, b"class"))))


def _without_step(server: Talker, report: Report) -> Report:
    return report._replace(files=())


def _damaged_blob(server: Talker, report: Report) -> Report:
    server.blobs[Digest.of(b"class end\n")] = b"class fin\n"
    return report


def _bomb(server: Talker) -> Digest:
    """Few messages that stand for more folders than there are atoms."""
    last, children = b"", b""
    for _ in range(60):
        digest = Digest.of(last)
        children += message(2, last)
        last = b"".join(message(2, node(name, digest)) for name in ("a", "b"))
    return kept(server, message(1, last) + children)


def _deep(server: Talker, name: str, folders: int) -> Digest:
    """One file below so many folders."""
    last, children = message(1, node("end", kept(server, b"class"))), b""
    for _ in range(folders):
        children += message(2, last)
        last = message(2, node(name, Digest.of(last)))
    return kept(server, message(1, last) + children)


OUTCOMES: dict[str, Lie] = {
    "undeclared output": _more(("out/class", b"end")),
    "undeclared output beside": _more(("in/model/name", b"end")),
    "path that climbs": _more(("out/report/../../end", b"end")),
    "absolute path": _more(("/etc/passwd", b"end")),
    "path twice": _more(("out/report", b"end")),
    "output that is damaged": _damaged_blob,
    "name that climbs": _named(".."),
    "name that is a path": _named("../../end"),
    "empty name": _named(""),
    "name with a backslash": _named("a\\b"),
    "link that leads out": _link("../../../etc/passwd"),
    "absolute link": _link("/etc/passwd"),
    "link through a name": _link("a/../../.."),
    "folder that is not there": _folder(
        lambda server: tree(server, folders=node("berth", Digest.of(b"nobody has this")))
    ),
    "folders without end": _folder(_bomb),
    "folders deeper than any": _folder(lambda server: _deep(server, "a", 400)),
    "folders deeper than a stack": _folder(lambda server: _deep(server, "a", 2000)),
    "path longer than any": _folder(lambda server: _deep(server, "class" * 40, 30)),
    "name longer than any": _named("é" * 128),
    "link longer than any": _link("/".join(["HTTPServer"] * 300)),
    "tree that is garbled": _folder(lambda server: kept(server, b"\xff" * 40)),
    "result that is garbled": lambda server, report: report._replace(rest=b"\x12\xff\xff\xff\xff\x0f"),
    "two spellings of a name": _folder(
        lambda server: kept(
            server, message(1, b"".join(message(1, node(name, Digest.of(b"harbour"))) for name in ("end", "END")))
        )
    ),
    "huge output": lambda server, report: report._replace(
        files=(*report.files, file("out/report/x", Digest("a" * 64, 1 << 40)))
    ),
    "success before the last step": _without_step,
    "success at another step": lambda server, report: report._replace(
        files=(file("out/.loom-step", kept(server, b"class\n")),)
    ),
    "endless name of a step": lambda server, report: report._replace(
        files=(file("out/.loom-step", kept(server, b"only\n" * 1000)),)
    ),
    "remembered failure": lambda server, report: report._replace(code=1, cached=True),
    "success with a failed status": lambda server, report: report._replace(status=3),
    "failure of its own sandbox": lambda server, report: Report((), (), code=1),
    "time that ran out at once": lambda server, report: report._replace(status=4),
}


@pytest.mark.parametrize("lie", OUTCOMES)
def test_lie_about_an_action_leaves_it_to_the_local_sandbox(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str], lie: str
) -> None:
    server.executes = says(begun(), OUTCOMES[lie](server, honest(server)).operation())
    employer = Employer(tmp_path / "one", server)
    done = employer.run()
    assert done.how == "ran" and employer.ran_here == 1
    assert_right(employer, done)
    assert capsys.readouterr().err.count("WARNING") == 1


def test_words_of_a_server_do_nothing_to_a_terminal(
    tmp_path: Path, server: Talker, capsys: pytest.CaptureFixture[str]
) -> None:
    server.executes = says(_link("/\x1b[2J\r\nWARNING: class")(server, honest(server)).operation())
    assert Employer(tmp_path / "one", server).run().how == "ran"
    said = capsys.readouterr().err
    assert "/?[2J??WARNING" in said and said.count("\n") == 1 and "\x1b" not in said


@pytest.mark.parametrize("lie", ["undeclared output", "success before the last step", "remembered failure"])
def test_lie_to_who_requires_the_executor_is_an_error(tmp_path: Path, server: Talker, lie: str) -> None:
    server.executes = says(begun(), OUTCOMES[lie](server, honest(server)).operation())
    employer = Employer(tmp_path / "one", server, required=True)
    with pytest.raises(ProjectProblem, match=r"gave a wrong result for test/shell, which is not used.*it is required"):
        employer.run()
    assert employer.ran_here == 0 and employer.runner.known(employer.action()) is None


def test_link_that_stays_inside_and_programs_come_as_they_are(tmp_path: Path, server: Talker) -> None:
    entry = node("end", kept(server, b"class")) + number(4, 1)
    whole = tree(server, files=entry, links=message(1, b"HTTPServer") + message(2, b"end"))
    server.executes = says(honest(server)._replace(folders=(folder("out/report", whole),)).operation())
    entries = Employer(tmp_path / "one", server).run().result.tree("report").entries
    assert [(entry.path, getattr(entry, "target", ""), getattr(entry, "executable", None)) for entry in entries] == [
        ("HTTPServer", "end", None),
        ("end", "", True),
    ]


def test_failure_is_told_and_never_kept(tmp_path: Path, server: Talker) -> None:
    """With the outputs of a success, so that nothing but the exit code tells."""
    server.executes = says(honest(server)._replace(code=3).operation())
    employer = Employer(tmp_path / "one", server)
    for _ in range(2):
        with pytest.raises(ActionFailed, match=rf"test/shell, step `only`: exit code 3 \(at {server.address}\)"):
            employer.runner.run(employer.action())
    assert employer.ran_here == 0 and server.count(execution.EXECUTE) == 2
    assert employer.runner.known(employer.action()) is None
    employer.executor.close()


def test_output_that_is_left_out_is_a_failure(tmp_path: Path, server: Talker) -> None:
    server.executes = says(honest(server)._replace(folders=()).operation())
    with pytest.raises(ActionFailed, match="succeeded without leaving /out/report"):
        Employer(tmp_path / "one", server).run()
