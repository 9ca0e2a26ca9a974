"""A second checkout with an empty store takes everything from the cache of the first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.build.remote.protocol.naming import action_of
from loom.build.remote.protocol.wire import decode_result
from loom.build.sandbox.bare import Bare
from loom.build.sandbox.job import Job
from tests.engine.core.bare import BareWorld, shell
from tests.engine.remote.doors import GUARD, TOKEN, let_in, papers_signed, tls_of
from tests.engine.remote.nginx import Nginx, nginx
from tests.engine.remote.two_machines import Machine
from tests.kit.ports import free_port


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Nginx]:
    with nginx(tmp_path / "web") as server:
        yield server


def kinds(marks: dict[str, str]) -> set[str]:
    return set(marks.values())


@pytest.mark.parametrize("kind", ["folder", "nginx"])
def test_second_machine_compiles_and_emits_nothing(tmp_path: Path, web: Nginx, kind: str) -> None:
    (tmp_path / "share").mkdir()
    cache = web.address if kind == "nginx" else f"file://{tmp_path}/share"
    first, second = Machine(tmp_path / "one", cache), Machine(tmp_path / "two", cache)
    assert kinds(first.doit().marks) == {"ran"}
    assert kinds(second.doit().marks) == {"restored"}
    assert second.output() == first.output()
    assert kinds(second.doit().marks) == {"kept"}


def test_several_workers_share_as_one_does(tmp_path: Path, web: Nginx) -> None:
    first, second = Machine(tmp_path / "one", web.address), Machine(tmp_path / "two", web.address)
    assert kinds(first.doit("-n", "3").marks) == {"ran"}
    done = second.doit("-n", "3")
    assert kinds(done.marks) == {"restored"} and "WARNING" not in done.text


def test_one_line_in_loom_yaml_is_enough(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    for name, wanted in (("one", "ran"), ("two", "restored")):
        machine = Machine(tmp_path / name, "")
        settings = machine.root / "loom.yaml"
        settings.write_text(f"{settings.read_text()}remote: {{cache: 'file://{tmp_path}/share', upload: always}}\n")
        del machine.environment["LOOM_REMOTE_CACHE"], machine.environment["LOOM_REMOTE_UPLOAD"]
        assert kinds(machine.doit().marks) == {wanted}


def test_change_on_one_machine_costs_the_other_nothing(tmp_path: Path, web: Nginx) -> None:
    first, second = Machine(tmp_path / "one", web.address), Machine(tmp_path / "two", web.address)
    for machine in (first, second):
        machine.doit()
        machine.write("quay", "context QuayHTTPLog\nneap tide class ebb\n")
    assert "ran" in kinds(first.doit().marks)
    assert kinds(second.doit().marks) == {"restored", "kept"}


def test_results_go_after_all_that_they_name(tmp_path: Path, web: Nginx) -> None:
    Machine(tmp_path / "one", web.address).doit()
    for name, data in web.files("ac").items():
        own = decode_result(data)[0]
        assert action_of(json.loads(own.contents)["key"]).sha256 == name
        order = web.requests()
        there = order.index(f"PUT /shared/ac/{name} 201")
        for file in decode_result(data):
            assert order.index(f"PUT /shared/cas/{file.digest.sha256} 201") < there


def test_bytes_that_are_there_are_not_sent_again(tmp_path: Path, web: Nginx) -> None:
    Machine(tmp_path / "one", web.address).doit()
    puts = [line for line in web.requests() if line.startswith("PUT /shared/cas")]
    Machine(tmp_path / "two", web.address, LOOM_CACHE="write").doit()
    again = [line for line in web.requests() if line.startswith("PUT /shared/cas")]
    assert again == puts


@pytest.mark.parametrize("harm", ["cut", "turned", "lost"])
def test_damaged_blob_is_a_miss_and_heals_for_everybody(tmp_path: Path, web: Nginx, harm: str) -> None:
    first = Machine(tmp_path / "one", web.address)
    first.doit()
    for name, data in web.files("cas").items():
        place = web.file("cas", name)
        place.unlink()
        if harm != "lost":
            place.write_bytes(data[:-1] if harm == "cut" else data[:-1] + b"~")
    second = Machine(tmp_path / "two", web.address)
    done = second.doit()
    assert kinds(done.marks) == {"ran"} and second.output() == first.output()
    assert done.text.count("WARNING") == (0 if harm == "lost" else 1)
    third = Machine(tmp_path / "three", web.address)
    assert kinds(third.doit().marks) == {"restored"}


@pytest.mark.parametrize(
    ("upload", "ci", "sent"), [("never", "true", False), ("ci", "true", True), ("ci", "", False), ("always", "", True)]
)
def test_who_may_give_results(tmp_path: Path, web: Nginx, upload: str, ci: str, sent: bool) -> None:
    machine = Machine(tmp_path / "one", web.address)
    machine.environment |= {"LOOM_REMOTE_UPLOAD": upload, "CI": ci}
    machine.doit()
    assert bool(web.files("ac")) == sent


def test_a_new_cache_is_filled_by_doing_all_anew_and_by_nothing_less(tmp_path: Path, web: Nginx) -> None:
    first = Machine(tmp_path / "one", "")
    first.doit()
    first.environment["LOOM_REMOTE_CACHE"] = web.address
    first.doit("forget", "generate")
    first.doit()
    assert web.files("ac") == {}
    first.doit("run", "-a")
    assert kinds(Machine(tmp_path / "two", web.address).doit().marks) == {"restored"}


def test_who_refuses_what_it_is_given_is_still_asked(tmp_path: Path, web: Nginx) -> None:
    Machine(tmp_path / "one", web.address).doit()
    (web.root / "files").rename(tmp_path / "files")
    with nginx(tmp_path / "closed", guard="limit_except GET { deny all; }") as closed:
        (tmp_path / "files").rename(closed.root / "files")
        second = Machine(tmp_path / "two", closed.address)
        second.write("quay", "context QuayHTTPLog\nspring tide class\n")
        done = second.doit()
    assert kinds(done.marks) == {"ran", "restored"}
    warnings = [line for line in done.text.splitlines() if "WARNING" in line]
    assert warnings == [f"WARNING: the shared cache {closed.address} refuses (403); going on without giving it results"]


def test_policy_off_asks_nobody(tmp_path: Path, web: Nginx) -> None:
    Machine(tmp_path / "one", web.address, LOOM_REMOTE_POLICY="off").doit()
    assert web.requests() == []


def test_nobody_there_is_one_warning_and_no_harm(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", f"http://127.0.0.1:{free_port()}")
    done = machine.doit()
    assert kinds(done.marks) == {"ran"}
    assert done.text.count("WARNING: the shared cache") == 1 and "going on without it" in done.text


def test_nobody_there_ends_a_run_that_requires_it(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", f"http://127.0.0.1:{free_port()}", LOOM_REMOTE_POLICY="required")
    done = machine.doit(code=None)
    assert done.code != 0 and "cannot be reached" in done.text and "it is required" in done.text


def test_folder_that_is_not_mounted_is_no_cache(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", f"file://{tmp_path}/share")
    told = "is a folder that is not there (make it, or mount it); going on without it"
    assert f"WARNING: the shared cache file://{tmp_path}/share {told}\n" in machine.doit().text
    assert not (tmp_path / "share").exists()


def test_nothing_that_ran_without_a_sandbox_is_shared(tmp_path: Path, web: Nginx) -> None:
    from loom.build.actions.cached import ActionRunner
    from loom.build.remote.cache import RemoteCache
    from loom.build.remote.credentials import Credentials
    from loom.build.remote.places.http import HttpTransport
    from loom.build.store.content import ContentStore
    from loom.build.store.results import ResultStore

    for isolated in (False, True):
        root = tmp_path / f"store{isolated}"
        content, results = ContentStore(root), ResultStore(root)
        transport = HttpTransport(web.address, Credentials())
        shared = RemoteCache(transport, content, results, required=True, uploads=True)
        world = BareWorld(tmp_path / "log", isolated=isolated)
        ActionRunner(content, results, world, shared=shared).run(shell("cp /in/model/name /out/report", root))
        assert len(web.files("ac")) == isolated


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return papers_signed(tmp_path_factory.mktemp("papers"))


@pytest.fixture
def guarded(tmp_path: Path, papers: Path) -> Iterator[Nginx]:
    """Wants a certificate of the authority and the token."""
    with nginx(tmp_path / "guarded", certificates=tls_of(papers), guard=GUARD) as server:
        yield server


@pytest.mark.parametrize("token", ["TOKEN", "TOKEN_FILE"])
def test_certificates_and_token_open_the_door_and_are_seen_nowhere(
    tmp_path: Path, guarded: Nginx, papers: Path, token: str
) -> None:
    first = let_in(Machine(tmp_path / "one", guarded.address), papers, token=token)
    second = let_in(Machine(tmp_path / "two", guarded.address), papers, token=token)
    texts = [first.doit().text, second.doit().text]
    assert kinds(second.doit("-a").marks) == {"ran"}
    assert all("WARNING" not in text for text in texts) and texts[1].count("=  ") == 9
    for folder in (tmp_path / "one", tmp_path / "two", guarded.root / "files"):
        for path in folder.rglob("*"):
            assert not path.is_file() or path.name == "token" or TOKEN.encode() not in path.read_bytes(), path
    assert all(TOKEN not in text for text in texts)


@pytest.mark.parametrize(
    ("missing", "why"),
    [("CA", "certificate that is not accepted"), ("TOKEN_FILE", "refuses (403)"), ("CERTIFICATE", "answers 400")],
)
def test_without_one_of_them_the_build_goes_on_alone(
    tmp_path: Path, guarded: Nginx, papers: Path, missing: str, why: str
) -> None:
    machine = let_in(Machine(tmp_path / "one", guarded.address), papers, leave_out=missing)
    done = machine.doit()
    assert kinds(done.marks) == {"ran"} and why in done.text and TOKEN not in done.text
    assert done.text.count("WARNING") == 1 and not guarded.files("ac")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"CACHE": "ftp://tide.example/x"}, "must be file:///folder, http(s)://host or grpc(s)://host"),
        ({"CACHE": "https://me:tide-token-93f1c2@tide.example"}, "must not hold a password"),
        ({"CACHE": "file:share"}, "must be file:/// and an absolute folder"),
        ({"CACHE": "http://tide.example", "TOKEN": TOKEN}, "over https:// and grpcs:// alone"),
        ({"CACHE": "https://tide.example", "TOKEN": f"{TOKEN}\nX: y"}, "a character that no token has"),
        ({"CACHE": "https://tide.example", "TOKEN_FILE": "absent"}, "absent cannot be read as a token"),
        ({"CACHE": "https://tide.example", "CERTIFICATE": "absent.pem"}, "absent.pem cannot be used for TLS"),
        ({"CACHE": "https://tide.example", "KEY": "absent.key"}, "the key absent.key needs its `certificate`"),
        ({"CACHE": "grpcs://tide.example", "KEY": "absent.key"}, "the key absent.key needs its `certificate`"),
        ({"CACHE": "grpcs://tide.example", "CERTIFICATE": "loom.yaml"}, "loom.yaml cannot be used for TLS"),
        ({"CACHE": "grpc://tide.example", "TOKEN": TOKEN}, "over https:// and grpcs:// alone"),
        ({"CACHE": "http://tide.example", "POLICY": "maybe"}, "`maybe` is not one of auto, required, off"),
    ],
)
def test_mistake_in_the_settings_is_one_line_without_a_secret(tmp_path: Path, given: dict[str, str], why: str) -> None:
    machine = Machine(tmp_path / "one", "")
    machine.environment |= {f"LOOM_REMOTE_{name}": value for name, value in given.items()}
    done = machine.doit(code=None)
    assert done.code != 0 and why in done.text and TOKEN not in done.text


def test_action_without_a_sandbox_does_not_see_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees the host's environment otherwise, which is what `none` says."""
    monkeypatch.setenv("LOOM_REMOTE_TOKEN", TOKEN)
    monkeypatch.setenv("LOOM_TIDE_TABLE", "spring")
    places = [tmp_path / name for name in ("out", "scratch")]
    for place in places:
        place.mkdir()
    job = Job(shell("env", tmp_path / "store"), Path("/"), "none", {}, *places)
    said = Bare().run(job).stdout.decode()
    assert "LOOM_TIDE_TABLE=spring" in said and TOKEN not in said
