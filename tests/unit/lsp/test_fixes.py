"""Quick fixes: where an advice names the word that was meant, putting it there is all that is needed."""

from __future__ import annotations

import pytest

from loom.lsp.fixes import Fix, fixes
from loom.parse import parse
from loom.parse.findings import findings
from loom.parse.report import Source
from tests.architecture.test_manual import shown
from tests.kit.fragments import AROUND, mistakes

EXAMPLES = shown()
# What is wrong there is one word, and the compiler knows the one that was meant.
HINTED = [
    code
    for code, item in EXAMPLES.items()
    if any("did you mean" in problem.help_text() for problem in mistakes(item.place, item.wrong))
]


def offered(place: str, text: str) -> tuple[str, list[Fix]]:
    """The whole text, and what would be done about the mistakes in it."""
    whole = AROUND[place].format(text)
    sources = {"page.ddd": Source(whole, parse("page.ddd", whole.encode()).origins)}
    return whole, list(fixes(findings(mistakes(place, text), sources), whole))


def fixed(place: str, text: str) -> str:
    whole, found = offered(place, text)
    (fix,) = found
    return whole[: fix.start] + fix.text + whole[fix.end :]


@pytest.mark.parametrize("code", [*HINTED, "loom.bare-aggregate-in-type", "loom.intrinsic-bare"])
def test_the_word_that_was_meant_mends_the_mistake(code: str) -> None:
    item = EXAMPLES[code]
    assert code not in {problem.code for problem in mistakes("", fixed(item.place, item.wrong))}


def test_many_mistakes_have_such_a_hint() -> None:
    assert {"loom.unknown-type", "loom.unknown-name", "loom.workflow-unknown-operation"} < set(HINTED)


def test_an_advice_for_more_than_a_word_is_no_fix() -> None:
    for code in ("condition-not-bool", "workflow-load-nullable-unsupported", "duplicate-field", "unclosed-string"):
        item = EXAMPLES[f"loom.{code}"]
        assert offered(item.place, item.wrong)[1] == []


def test_a_text_that_was_edited_meanwhile_is_left_alone() -> None:
    item = EXAMPLES["loom.unknown-type"]
    whole = AROUND[item.place].format(item.wrong)
    sources = {"page.ddd": Source(whole, parse("page.ddd", whole.encode()).origins)}
    found = findings(mistakes(item.place, item.wrong), sources)
    assert list(fixes(found, whole)) != [] and list(fixes(found, f"// HTTPEnd\n{whole}")) == []


def test_what_stands_in_quotes_keeps_them() -> None:
    item = EXAMPLES["loom.e2e-enum-value"]
    assert 'soil: "Sand"' in fixed(item.place, item.wrong)
