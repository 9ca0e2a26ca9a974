"""Every mistake that one text can show has, on the page of its code, a reason and a true example.

The wrong text makes the compiler tell the code and no other. The right one makes it tell nothing, and is near: it has
most of the words of the wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from loom.parse.findings.pages import Example, example, examples, page
from tests.architecture.test_diagnostics import everything, registered
from tests.kit.corpus import CORPUS, Case, cases
from tests.kit.fragments import mistakes, said

ROOT = Path(__file__).parents[2]
UNSUPPORTED = "loom.unsupported-feature"
# A create or destroy of a state aggregate that has a name is a mistake whatever else is wrong with the name.
NAMED_TWICE = {"loom.create-name-conflict", "loom.destroy-name-conflict"}


def shown() -> Mapping[str, Example]:
    """The example of each code that has one."""
    found = {code: example(kind) for code, kind in everything().items()}
    return {code: item for code, item in found.items() if item is not None}


def is_of_one_text(case: Case) -> bool:
    """Whether the mistake lies in one printable text, and neither in other files nor in what was recorded before."""
    unprintable = {"encoding", "nul", "bidi"} & case.meta.keys()
    return len(case.sources) == 1 and not unprintable and not any("import " in text for text in case.sources.values())


def without_example(folder: Path, known: Mapping[str, Example]) -> list[str]:
    """Codes that a case of their name shows in one text, and that have no example."""
    named = {f"loom.{case.path.stem}": case for case in cases(folder)}
    elsewhere = {code for code, case in named.items() if not is_of_one_text(case)}
    return sorted(registered() - elsewhere - known.keys())


def untrue(known: Mapping[str, Example]) -> Iterator[str]:
    """Examples of which the compiler says something else than their page."""
    for code, item in known.items():
        say = said if code == UNSUPPORTED else mistakes
        wrong = {found.code for found in say(item.place, item.wrong)}
        if wrong != {code} and not (code in NAMED_TWICE and code in wrong):
            yield f"{code}: the wrong text gives {sorted(wrong)}"
        if right := sorted({found.code for found in say(item.place, item.right)}):
            yield f"{code}: the right text gives {right}"


def far(known: Mapping[str, Example]) -> list[str]:
    """Codes of which the right text is another one, rather than the wrong one made right."""
    return [code for code, item in known.items() if _likeness(item.wrong, item.right) < 0.5]


def _likeness(one: str, other: str) -> float:
    first, second = (re.findall(r"[\w.]+|\S", text) for text in (one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def unread(root: Path) -> Iterator[str]:
    """Sections of the pages that belong to no code of the module beside them, or that are written otherwise."""
    homes = {(kind.__module__, code.removeprefix("loom.")) for code, kind in everything().items()}
    for file in sorted((root / "loom").rglob("*.py")):
        beside = file.with_name(f"{file.stem.upper()}.md")
        text = beside.read_text(encoding="utf-8") if file.stem != "readme" and beside.exists() else ""
        module = ".".join(file.relative_to(root).with_suffix("").parts)
        for code in [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]:
            if (module, code) not in homes or code not in examples(beside):
                yield f"{beside.relative_to(root)}: {code}"


def test_every_code_of_one_text_has_an_example() -> None:
    assert without_example(CORPUS, shown()) == []


def test_every_example_is_true() -> None:
    assert list(untrue(shown())) == []


def test_every_right_text_is_near() -> None:
    assert far(shown()) == []


def test_a_right_text_that_is_another_is_reported() -> None:
    near = Example("", "in aggregate", "endURL: Monney  class: int", "endURL: Money  class: int")
    other = near._replace(right="operation end() { }")
    assert far({"loom.unknown-type": near, "loom.unknown-name": other}) == ["loom.unknown-name"]


def test_every_section_is_read() -> None:
    assert list(unread(ROOT)) == []


def test_an_example_that_is_missing_is_reported() -> None:
    known = {code: item for code, item in shown().items() if code != "loom.unknown-type"}
    assert without_example(CORPUS, known) == ["loom.unknown-type"]


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        ("endURL: Monney", "endURL: int", []),
        ("endURL: int", "endURL: int", ["loom.unknown-type: the wrong text gives []"]),
        ("endURL: Monney", "endURL: Mony", ["loom.unknown-type: the right text gives ['loom.unknown-type']"]),
        (
            "endURL: Monney  class: int = true",
            "endURL: int",
            ["loom.unknown-type: the wrong text gives ['loom.assignment-type', 'loom.unknown-type']"],
        ),
    ],
)
def test_an_example_that_is_not_true_is_reported(wrong: str, right: str, told: list[str]) -> None:
    assert list(untrue({"loom.unknown-type": Example("", "in aggregate", wrong, right)})) == told


def test_a_section_without_a_code_is_reported(tmp_path: Path) -> None:
    (tmp_path / "loom/lower/problems").mkdir(parents=True)
    (tmp_path / "loom/lower/problems/names.py").write_text("", encoding="utf-8")
    text = (ROOT / "loom/lower/problems/NAMES.md").read_text(encoding="utf-8")
    changed = text.replace("## unknown-type", "## class-unknown").replace("## unknown-name\n\n", "## unknown-name\n")
    (tmp_path / "loom/lower/problems/NAMES.md").write_text(changed, encoding="utf-8")
    assert sorted(unread(tmp_path)) == [
        "loom/lower/problems/NAMES.md: class-unknown",
        "loom/lower/problems/NAMES.md: unknown-name",
    ]


def test_a_page_says_what_is_wrong_then_why_then_shows_it() -> None:
    kind = everything()["loom.call-arg-type"]
    item = example(kind)
    assert item is not None
    words = [
        str(kind.__doc__).split("\n")[0],
        item.reason,
        "Wrong, in an aggregate:",
        "    derived next: int = deeper(",
    ]
    places = [page(kind).index(text) for text in [*words, "Right:"]]
    assert places == sorted(places)
