"""Every diagnostic code has a case in which it fires, and no case names a code that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import loom
from loom.base import REGISTRY, Diagnostic

CORPUS = Path(__file__).parents[1] / "corpus"
ROOMS = ("parse", "lower", "validate", "plan")
_CODE = re.compile(r"(?:error|warning)\[(loom\.[a-z0-9-]+)\]")


def registered() -> dict[str, type[Diagnostic]]:
    """All codes of the pure rooms, once they are imported: what is wrong with anything else is no case."""
    for room in ROOMS:
        package = import_module(f"{loom.__name__}.{room}")
        for module in walk_packages(package.__path__, f"loom.{room}."):
            import_module(module.name)
    homes = tuple(f"loom.{room}." for room in ROOMS)
    return {code: cls for code, cls in REGISTRY.items() if cls.__module__.startswith(homes)}


def fired(files: Iterable[Path]) -> set[str]:
    """The codes that the cases' expected diagnostics name."""
    return {code for file in files for code in _CODE.findall(file.read_text(encoding="utf-8"))}


def caseless(folder: Path) -> list[str]:
    """Codes that fire in no case."""
    return sorted(set(registered()) - fired(folder.rglob("*.md")))


def unheard_of(folder: Path) -> list[str]:
    """Codes that a case names and nobody declares."""
    return sorted(fired(folder.rglob("*.md")) - set(registered()))


def test_every_code_has_a_case() -> None:
    assert caseless(CORPUS) == []


def test_no_case_names_an_unknown_code() -> None:
    assert unheard_of(CORPUS) == []


def test_a_code_without_a_case_and_a_case_of_an_unknown_code_are_reported(tmp_path: Path) -> None:
    known = sorted(registered())
    (tmp_path / "lower").mkdir()
    text = "".join(f"error[{code}]: something\n" for code in known if code != "loom.unknown-type")
    (tmp_path / "lower/end-class.md").write_text(f"{text}warning[loom.unknown-typ]: renamed\n", encoding="utf-8")
    assert caseless(tmp_path) == ["loom.unknown-type"] and unheard_of(tmp_path) == ["loom.unknown-typ"]


def test_a_diagnostic_without_a_manual_page_cannot_be_declared() -> None:
    with pytest.raises(TypeError, match="has no manual page"):
        type("PagelessMistake", (Diagnostic,), {"message": "something", "__annotations__": {}})


def test_a_message_cannot_print_an_unknown_field() -> None:
    with pytest.raises(TypeError, match="prints unknown fields"):
        type("LyingMistake", (Diagnostic,), {"message": "no `{name}`", "__doc__": "A page.", "__annotations__": {}})
