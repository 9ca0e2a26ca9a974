"""Whatever a program says beyond the first language is a feature: named where it is used, or planned; never dropped.

Sparse fields of the IR are what constructs added to it. The table of features says which feature each belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from loom.base import Feature, Value, descendants
from loom.base.value import VALUE_TYPES
from loom.ir.uses import Uses
from loom.plan.features import PLANNED, SAID_BY, SILENT
from tests.kit.corpus import CORPUS, cases
from tests.kit.lowering import lower_files
from tests.kit.runs import parsed

_NAMED = re.compile(r"loom does not support (?P<feature>.+) yet")


def sparse_fields() -> set[str]:
    kinds = [kind for kind in VALUE_TYPES.values() if kind.__module__.startswith("loom.ir.")]
    return {f"{kind.__name__}.{name}" for kind in kinds for name in kind.sparse}


def said(program: Value) -> set[str]:
    """The sparse fields in which `program` says something."""
    return {
        f"{type(item).__name__}.{name}"
        for item in descendants(program)
        for name in item.sparse
        if getattr(item, name) != item.field_defaults()[name]
    }


class Said(NamedTuple):
    """A context or a system, and the uses that lowering saw in it."""

    program: Value
    uses: Uses


def unnamed(lowered: Said) -> Iterator[str]:
    """What the program says without naming its feature."""
    used = {use.feature for use in lowered.uses.entries}
    for field in sorted(said(lowered.program) - set(SILENT)):
        if not used & {feature for feature, fields in SAID_BY.items() if field in fields}:
            yield field


@cache
def corpus() -> list[Said]:
    """Every context and system of the corpus."""
    found: list[Said] = []
    for case in cases(CORPUS / "lower"):
        results = parsed({name: text.encode() for name, text in case.sources.items()})
        model = lower_files({name: result.ast for name, result in results.items()})
        found += [Said(item.context, item.uses) for item in model.contexts]
        found += [Said(model.system.system, model.system.uses)] if model.system is not None else []
    return found


def test_every_construct_of_the_program_belongs_to_a_feature() -> None:
    assert sparse_fields() == {field for fields in (SILENT, *SAID_BY.values()) for field in fields}


def test_every_feature_is_planned_or_named_in_a_case() -> None:
    texts = [path.read_text(encoding="utf-8") for path in CORPUS.rglob("*.md")]
    named = {match["feature"] for text in texts for match in _NAMED.finditer(text)}
    assert {feature.value for feature in set(Feature) - PLANNED} <= named


def test_what_the_corpus_says_is_named() -> None:
    assert {field for item in corpus() for field in said(item.program)} >= sparse_fields() - set(SILENT)
    assert [field for item in corpus() for field in unnamed(item)] == []


def test_a_use_that_nobody_names_would_be_seen() -> None:
    filtered = next(item for item in corpus() if "Aggregate.filters" in said(item.program))
    assert "Aggregate.filters" in list(unnamed(filtered._replace(uses=Uses())))
