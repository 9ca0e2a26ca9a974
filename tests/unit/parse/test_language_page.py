"""The page of the language: every model and fragment on it compiles, and it knows every built-in that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loom.lower.expressions.builtins import _MEMBERS
from loom.lower.expressions.collections import FORMS, PLAIN
from loom.lower.expressions.prelude import _HELPERS, NAMES
from loom.parse import parse
from tests.kit.lowering import lower_files

PAGE = (Path(__file__).parents[3] / "loom" / "parse" / "LANGUAGE.md").read_text("utf-8")
AROUND = {
    "": "{}",
    "in context": "context HTTPFragment {{\n{}\n}}",
    "in aggregate": "context HTTPFragment {{\naggregate CCDFragment {{\n{}\n}}\n}}",
}
BLOCKS = re.findall(r"^```ddd *(.*)\n((?s:.*?))^```$", PAGE, re.M)


def said_of(text: str) -> list[str]:
    parsed = parse("page.ddd", text.encode())
    found = list(parsed.diagnostics)
    lowered = lower_files({"page.ddd": parsed.ast})
    return [f"{item.code}: {item.message}" for item in (*found, *lowered.diagnostics(), *lowered.validated())]


@pytest.mark.parametrize(("place", "text"), BLOCKS, ids=[text.split("\n")[0] for _, text in BLOCKS])
def test_what_the_page_shows_is_free_of_mistakes(place: str, text: str) -> None:
    assert said_of(AROUND[place].format(text)) == []


def test_a_mistake_on_the_page_would_be_seen() -> None:
    text = next(text for place, text in BLOCKS if not place)
    assert said_of(text.replace("state := Recording", "state := Recorded")) != []


def test_there_is_a_whole_model_and_fragments_of_either_kind() -> None:
    assert {place for place, _ in BLOCKS} == set(AROUND)
    assert PAGE.count("```ddd") == len(BLOCKS)


def test_every_builtin_stands_on_the_page() -> None:
    members = {name for known in _MEMBERS.values() for name in known} | set(PLAIN) | set(FORMS)
    missing = [name for name in sorted(members | {"length"}) if not re.search(rf"`{name}[`(]", PAGE)]
    missing += [name for name in (*NAMES, *_HELPERS) if f"`{name}(" not in PAGE]
    assert missing == []
