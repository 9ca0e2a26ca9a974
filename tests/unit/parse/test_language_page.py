"""The page of the language: every model and fragment on it compiles, and it knows every built-in that there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from loom.lower.expressions.builtin.collections import FORMS as COLLECTIONS
from loom.lower.expressions.builtin.collections import PLAIN
from loom.lower.expressions.builtin.forms import FORMS
from loom.lower.expressions.builtin.members import _MEMBERS
from loom.plan.service import plan_shared
from loom.plan.wire.openapi import openapi
from tests.kit.fragments import AROUND, said
from tests.kit.planned import lowered, planned

PAGE = (Path(__file__).parents[3] / "loom" / "parse" / "LANGUAGE.md").read_text("utf-8")
BLOCKS = re.findall(r"^```ddd *(.*)\n((?s:.*?))^```$", PAGE, re.M)


@pytest.mark.parametrize(("place", "text"), BLOCKS, ids=[text.split("\n")[0] for _, text in BLOCKS])
def test_what_the_page_shows_is_free_of_mistakes(place: str, text: str) -> None:
    assert [f"{item.code}: {item.text()}" for item in said(place, text)] == []


def test_a_mistake_on_the_page_would_be_seen() -> None:
    text = next(text for place, text in BLOCKS if not place)
    assert said("", text.replace("state := Recording", "state := Recorded")) != []


def test_there_is_a_whole_model_and_fragments_of_either_kind() -> None:
    assert {place for place, _ in BLOCKS} == set(AROUND)
    assert PAGE.count("```ddd") == len(BLOCKS)


def test_every_builtin_stands_on_the_page() -> None:
    members = {name for known in _MEMBERS.values() for name in known} | set(PLAIN) | set(COLLECTIONS)
    missing = [name for name in sorted(members | {"length"}) if not re.search(rf"`{name}[`(]", PAGE)]
    missing += [name for name in FORMS if f"`{name}(" not in PAGE]
    assert missing == []


def test_the_table_of_routes_shows_the_answers_of_the_page_s_own_service() -> None:
    model = lowered({"page.ddd": next(text for place, text in BLOCKS if not place).encode()})
    contexts = planned(model).contexts
    shared = plan_shared(model.shared, {name for context in contexts for name in context.shared})
    paths = json.loads(openapi("TideWatch", shared, contexts))["paths"]
    rows = re.findall(r"^\| `([A-Z]+) (/\S+)` \|.*\| (\d+), `\{\"(\w+)\":", PAGE, re.M)
    assert {path for _, path, _, _ in rows} == {"/api/gauges", "/api/gauges/{id}/can_record"}
    for method, path, status, member in rows:
        content = paths[path][method.lower()]["responses"][status]["content"]
        assert list(content["application/json"]["schema"]["properties"]) == [member]


SCENE = """
context HTTPScene {{
    event PartSeen {{ order: int }}
    aggregate SceneRoot with crudish {{
        order: int
        mark: int?
        marks: int[]
        operation turn() {{ order := 2 }}
        {operation}
    }}
    aggregate OtherRoot {{ order: int = 0  mark: int?  marks: int[]  {own} }}
    repository SceneRoots for SceneRoot {{ find every(): SceneRoot[] }}
    workflow MoveScene {{ create(root: SceneRoot id): SceneRoot id {{
        let found = SceneRoots.getById(root)  {workflow}
        return root
    }} }}
    test "a scene" for SceneRoot {{ let found = SceneRoot.create({{ order: 1, marks: [] }})  {test} }}
}}
"""
SPELLED = {
    "precondition": "precondition 1 < 2",
    "requires": "requires 1 < 2",
    "let": "let one = 1",
    "x": "order := 1",
    "if": "if 1 < 2 { }",
    "if let": "if let one = mark { }",
    "for": "for one in marks { }",
    "emit": "emit PartSeen { order: 1 }",
    "return": "return 1",
    "a": "turn()",
    "notFound": 'notFound "it is gone"',
    "expect": "expect 1.toBe(1)",
}
IN_WORKFLOW = {
    "if let": "if let one = SceneRoots.findById(root) { let two = one.order }",
    "for": "for one in SceneRoots.every() { one.turn() }",
    "return": "return root",
    "a": "found.turn()",
}
COLUMNS = ("operation", "create, destroy", "function", "workflow", "unit test")
ROWS = re.findall(r"^\| (.*) \|$", PAGE.partition("## Statements\n\n")[2].partition("\n\n")[0], re.M)


def in_scene(body: str, word: str) -> str:
    """A model with the statement in that body, and nothing in it that is wrong besides."""
    text = (IN_WORKFLOW if body in ("workflow", "unit test") else {}).get(word, SPELLED[word])
    ends = word in ("return", "notFound")
    parts = {"operation": "", "own": "", "workflow": "", "test": ""}
    match body:
        case "operation":
            parts["operation"] = f"operation look(){': int' if word == 'return' else ''} {{ {text} }}"
        case "create, destroy":
            parts["own"] = f"create() {{ {text} }} destroy {{ {text} }}"
        case "function":
            parts["own"] = f"function look(): int {{ {text} {'' if ends else 'return 1'} }}"
        case "workflow":
            parts["workflow"] = text
        case _:
            parts["test"] = text
    made = SCENE.format(**parts)
    return made.replace("\n        return root", "") if body == "workflow" and ends else made


def test_the_table_of_statements_says_where_each_compiles() -> None:
    head, *rows = [[cell.strip() for cell in row.split(" |")] for row in ROWS]
    told = {(body, name_of(row[0])): bool(row[head.index(body)].strip("| ")) for body in COLUMNS for row in rows}
    assert told == {(body, word): not said("", in_scene(body, word)) for body, word in told}
    assert {word for _, word in told} == set(SPELLED)


def name_of(cell: str) -> str:
    """`if let x = …` and `if E …` are two; all others are told by their first word."""
    return "if let" if cell.startswith("`if let") else re.split(r"[^A-Za-z]", cell.lstrip("`"), maxsplit=1)[0]
