"""Another path, user, umask, locale, time zone and hash seed, and a store of its own: the same keys and bytes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.pipeline.apiary_project import CHECKOUT, EVERY, ApiaryProject
from tests.kit.places import STORE

STRANGE = {
    "LC_ALL": "tr_TR.UTF-8", "LANG": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "4711", "COLUMNS": "40",
    "SOURCE_DATE_EPOCH": "1", "USER": "somebody", "TERM": "dumb", "HOSTNAME": "far-away",
}  # fmt: skip
NOBODY = 65534
PROVEN = ("gate:python:hive_service", "gate:node:harvest_service", "e2e:hive_service", "e2e:harvest_service")


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder that other users may enter, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp(prefix="ordinary user's folder "))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


class Person(NamedTuple):
    """Who runs doit, with which interpreter, and where that one finds packages."""

    user: int
    python: str
    packages: tuple[str, ...] = ()


def another() -> Person:
    """Somebody else who may use one of the interpreters; where there is nobody, the test fails and says why."""
    if os.getuid() != 0:
        pytest.fail("only root may become another user: run this test as root")
    packages = tuple(folder for folder in sys.path if folder.endswith("site-packages"))
    people = (Person(NOBODY, sys.executable), Person(NOBODY, "/usr/bin/python3", packages))
    found = next((person for person in people if works(person)), None)
    if found is None:
        tried = " nor ".join(person.python for person in people)
        pytest.fail(f"user {NOBODY} can run neither {tried} with Loom's packages: is the environment open to others?")
    return found


def works(person: Person) -> bool:
    """An interpreter of the same version that finds Loom's packages."""
    program = f"import sys, doit, lark, pydantic; assert sys.version_info[:2] == {sys.version_info[:2]}"
    variables = {"PYTHONPATH": os.pathsep.join(person.packages)}
    try:
        done = subprocess.run(
            [person.python, "-c", program], check=False, capture_output=True, user=person.user, cwd="/", env=variables
        )
    except OSError:
        return False
    return done.returncode == 0


def moved_loom(folder: Path) -> Path:
    """Loom itself in another place."""
    for name in ("loom", "rules", "toolchains"):
        shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_same_keys_and_bytes_everywhere(built: ApiaryProject, elsewhere: Path) -> None:
    loom = moved_loom(elsewhere / "Loom of another")
    other = ApiaryProject(elsewhere / "deep/er/Bienenhaus ü", elsewhere / "store", loom=loom)
    other.environment |= STRANGE
    person = another()
    other.umask, other.user, other.python, other.packages = 0o077, *person
    for place in (elsewhere / "deep", *(elsewhere / "deep").rglob("*")):
        os.chown(place, person.user, person.user)
    assert other.doit().marks == dict.fromkeys(EVERY, "ran")
    assert other.keys() == built.keys()
    assert other.output() == built.output()


def test_gates_and_proofs_have_the_same_keys_elsewhere(tmp_path: Path) -> None:
    """With the machine's own store, which has the toolchains: what is proven in one place is proven in the other."""
    here = ApiaryProject(tmp_path / "apiary", STORE)
    loom = moved_loom(tmp_path / "Loom of another")
    there = ApiaryProject(tmp_path / "deep/er/Bienenhaus ü", STORE, loom=loom)
    there.environment |= STRANGE
    assert not here.doit("gate:*", "e2e").marked("failed")
    done = there.doit("gate:*", "e2e")
    assert {done.marks[task] for task in PROVEN} == {"restored"}
    assert [key(there, task) for task in PROVEN] == [key(here, task) for task in PROVEN]


def key(project: ApiaryProject, task: str) -> str:
    """As `info` tells it."""
    (found,) = re.findall(r"^key +: ([0-9a-f]{64})$", project.doit("info", task).text, re.M)
    return str(found)


def test_no_output_knows_where_it_was_made(built: ApiaryProject) -> None:
    for path, (data, _) in built.output().items():
        for secret in (str(built.root), str(CHECKOUT), str(Path.home()), os.uname().nodename):
            assert secret == "/" or len(secret) < 6 or secret.encode() not in data, f"{path} holds {secret}"


@pytest.mark.parametrize("seed", ["0", "1", "99"])
def test_every_result_in_the_store_is_the_same_for_every_hash_seed(
    built: ApiaryProject, tmp_path: Path, seed: str
) -> None:
    other = ApiaryProject(tmp_path / "apiary", tmp_path / "store")
    other.environment["PYTHONHASHSEED"] = seed
    other.doit("-n", "2")
    assert stored(tmp_path / "store") == stored(Path(built.environment["LOOM_STORE"]))


def stored(store: Path) -> tuple[set[str], set[str]]:
    """The names of all results and all contents: both are digests."""
    blobs = {path.name for path in (store / "cas").rglob("*") if path.is_file()}
    return {path.name for path in (store / "ac").rglob("*") if path.is_file()}, blobs
