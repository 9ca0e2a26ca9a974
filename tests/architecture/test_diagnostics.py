"""Every diagnostic code has a case in which it fires and a near miss in which it does not, or a test that sees it told.

A near miss is the right text on the page of the code, as `test_manual.py` sees to, or what a case's META quotes of its
source: `near` for the code that the file is named after, `near.<code>` for another one. No case names a code that does
not exist.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import loom
from loom.base import REGISTRY, Diagnostic
from loom.parse.findings.pages import example
from tests.kit.corpus import Case, cases

CORPUS = Path(__file__).parents[1] / "corpus"
ENGINE = Path(__file__).parents[1] / "engine"
ROOMS = ("parse", "lower", "validate", "plan")
_FIRED = re.compile(r"(?:error|warning)\[(loom\.[a-z0-9-]+)\].*\n  at (\S+?):(\d+):(\d+)")
_CODE = re.compile(r"(?:error|warning)\[(loom\.[a-z0-9-]+)\]")


@cache
def everything() -> Mapping[str, type[Diagnostic]]:
    """All codes, once all modules are imported. Those of this folder's tests are not among them."""
    for module in walk_packages(loom.__path__, "loom."):
        if not module.name.endswith(".__main__"):
            import_module(module.name)
    return {code: cls for code, cls in REGISTRY.items() if cls.__module__.startswith("loom.")}


def registered() -> set[str]:
    """Codes of the pure rooms: what is wrong with anything else is no case."""
    homes = tuple(f"loom.{room}." for room in ROOMS)
    return {code for code, cls in everything().items() if cls.__module__.startswith(homes)}


def fired(files: Iterable[Path]) -> set[str]:
    """The codes that the cases' expected diagnostics name."""
    return {code for file in files for code in _CODE.findall(file.read_text(encoding="utf-8"))}


def caseless(folder: Path) -> list[str]:
    """Codes that fire in no case."""
    return sorted(registered() - fired(folder.rglob("*.md")))


def untested(folder: Path) -> list[str]:
    """Codes of the other rooms that no test of the engine sees told."""
    return sorted(set(everything()) - registered() - fired(folder.rglob("*.py")))


def unheard_of(folder: Path) -> list[str]:
    """Codes that a case names and nobody declares."""
    return sorted(fired(folder.rglob("*.md")) - registered())


def near_misses(case: Case) -> dict[str, str]:
    """The near misses that a case quotes, by code."""
    keys = {key: text for key, text in case.meta.items() if key.partition(".")[0] == "near"}
    return {f"loom.{key.partition('.')[2] or case.path.stem}": text for key, text in keys.items()}


def missed(case: Case, code: str, quoted: str) -> bool:
    """Whether the case has what it quotes, and the code fires nowhere in it."""
    found = [(file, part) for file, text in case.sources.items() for part in _within(text, quoted)]
    return bool(found) and not any(
        file == at and start <= where < start + len(quoted)
        for at, where in _places(case, code)
        for file, start in found
    )


def _within(text: str, quoted: str) -> Iterator[int]:
    return (found.start() for found in re.finditer(re.escape(quoted), text))


def _places(case: Case, code: str) -> Iterator[tuple[str, int]]:
    """The file and the offset of each place where the code fires."""
    for told, file, line, column in _FIRED.findall(case.expected.get("DIAGNOSTICS", "")):
        if told == code and file in case.sources:
            before = case.sources[file].split("\n")[: int(line) - 1]
            yield file, sum(len(item) + 1 for item in before) + int(column) - 1


def exampled() -> set[str]:
    """Codes with a mistake and the same made right on their page."""
    return {code for code, kind in everything().items() if example(kind) is not None}


def without_near_miss(folder: Path, shown: Set[str] = frozenset()) -> list[str]:
    """Codes that are not `shown` and of which no case quotes a near miss, and those of a quoted one that is none."""
    quoted = [(code, missed(case, code, text)) for case in cases(folder) for code, text in near_misses(case).items()]
    kept = {code for code, is_missed in quoted if is_missed}
    return sorted({code for code, is_missed in quoted if not is_missed} | (registered() - kept - shown))


def test_every_code_has_a_case() -> None:
    assert caseless(CORPUS) == []


def test_every_code_has_a_near_miss() -> None:
    assert without_near_miss(CORPUS, exampled()) == []


def test_every_code_of_the_engine_has_a_test() -> None:
    assert untested(ENGINE) == []


def test_no_case_names_an_unknown_code() -> None:
    assert unheard_of(CORPUS) == []


def test_a_code_without_a_case_and_a_case_of_an_unknown_code_are_reported(tmp_path: Path) -> None:
    known = sorted(registered())
    (tmp_path / "lower").mkdir()
    text = "".join(f"error[{code}]: something\n" for code in known if code != "loom.unknown-type")
    (tmp_path / "lower/end-class.md").write_text(f"{text}warning[loom.unknown-typ]: renamed\n", encoding="utf-8")
    assert caseless(tmp_path) == ["loom.unknown-type"] and unheard_of(tmp_path) == ["loom.unknown-typ"]


CASE = """# META
~~~ini
description = an unknown type is none, whatever it is like
{near}~~~
# SOURCE
~~~loom
aggregate ClassRoom {{ unitPrice: Monney end: Money }}
~~~
# DIAGNOSTICS
~~~text
error[loom.unknown-type]: unknown type `Monney`
  at model.ddd:1:34
~~~
"""


@pytest.mark.parametrize(
    ("near", "is_kept"),
    [
        ("near = end: Money\n", True),
        ("near.unknown-type = end: Money\n", True),
        ("", False),
        ("near = unitPrice: Monney\n", False),
        ("near = end: money\n", False),
        ("near.unknown-name = end: Money\n", False),
        ("near = end: Money\nnear.unknown-type = Monney\n", False),
    ],
)
def test_a_code_without_a_near_miss_is_reported(near: str, is_kept: bool, tmp_path: Path) -> None:
    (tmp_path / "unknown-type.md").write_text(CASE.format(near=near), encoding="utf-8")
    assert ("loom.unknown-type" not in without_near_miss(tmp_path)) is is_kept


def test_a_code_of_the_engine_without_a_test_is_reported(tmp_path: Path) -> None:
    codes = set(everything()) - registered() - {"loom.missing-setting"}
    (tmp_path / "project").mkdir()
    text = "".join(f"assert 'error[{code}]' in said\n" for code in sorted(codes))
    (tmp_path / "project/test_class_end.py").write_text(f"{text}'loom.missing-setting'\n", encoding="utf-8")
    assert "loom.scenario-failed" in codes and untested(tmp_path) == ["loom.missing-setting"]


def test_a_diagnostic_without_a_manual_page_cannot_be_declared() -> None:
    with pytest.raises(TypeError, match="has no manual page"):
        type("PagelessMistake", (Diagnostic,), {"message": "something", "__annotations__": {}})


def test_a_message_cannot_print_an_unknown_field() -> None:
    with pytest.raises(TypeError, match="prints unknown fields"):
        type("LyingMistake", (Diagnostic,), {"message": "no `{name}`", "__doc__": "A page.", "__annotations__": {}})
