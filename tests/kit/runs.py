"""How a corpus case of each stage is run: sources in, trees and diagnostics as text out.

A stage that wants cases adds one function to `RUNS`, under the name of its folder in `tests/corpus/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from loom.base import Diagnostic
from loom.lower.problems import UnsupportedFeature
from loom.parse import ParseResult, parse, tables
from loom.parse.damage import believed
from loom.parse.parser import readable
from loom.parse.report import Place, Source, place
from loom.parse.stage import check_imports, parse_file
from tests.kit.lowering import lower_files
from tests.kit.outline import outline
from tests.kit.planned import lowered, plan_text, planned
from tests.kit.trees import tree_text

BEFORE = "before.ddd"
LOCKED = "locked.ddd"

Sources = Mapping[str, bytes]


@dataclass(frozen=True)
class Outcome:
    """`trees` has a text for AST, IR, PLAN, as far as the stage goes."""

    trees: Mapping[str, str]
    diagnostics: str


def parsed(sources: Sources) -> dict[str, ParseResult]:
    """Every file parsed."""
    return {name: parse(name, data) for name, data in sources.items()}


def diagnostics_text(diagnostics: Iterable[Diagnostic], sources: Sources) -> str:
    """The diagnostics in the order of their places, without excerpts: message, place, help."""
    known = {name: Source(readable(name, sources[name]), result.origins) for name, result in parsed(sources).items()}
    located = sorted(
        {(place(item, known), item.code, item.text(), item.severity, item.help_text()) for item in diagnostics}
    )
    return "\n".join(_entry(*item) for item in located)


def _entry(where: Place, code: str, text: str, severity: str, help_text: str) -> str:
    lines = [f"{severity}[{code}]: {text}", f"  at {where.file}:{where.start.line}:{where.start.column}"]
    return "\n".join([*lines, f"  help: {help_text}"] if help_text else lines)


def run_parse(sources: Sources) -> Outcome:
    trees = "\n".join(tree_text(result.ast) for result in parsed(sources).values())
    grammar, problems = tables(), []
    for name, data in sources.items():
        parts, own = parse_file(name, data, grammar)
        problems += [*own, *check_imports(parts.entries, tuple(sources), tuple(sources))[1]]
    return Outcome({"AST": trees}, diagnostics_text(problems, sources))


def run_plan(sources: Sources) -> Outcome:
    """With a file `before.ddd`, its tables are what was recorded; with `locked.ddd`, also all that may be."""
    now = {name: data for name, data in sources.items() if name not in (BEFORE, LOCKED)}
    recorded = next((name for name in (BEFORE, LOCKED) if name in sources), "")
    before = lowered({recorded: sources[recorded]}) if recorded else None
    found = planned(lowered(now), before, is_closed=recorded == LOCKED)
    return Outcome({"PLAN": plan_text(found.contexts)}, diagnostics_text(found.diagnostics, now))


def _whole(results: Mapping[str, ParseResult], found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What parsing found, and what is worth saying of the rest after that."""
    damages = {name: result.damage for name, result in results.items() if result.damage is not None}
    return [*(problem for result in results.values() for problem in result.diagnostics), *believed(found, damages)]


def run_lower(sources: Sources) -> Outcome:
    """Parsing and lowering: a case without a system has none lowered, so that it need not declare one."""
    results = parsed(sources)
    model = lower_files({name: result.ast for name, result in results.items()})
    found = _whole(results, [*model.diagnostics(), *model.unplanned()])
    return Outcome({}, diagnostics_text(found, sources))


def run_validate(sources: Sources) -> Outcome:
    """What validation adds to lowering, whose own mistakes are shown too."""
    results = parsed(sources)
    model = lower_files({name: result.ast for name, result in results.items()})
    found = _whole(results, [*model.diagnostics(), *model.unplanned(), *model.validated()])
    return Outcome({}, diagnostics_text(found, sources))


def run_models(sources: Sources) -> Outcome:
    """What a whole model means, and what is wrong with it besides what nobody can plan yet."""
    results = parsed(sources)
    model = lower_files({name: result.ast for name, result in results.items()})
    found = _whole(results, [*model.diagnostics(), *model.validated()])
    problems = [problem for problem in found if not isinstance(problem, UnsupportedFeature)]
    return Outcome({"IR": "\n".join(outline(model))}, diagnostics_text(problems, sources))


RUNS: dict[str, Callable[[Sources], Outcome]] = {
    "parse": run_parse,
    "lower": run_lower,
    "validate": run_validate,
    "plan": run_plan,
    "models": run_models,
}
