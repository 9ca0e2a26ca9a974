"""What the pages say is there is there; the README's second command is what proves a change, and can run."""

from __future__ import annotations

from pathlib import Path

from tests.architecture.pages import dead_places, first_commands, lost_keepers, namesakes

ROOT = Path(__file__).parents[2]


def test_places_that_pages_name_are_there() -> None:
    assert list(dead_places(ROOT)) == []


def test_a_dead_place_is_reported(tmp_path: Path) -> None:
    page = tmp_path / "loom/ir/README.md"
    page.parent.mkdir(parents=True)
    (tmp_path / "README.md").write_text("[how](loom/ir/README.md), `loom/<name>/` and `loom/lost/`\n")
    page.write_text("[up](../lost.md#top) or [out](https://loom.example/lost)\n")
    assert list(dead_places(tmp_path)) == ["README.md: loom/lost/", "loom/ir/README.md: ../lost.md"]


def test_the_last_thing_that_ci_does_is_the_second_command() -> None:
    script = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    first, second = first_commands(ROOT)
    assert first.startswith("bash .ci/setup && .venv/bin/doit generate ")
    assert script[-1] == second


def test_test_modules_have_names_of_their_own() -> None:
    assert list(namesakes(ROOT)) == []


def test_a_namesake_is_reported(tmp_path: Path) -> None:
    for module in ("unit/base/test_words.py", "engine/test_words.py", "kit/test_words.py", "kit/__init__.py"):
        place = tmp_path / "tests" / module
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    assert list(namesakes(tmp_path)) == ["tests/unit/base/test_words.py has the name of tests/engine/test_words.py"]


def test_tests_that_comments_name_are_there() -> None:
    assert list(lost_keepers(ROOT)) == []


def test_a_lost_keeper_is_reported(tmp_path: Path) -> None:
    for place, text in {
        "loom/ir/kinds.py": "# kept by tests/unit/test_kinds.py::test_order and tests/unit/test_kinds.py::test_gone\n",
        "loom/ir/names.py": "# kept by tests/unit/test_lost.py\n",
        "tests/unit/test_kinds.py": "def test_order() -> None: ...\n",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    assert list(lost_keepers(tmp_path)) == [
        "loom/ir/kinds.py: tests/unit/test_kinds.py::test_gone",
        "loom/ir/names.py: tests/unit/test_lost.py",
    ]
