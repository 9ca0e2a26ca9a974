"""Docker, bubblewrap and a worker show the same world, and it is the documented one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.build.sandbox.bare import Bare
from loom.build.sandbox.job import Job
from loom.build.sandbox.world import ENVIRONMENT, OPEN_FILES, STACK_KIB
from tests.engine.world.world_kit import ISOLATING, Kind, action, run, tree_of

OBSERVE = """
import grp, json, os, pwd, resource, socket, stat, time
def look(place):
    found = os.lstat(place)
    return [stat.filemode(found.st_mode), found.st_uid, found.st_gid]
places = ["/usr", "/usr/bin/env", "/in", "/in/class", "/in/class/end.txt", "/out", "/build", "/tmp", "/run", "/sys",
          "/etc/passwd", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/dev/null"]
umask = os.umask(0)
print(json.dumps({
    "env": dict(os.environ), "uid": os.getuid(), "gid": os.getgid(), "groups": os.getgroups(), "umask": umask,
    "user": pwd.getpwuid(os.getuid()).pw_name, "group": grp.getgrgid(os.getgid()).gr_name,
    "host": socket.gethostname(), "cwd": os.getcwd(), "zone": time.strftime("%Z"),
    "top": sorted(set(os.listdir("/")) - {".dockerenv"}),
    "places": {place: look(place)[: 1 if place in ("/sys", "/dev/null") else 3] for place in places},
    "etc": sorted(os.listdir("/etc")), "sys": os.listdir("/sys"), "run": os.listdir("/run"),
    "hosts": open("/etc/hosts").read(), "resolver": open("/etc/resolv.conf").read(),
    "limits": {name: resource.getrlimit(getattr(resource, name))
               for name in ("RLIMIT_CORE", "RLIMIT_NOFILE")},
    "stack": resource.getrlimit(resource.RLIMIT_STACK)[0],
    "interfaces": [name for _, name in socket.if_nameindex()],
    "input": stat.S_ISCHR(os.fstat(0).st_mode), "output": stat.S_ISFIFO(os.fstat(1).st_mode),
    "rights": [line for line in open("/proc/self/status") if line.startswith(("Cap", "NoNewPrivs"))],
}, sort_keys=True))
"""


def observed(kind: Kind) -> dict[str, object]:
    ran = run(kind, action("python3", "-c", OBSERVE, inputs={"class": tree_of({"end.txt": "HTTPServer"})}))
    assert ran.worked, ran.exit.stderr
    seen: dict[str, object] = json.loads(ran.said)
    return seen


def test_every_sandbox_shows_the_same_world() -> None:
    assert observed("docker") == observed("bubblewrap")


def test_worker_shows_the_world_of_the_local_sandboxes() -> None:
    """But for what nobody below casd can change: groups, where texts go, and the mode of what is read-only anyway."""
    here, there = observed("bubblewrap"), observed("casd")
    assert here.keys() == there.keys() and there["groups"] == [] and there["output"] is False
    different = {name for name in here if here[name] != there[name]}
    assert different <= {"groups", "output", "places"}
    ours, theirs = here["places"], there["places"]
    assert isinstance(ours, dict) and isinstance(theirs, dict)
    changed = {place: theirs[place] for place in ours if ours[place] != theirs[place]}
    assert changed == {"/in/class/end.txt": ["-rw-r--r--", 1000, 1000]}


@pytest.mark.parametrize("kind", ISOLATING)
def test_world_is_the_documented_one(kind: Kind) -> None:
    seen = observed(kind)
    assert seen["env"] == ENVIRONMENT
    fixed = {name: seen[name] for name in ("uid", "gid", "groups", "umask", "host", "cwd", "zone", "user")}
    assert fixed == {
        "uid": 1000, "gid": 1000, "groups": [1000], "umask": 0o022, "host": "localhost", "cwd": "/build",
        "zone": "UTC", "user": "loom",
    }  # fmt: skip
    assert seen["interfaces"] == ["lo"]
    assert seen["limits"] == {"RLIMIT_CORE": [0, 0], "RLIMIT_NOFILE": [OPEN_FILES, OPEN_FILES]}
    assert seen["stack"] == STACK_KIB << 10
    assert seen["input"] and seen["output"]


@pytest.mark.parametrize("caller", [{"LANG": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "PATH": "/nowhere:/usr/bin:/bin"}])
@pytest.mark.parametrize("kind", ISOLATING)
def test_caller_cannot_change_the_world(kind: Kind, caller: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    before = observed(kind)
    for name, value in caller.items():
        monkeypatch.setenv(name, value)
    assert observed(kind) == before


def test_without_a_sandbox_a_folder_of_any_name_does(tmp_path: Path) -> None:
    """Paths of the world are moved before a shell reads them: none of these marks means anything to it."""
    place = tmp_path / "the quay's `log` & $HOME"
    given, out, scratch = (place / name for name in ("given", "out", "scratch"))
    for folder in (given, out, scratch):
        folder.mkdir(parents=True)
    (given / "end.txt").write_text("HTTPServer")
    asked = action("cp", "/build/class/end.txt", "/out/seen", copy=("class",), inputs={"class": tree_of({})})
    ran = Bare().run(Job(asked, Path("/"), "none", {"class": given}, out, scratch))
    assert ran.code == 0, ran.stderr
    assert (out / "seen").read_text() == "HTTPServer"
