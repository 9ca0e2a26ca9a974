"""Whose results are believed: signatures, namespaces of low trust, and keys that are seen by nobody."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.base import Digest
from loom.build.remote.protocol.naming import action_of
from loom.build.remote.protocol.wire import decode_result, encode_result
from loom.build.store.atomic import canonical_json
from tests.engine.core.tide_project import Ran
from tests.engine.remote.nginx import Nginx, nginx
from tests.engine.remote.two_machines import Machine


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Nginx]:
    with nginx(tmp_path / "web") as server:
        yield server


def loom(machine: Machine, *words: str, code: int = 0) -> str:
    argv = [sys.executable, "-c", "import sys, loom.cli; sys.exit(loom.cli.main())", *words]
    done = subprocess.run(
        argv, cwd=machine.root, env=machine.environment,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code and "Traceback" not in done.stdout, done.stdout
    return done.stdout


class Keys:
    """Of a protected branch, and of somebody else."""

    def __init__(self, root: Path) -> None:
        machine = Machine(root / "office", "")
        for name in ("main", "stranger"):
            loom(machine, "cache", "key", "new", str(root / name))
        self.root = root

    def public(self, name: str) -> str:
        return str(self.root / f"{name}.pub")

    def secret(self, name: str) -> str:
        return (self.root / name).read_text()


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path)


def writer(root: Path, web: Nginx, keys: Keys, name: str = "main", **environment: str) -> Machine:
    return Machine(root, web.address, LOOM_REMOTE_SIGNING_KEY=keys.secret(name), **environment)


def reader(root: Path, web: Nginx, keys: Keys, **environment: str) -> Machine:
    """Believes the protected branch alone."""
    return Machine(root, web.address, LOOM_REMOTE_TRUST=keys.public("main"), **environment)


def kinds(done: Ran) -> set[str]:
    return set(done.marks.values())


def assert_refused(done: Ran, why: str) -> None:
    assert kinds(done) == {"ran"} and why in done.text
    assert done.text.count("gave a wrong result") == 1


def test_what_a_trusted_key_signed_is_used(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    first, second = writer(tmp_path / "one", web, keys), reader(tmp_path / "two", web, keys)
    assert kinds(first.doit()) == {"ran"}
    done = second.doit()
    assert kinds(done) == {"restored"} and "WARNING" not in done.text
    assert second.output() == first.output()


def test_two_keys_may_be_trusted_as_when_one_follows_the_other(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    both = f"{keys.public('main')}, {keys.public('stranger')}"
    writer(tmp_path / "one", web, keys, "stranger").doit()
    assert kinds(Machine(tmp_path / "two", web.address, LOOM_REMOTE_TRUST=both).doit()) == {"restored"}
    one_file = tmp_path / "trusted"
    lines = [Path(keys.public(name)).read_text() for name in ("main", "stranger")]
    one_file.write_text("# whose results we use\n\n" + "".join(lines))
    third = Machine(tmp_path / "three", web.address, LOOM_REMOTE_TRUST=str(one_file))
    assert kinds(third.doit()) == {"restored"}


def test_what_nobody_signed_is_a_miss_with_one_warning(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    Machine(tmp_path / "one", web.address).doit()
    assert_refused(reader(tmp_path / "two", web, keys).doit(), "is not signed, and only signed results are believed")


def test_what_a_stranger_signed_is_a_miss_with_one_warning(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    writer(tmp_path / "one", web, keys, "stranger").doit()
    assert_refused(reader(tmp_path / "two", web, keys).doit(), "is signed by a key that is not trusted here")


def test_who_asks_for_no_signature_uses_signed_results_too(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    writer(tmp_path / "one", web, keys).doit()
    assert kinds(Machine(tmp_path / "two", web.address).doit()) == {"restored"}


FORGERIES = ["time", "other signature", "stranger's words", "no value", "not base64", "number", "list", "no key"]


@pytest.mark.parametrize("forgery", FORGERIES)
def test_altered_entry_is_a_miss_with_one_warning(tmp_path: Path, web: Nginx, keys: Keys, forgery: str) -> None:
    """All else is right: shape, digests, and the name that it lies under."""
    first = writer(tmp_path / "one", web, keys)
    first.doit()
    signatures = [json.loads(decode_result(data)[0].contents)["signature"] for data in web.files("ac").values()]
    for name, data in web.files("ac").items():
        own, *rest = decode_result(data)
        entry = json.loads(own.contents)
        others = [one for one in signatures if one != entry["signature"]]
        changes: dict[str, object] = {
            "time": {"meta": {**entry["meta"], "milliseconds": 12345}},
            "other signature": {"signature": others[0]},
            "stranger's words": {"signature": {**entry["signature"], "key": "SHA256:class"}},
            "no value": {"signature": {"key": entry["signature"]["key"]}},
            "not base64": {"signature": {**entry["signature"], "value": "~~~~"}},
            "number": {"signature": 7},
            "list": {"signature": []},
            "no key": {"signature": {"value": entry["signature"]["value"]}},
        }
        change = changes[forgery]
        assert isinstance(change, dict)
        forged = canonical_json({**entry, **change})
        place = web.file("ac", name)
        place.chmod(0o644)
        place.write_bytes(encode_result([own._replace(digest=Digest.of(forged), contents=forged), *rest]))
    second = reader(tmp_path / "two", web, keys)
    assert_refused(second.doit(), "is not used")
    assert second.output() == first.output()


def test_signed_result_under_another_key_is_a_miss(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    """Replayed whole, with its true signature."""
    writer(tmp_path / "one", web, keys).doit()
    names = sorted(web.files("ac"))
    data = web.files("ac")
    for name, other in zip(names, names[1:] + names[:1], strict=True):
        place = web.file("ac", name)
        place.chmod(0o644)
        place.write_bytes(data[other])
    assert_refused(reader(tmp_path / "two", web, keys).doit(), "belongs to another key")


def test_key_that_lost_its_trust_is_not_believed_even_where_its_results_lie(
    tmp_path: Path, web: Nginx, keys: Keys
) -> None:
    writer(tmp_path / "one", web, keys).doit()
    second = reader(tmp_path / "two", web, keys)
    trusted = second.root / "trusted"
    trusted.write_text(Path(keys.public("main")).read_text())
    second.environment["LOOM_REMOTE_TRUST"] = "trusted"
    assert kinds(second.doit()) == {"restored"}
    assert kinds(second.doit()) == {"kept"}
    trusted.write_text(Path(keys.public("stranger")).read_text())
    assert "ran" in kinds(second.doit())
    assert kinds(second.doit()) == {"kept"}


def test_results_that_were_taken_unsigned_are_not_used_once_signatures_are_asked_for(
    tmp_path: Path, web: Nginx, keys: Keys
) -> None:
    Machine(tmp_path / "one", web.address).doit()
    second = Machine(tmp_path / "two", web.address)
    assert kinds(second.doit()) == {"restored"}
    second.environment |= {"LOOM_REMOTE_TRUST": keys.public("main"), "LOOM_REMOTE_POLICY": "off"}
    assert "ran" in kinds(second.doit())


def test_without_a_key_nothing_is_given_where_it_would_not_be_believed(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    done = reader(tmp_path / "one", web, keys).doit()
    assert kinds(done) == {"ran"} and not web.files("ac")
    assert done.text.count("WARNING") == 1 and "is given nothing from here" in done.text


PULL_REQUESTS = {"LOOM_REMOTE_NAMESPACE": "pull-requests"}


def test_pull_requests_share_among_themselves_and_give_to_nobody_else(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    """They have no key and need none; what the protected branch made they use too."""
    asked = [reader(tmp_path / name, web, keys, **PULL_REQUESTS) for name in ("pull1", "pull2")]
    assert kinds(asked[0].doit()) == {"ran"}
    done = asked[1].doit()
    assert kinds(done) == {"restored"} and "WARNING" not in done.text
    trusted = reader(tmp_path / "trusted", web, keys)
    trusted.environment["LOOM_REMOTE_UPLOAD"] = "never"
    done = trusted.doit()
    assert kinds(done) == {"ran"} and "WARNING" not in done.text
    unsigning = Machine(tmp_path / "unsigning", web.address)
    unsigning.environment["LOOM_REMOTE_UPLOAD"] = "never"
    assert kinds(unsigning.doit()) == {"ran"}
    told = reader(tmp_path / "told", web, keys, LOOM_REMOTE_ALSO_READ="drafts, pull-requests")
    assert kinds(told.doit()) == {"restored"}


def test_pull_requests_use_what_the_protected_branch_made(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    writer(tmp_path / "one", web, keys).doit()
    assert kinds(reader(tmp_path / "two", web, keys, **PULL_REQUESTS).doit()) == {"restored"}


def test_result_of_a_pull_request_does_not_pass_as_everybodys(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    """Signed by the trusted key, even: a signature is for one namespace."""
    writer(tmp_path / "one", web, keys, **PULL_REQUESTS).doit()
    for data in web.files("ac").values():
        key = json.loads(decode_result(data)[0].contents)["key"]
        web.file("ac", action_of(key).sha256).write_bytes(data)
    assert_refused(reader(tmp_path / "two", web, keys).doit(), "has a signature that does not fit it")


def test_who_stops_reading_a_namespace_stops_using_what_came_from_it(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    Machine(tmp_path / "one", web.address, **PULL_REQUESTS).doit()
    second = Machine(tmp_path / "two", web.address, LOOM_REMOTE_ALSO_READ="pull-requests")
    assert kinds(second.doit()) == {"restored"}
    del second.environment["LOOM_REMOTE_ALSO_READ"]
    assert "ran" in kinds(second.doit())


def test_loom_yaml_says_it_all(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    for name, wanted in (("one", "ran"), ("two", "restored")):
        machine = Machine(tmp_path / name, "")
        del machine.environment["LOOM_REMOTE_CACHE"], machine.environment["LOOM_REMOTE_UPLOAD"]
        settings = machine.root / "loom.yaml"
        lines = f"cache: '{web.address}', upload: always, trust: [{keys.public('main')}], also_read: [drafts]"
        key = f", signing_key_file: {tmp_path}/main" if name == "one" else ", namespace: pull-requests"
        settings.write_text(f"{settings.read_text()}remote: {{{lines}{key}}}\n")
        assert kinds(machine.doit()) == {wanted}


def secrets(keys: Keys) -> list[str]:
    """Every line of the secret that tells something of it."""
    return [line for line in keys.secret("main").splitlines() if "-----" not in line]


def test_the_secret_is_seen_nowhere(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    machine = writer(tmp_path / "one", web, keys)
    texts = [machine.doit().text, loom(machine, "cache", "key", "show"), loom(machine, "cache", "stats")]
    texts += [machine.doit("explain", name).text for name in ("generate", "emit:quay_api")]
    texts += [loom(machine, "log", "last"), machine.doit("info", "generate").text]
    held = [path for top in (machine.root, web.root) for path in top.rglob("*") if path.is_file()]
    for line in secrets(keys):
        assert not any(line in text for text in texts)
        assert not any(line.encode() in path.read_bytes() for path in held)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"SIGNING_KEY": "tide-key-20c1"}, "LOOM_REMOTE_SIGNING_KEY holds no signing key"),
        ({"SIGNING_KEY_FILE": "absent"}, "absent cannot be read as a signing key"),
        ({"SIGNING_KEY_FILE": "open"}, "open can be read by others: chmod 600 open"),
        ({"SIGNING_KEY_FILE": "wrong"}, "wrong holds no signing key"),
        ({"SIGNING_KEY_FILE": "rsa"}, "rsa holds a key of another kind than ed25519"),
        ({"SIGNING_KEY_FILE": "locked"}, "locked holds no signing key"),
        ({"TRUST": "absent.pub"}, "absent.pub cannot be read as a file of public keys"),
        ({"TRUST": "wrong"}, "wrong:1: is no public key (ssh-ed25519 AAAA"),
        ({"TRUST": "rsa.pub"}, "rsa.pub:1: is no public key"),
        ({"TRUST": "none.pub"}, "none.pub holds no public key"),
        ({"NAMESPACE": "../class"}, "LOOM_REMOTE_NAMESPACE: `../class` must be of lower-case letters"),
        ({"ALSO_READ": "drafts,Pull Requests"}, "LOOM_REMOTE_ALSO_READ: `Pull Requests` must be of lower-case"),
    ],
)
def test_mistake_about_keys_is_one_line_without_a_secret(tmp_path: Path, given: dict[str, str], why: str) -> None:
    machine = Machine(tmp_path / "one", f"file://{tmp_path}")
    for name, kind, password in (("rsa", "rsa", ""), ("locked", "ed25519", "neap tide")):
        made = ["ssh-keygen", "-q", "-t", kind, "-N", password, "-f", str(machine.root / name)]
        subprocess.run(made, check=True)
    for name, mode in (("open", 0o644), ("wrong", 0o600)):
        (machine.root / name).write_text("tide-key-20c1\n")
        (machine.root / name).chmod(mode)
    (machine.root / "none.pub").write_text("# nobody yet\n")
    machine.environment |= {f"LOOM_REMOTE_{name}": value for name, value in given.items()}
    done = machine.doit(code=None)
    assert done.code != 0 and why in done.text and "tide-key-20c1" not in done.text


def test_keys_of_openssh_are_the_same_keys(tmp_path: Path, web: Nginx) -> None:
    """Made by `ssh-keygen`, and shown with the fingerprint that it shows."""
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "tide table", "-f", str(tmp_path / "own")]
    subprocess.run(made, check=True)
    first = Machine(tmp_path / "one", web.address, LOOM_REMOTE_SIGNING_KEY_FILE=f"{tmp_path}/own")
    second = Machine(tmp_path / "two", web.address, LOOM_REMOTE_TRUST=f"{tmp_path}/own.pub")
    assert (kinds(first.doit()), kinds(second.doit())) == ({"ran"}, {"restored"})
    listed = subprocess.run(["ssh-keygen", "-lf", tmp_path / "own.pub"], capture_output=True, text=True, check=True)
    fingerprint = listed.stdout.split()[1]
    assert f"signs with: {fingerprint} of {tmp_path}/own" in loom(first, "cache", "key", "show")
    assert f"believes: {fingerprint} tide table of {tmp_path}/own.pub" in loom(second, "cache", "key", "show")


def test_new_key_is_its_owners_alone_and_never_replaces_another(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "")
    said = loom(machine, "cache", "key", "new")
    place = machine.root / ".config/loom/signing-key"  # HOME is the project
    assert place.stat().st_mode & 0o777 == 0o600
    public = place.with_name("signing-key.pub").read_text()
    assert public in said and "PRIVATE" not in said
    before = place.read_bytes()
    assert "is there already; name another file" in loom(machine, "cache", "key", "new", code=1)
    assert place.read_bytes() == before
    assert "usage: loom cache key new [FILE]" in loom(machine, "cache", "key", "class", code=3)
    assert "/proc/class cannot be written: " in loom(machine, "cache", "key", "new", "/proc/class", code=1)


def test_machine_tells_what_it_signs_with_and_whom_it_believes(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "one", "")
    alone = "signs with: nothing; results are given unsigned\nbelieves: whoever may write to the cache\n"
    assert loom(machine, "cache", "key", "show") == alone
    machine.environment |= {"LOOM_REMOTE_NAMESPACE": "pull-requests", "LOOM_REMOTE_ALSO_READ": "night-runs"}
    assert loom(machine, "cache", "key", "show") == (
        f"{alone}gives to the namespace: pull-requests\n"
        "believes without a signature what is in the namespaces: pull-requests, night-runs\n"
    )


def test_nothing_to_do_needs_no_cryptography(tmp_path: Path, web: Nginx, keys: Keys) -> None:
    machine = writer(tmp_path / "one", web, keys, LOOM_REMOTE_TRUST=keys.public("main"))
    machine.doit()
    machine.environment["PYTHONPROFILEIMPORTTIME"] = "1"
    done = machine.doit()
    assert kinds(done) == {"kept"} and "loom.build.workspace" in done.text
    for module in ("cryptography", "loom.build.trust.policy", "loom.build.trust.keys"):
        assert module not in done.text


def test_action_without_a_sandbox_does_not_see_the_key(tmp_path: Path, keys: Keys) -> None:
    from loom.build.sandbox.bare import Bare
    from loom.build.sandbox.job import Job
    from tests.engine.core.bare import shell

    places = [tmp_path / name for name in ("out", "scratch")]
    for place in places:
        place.mkdir()
    job = Job(shell("env", tmp_path / "store"), Path("/"), "none", {}, *places)
    os.environ["LOOM_REMOTE_SIGNING_KEY"] = keys.secret("main")
    try:
        said = Bare().run(job).stdout.decode()
    finally:
        del os.environ["LOOM_REMOTE_SIGNING_KEY"]
    assert "PATH=" in said and not any(line in said for line in secrets(keys))
