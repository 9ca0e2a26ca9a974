"""Which statement may stand in which body: the table of the language, cell by cell.

A row is a statement, spelled as each body would say it; a cell says whether it may stand there. What it takes to make a
statement sound is in the model around the bodies.
"""

from __future__ import annotations

import pytest

from loom.base import Severity
from loom.lower.problems.names import UnsupportedFeature
from loom.parse import parse
from tests.kit.lowering import lower_files

MODEL = """
system CraneHall {
  storage mainStore { type: postgres }
  storage plateStore { type: s3, config: { bucket: "plates" } }
  resource yardState { for: YardOffice, kind: state, use: mainStore }
  resource yardLog { for: YardOffice, kind: eventLog, use: mainStore }
  resource files { for: YardOffice, kind: objectStore, use: plateStore }
  deployable yardService { platform: python, contexts: [YardOffice], dataSources: [yardState, yardLog, files] }
}
context YardOffice {
  event CraneMoved { crane: YardCrane id, order: int }
  error HTTPLost { order: int }
  aggregate YardCrane {
    order: int
    load: int?
    tags: string[]
    create(order: int) { order := order  <CREATE> }
    destroy { <DESTROY> }
    operation move(crane: YardCrane id): int { let outcome = found()  <OPERATION>  return 1 }
    operation next() { order := order + 1 }
    operation found(): int or HTTPLost { return 1 }
    function half(crane: YardCrane id): int { <FUNCTION>  return 1 }
    test "moves" { let crane = YardCrane.create(1)  <TEST> }
  }
  aggregate YardLog persistedAs: eventLog {
    order: int
    load: int?
    tags: string[]
    create(crane: YardCrane id) { <SOURCED_CREATE>  emit CraneMoved { crane: crane, order: 1 } }
    operation move(crane: YardCrane id): int { <SOURCED>  return 1 }
    operation next() { let last = order }
    apply(moved: CraneMoved) { order := moved.order  let crane = moved.crane  <APPLY> }
  }
  repository YardCranes for YardCrane { find all(): YardCrane[]  find maybe(order: int): YardCrane? }
  domainService YardPlanner {
    operation plan(first: YardCrane, second: YardLog): int { let outcome = first.found()  <SERVICE>  return 1 }
  }
  workflow moving {
    crane: YardCrane id
    order: int
    tags: string[]
    create(crane: YardCrane id): int { let found = YardCranes.getById(crane)  <WORKFLOW>  return found.order }
    on(moved: CraneMoved) { let found = YardCranes.getById(moved.crane)  <REACTOR> }
  }
  workflow logging eventSourced {
    crane: YardCrane id
    order: int
    tags: string[]
    create(crane: YardCrane id) {
      let found = YardCranes.getById(crane)
      <SOURCED_WORKFLOW>
      emit CraneMoved { crane: found.id, order: 1 }
    }
    apply(moved: CraneMoved) { order := moved.order }
  }
  commandHandler MoveCrane(crane: YardCrane id): int {
    let found = YardCranes.getById(crane)
    let outcome = found.found()
    <COMMAND>
    return 1
  }
  queryHandler SeeCrane(crane: YardCrane id): int {
    let found = YardCranes.getById(crane)
    let outcome = found.found()
    <QUERY>
    return 1
  }
}
"""

BODIES = (
    "OPERATION", "CREATE", "DESTROY", "SOURCED", "SOURCED_CREATE", "APPLY", "FUNCTION", "SERVICE", "WORKFLOW",
    "REACTOR", "SOURCED_WORKFLOW", "COMMAND", "QUERY", "TEST",
)  # fmt: skip
ENTRIES = ("WORKFLOW", "REACTOR", "SOURCED_WORKFLOW", "COMMAND", "QUERY")
# What is wrong with a statement that only seems to be refused: it means nothing there.
MEANINGLESS = {"loom.parse-error", "loom.unknown-name", "loom.workflow-unknown-name", "loom.call-unknown"}
EMIT = "emit CraneMoved { crane: crane, order: 1 }"

# A statement, its spelling in bodies that say it otherwise, and the bodies in which it may stand.
ROWS: list[tuple[str, dict[str, str], tuple[str, ...]]] = [
    ("precondition 1 < 2", {}, tuple(body for body in BODIES if body != "APPLY")),
    ("requires 1 < 2", {}, ("OPERATION", "CREATE", "DESTROY", "SOURCED", "WORKFLOW", "REACTOR", "SOURCED_WORKFLOW")),
    ("let sum = 1 + 1", {}, BODIES),
    ("order := 2", {}, ("OPERATION", "CREATE", "DESTROY", "APPLY", "WORKFLOW", "REACTOR")),
    ("order += 2", {}, ("OPERATION", "CREATE", "DESTROY", "APPLY")),
    ('tags -= "x"', {}, ("OPERATION", "CREATE", "DESTROY", "APPLY")),
    (
        EMIT,
        {"CREATE": EMIT.replace("crane,", "id,"), "DESTROY": EMIT.replace("crane,", "id,"),
         "REACTOR": EMIT.replace("crane,", "moved.crane,"), "TEST": EMIT.replace("crane,", "crane.id,"),
         "SERVICE": EMIT.replace("crane,", "first.id,")},
        ("OPERATION", "CREATE", "DESTROY", "SOURCED", "SOURCED_CREATE", "WORKFLOW", "REACTOR", "SOURCED_WORKFLOW",
         "COMMAND", "TEST"),
    ),
    (
        "next()",
        {"SERVICE": "first.next()", "TEST": "crane.next()"} | dict.fromkeys(ENTRIES, "found.next()"),
        ("OPERATION", "SOURCED", "SERVICE", "WORKFLOW", "REACTOR", "COMMAND", "TEST"),
    ),
    (
        "for tag in tags { let same = tag }",
        {"SERVICE": "for tag in first.tags { let same = tag }"}
        | dict.fromkeys(ENTRIES, "for one in YardCranes.all() { let same = one }"),
        ("OPERATION", "CREATE", "DESTROY", "SERVICE", *ENTRIES),
    ),
    (
        "if let held = load { let same = held }",
        {"SERVICE": "if let held = first.load { let same = held }"}
        | dict.fromkeys(ENTRIES, "if let other = YardCranes.maybe(1) { let same = other }"),
        ("OPERATION", "SOURCED", "SOURCED_CREATE", "SERVICE", *ENTRIES),
    ),
    ("if 1 < 2 { let yes = 1 } else { let no = 2 }", {}, tuple(body for body in BODIES if body != "TEST")),
    (
        "if 1 < 2 { return 3 }",
        {},
        ("OPERATION", "SOURCED", "FUNCTION", "SERVICE", "WORKFLOW", "COMMAND", "QUERY"),
    ),
    (
        "match outcome { int n => { let same = n } HTTPLost e => { let last = e.order } }",
        {},
        ("OPERATION", "SERVICE", "COMMAND", "QUERY"),
    ),
    ('if 1 < 2 { notFound "gone" }', {}, ENTRIES),
    ('files.put("x", 1)', {}, ("WORKFLOW", "REACTOR", "SOURCED_WORKFLOW", "COMMAND")),
    ('let old = files.get("x")', {}, ENTRIES),
    ("afterCommit { let sum = 1 + 1 }", {}, ("WORKFLOW", "REACTOR", "SOURCED_WORKFLOW", "COMMAND")),
    (
        "enqueue MoveCrane(crane)",
        {"REACTOR": "enqueue MoveCrane(moved.crane)"},
        ("WORKFLOW", "REACTOR", "SOURCED_WORKFLOW", "COMMAND"),
    ),
    ("expect 1.toBe(1)", {}, ("TEST",)),
]  # fmt: skip
CELLS = [(body, spelled.get(body, row), body in allowed) for row, spelled, allowed in ROWS for body in BODIES]


def mistakes(body: str, statement: str) -> list[str]:
    """What is wrong with the model when `statement` stands in `body`."""
    text = MODEL.replace(f"<{body}>", statement)
    for other in BODIES:
        text = text.replace(f"<{other}>", "")
    result = parse("model.ddd", text.encode())
    lowered = lower_files({"model.ddd": result.ast})
    found = [*result.diagnostics, *lowered.diagnostics(), *lowered.validated()]
    return [item.code for item in found if item.severity is Severity.ERROR and not isinstance(item, UnsupportedFeature)]


def test_the_model_is_sound_without_them() -> None:
    assert mistakes("OPERATION", "") == []


@pytest.mark.parametrize(
    ("body", "statement", "allowed"), CELLS, ids=[f"{body}: {text}"[:70] for body, text, _ in CELLS]
)
def test_a_statement_stands_where_the_language_has_it(body: str, statement: str, allowed: bool) -> None:
    found = mistakes(body, statement)
    assert (found == []) is allowed, found
    assert not MEANINGLESS.intersection(found)
