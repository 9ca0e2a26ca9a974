"""Diagnostics for other programs: the same findings as JSON, as SARIF by its schema, as GitHub's commands."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from loom.base import REGISTRY, Diagnostic, node_path
from loom.parse import parse, report
from loom.parse.findings import Finding, counts, findings, github, json_text, sarif
from loom.parse.findings.colour import coloured
from loom.parse.findings.reference import near_codes, reference
from loom.parse.parser import readable
from loom.parse.report import Source
from loom.plan.scenarios.problems import E2eUnknownField

SCHEMA = Path(__file__).parents[2] / "kit" / "schemas" / "sarif-2.1.0.json"
FILE = "sky model/dome, 100%:a.ddd"
SOURCE = (
    "context Observatory {\n"
    '  aggregate DomeMotor { label: string = "\N{TELESCOPE}" focalLength decimal }\n'
    "  agregate HTTPServer { end: int }\n"
    "}\n"
    "ui { }\n"
)


def found(text: str = SOURCE) -> tuple[Finding, ...]:
    result = parse(FILE, text.encode())
    sources = {FILE: Source(readable(FILE, text.encode()), result.origins)}
    return findings([*reversed(result.diagnostics), *result.diagnostics], sources)


def test_findings_are_in_order_and_there_once() -> None:
    assert [(item.start.line, item.code, item.severity) for item in found()] == [
        (2, "loom.parse-error", "error"),
        (3, "loom.parse-error", "error"),
        (5, "loom.ui-ignored", "warning"),
    ]


def test_what_is_said_of_one_place_is_told_once_in_every_form_whatever_is_advised() -> None:
    at = node_path(FILE, "system", 1)
    known = [E2eUnknownField(at=at, case="named", owner="`open`", name="nte", known=name) for name in ("`by`", "`end`")]
    assert known[0] != known[1] and len(findings(known, {})) == 1 == report(known, {}).count("warning[")


def test_columns_count_code_points_and_end_behind_the_token() -> None:
    first = found()[0]
    assert SOURCE.splitlines()[1][first.start.column - 1 : first.end.column - 1] == "focalLength"
    assert SOURCE[first.start.offset : first.end.offset] == "focalLength"


def test_json_has_every_field_of_every_finding() -> None:
    whole = json.loads(json_text(found()))
    assert (whole["version"], whole["errors"], whole["warnings"]) == (1, 2, 1)
    assert whole["diagnostics"][1] == {
        "code": "loom.parse-error", "severity": "error", "message": "unexpected `agregate`",
        "help": "did you mean `aggregate`?", "file": FILE,
        "start": {"line": 3, "column": 3, "offset": SOURCE.index("agregate")},
        "end": {"line": 3, "column": 11, "offset": SOURCE.index("agregate") + 8},
    }  # fmt: skip


@pytest.mark.parametrize("text", [SOURCE, "", "context Observatory {\n"])
def test_sarif_is_valid_by_its_schema(text: str) -> None:
    validator = Draft7Validator(json.loads(SCHEMA.read_text()))
    assert [error.message for error in validator.iter_errors(json.loads(sarif(found(text))))] == []


def test_the_schema_of_sarif_finds_mistakes() -> None:
    whole = json.loads(sarif(found()))
    whole["runs"][0]["results"][0]["level"] = "fatal"
    assert list(Draft7Validator(json.loads(SCHEMA.read_text())).iter_errors(whole))


def test_sarif_names_rules_and_escapes_paths() -> None:
    run = json.loads(sarif(found()))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert all(len(rule["help"]["text"].split()) > 3 for rule in rules)
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "sky%20model/dome%2C%20100%25%3Aa.ddd"
    assert place["region"] == {"startLine": 2, "startColumn": 45, "endLine": 2, "endColumn": 56}


def test_github_commands_are_one_line_each_and_escaped() -> None:
    lines = github(found()).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::error", "::warning"]
    assert lines[1] == (
        "::error file=sky model/dome%2C 100%25%3Aa.ddd,line=3,endLine=3,col=3,endColumn=10,title=loom.parse-error"
        "::unexpected `agregate`%0Adid you mean `aggregate`?"
    )


@pytest.mark.parametrize(
    ("errors", "warnings", "said"),
    [(0, 0, "no mistakes"), (1, 0, "1 error"), (2, 1, "2 errors, 1 warning"), (0, 12, "12 warnings")],
)
def test_counts(errors: int, warnings: int, said: str) -> None:
    assert counts(errors, warnings) == said


def test_colours_change_nothing_but_colours() -> None:
    result = parse(FILE, SOURCE.encode())
    text = report(result.diagnostics, {FILE: Source(SOURCE, result.origins)})
    painted = coloured(text)
    assert "\x1b[1;31merror[loom.parse-error]\x1b[0m" in painted
    assert "\x1b[1;33mwarning[loom.ui-ignored]\x1b[0m" in painted
    for sequence in ("\x1b[0m", "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[34m", "\x1b[32m"):
        painted = painted.replace(sequence, "")
    assert painted == text


def test_an_excerpt_that_looks_like_a_heading_is_not_painted() -> None:
    assert coloured("2 | error[loom.parse-error]: x\n") == "2 | error[loom.parse-error]: x\n"


class Foreign(Diagnostic):
    """A diagnostic of somebody else, as other tests register them."""

    message = "the dome HTTPServer is shut"


def test_reference_has_every_code_once_with_its_page() -> None:
    text = reference([*REGISTRY.values(), Foreign])
    own = [code for code, kind in REGISTRY.items() if kind.__module__.startswith("loom.")]
    headings = [line.removeprefix("### ") for line in text.splitlines() if line.startswith("### ")]
    assert sorted(headings) == sorted(own) and len(headings) > 10
    assert text.startswith(f"# Diagnostics\n\n{len(own)} codes")
    pages = text.split("### ")[1:]
    for page in pages:
        kind = REGISTRY[page.splitlines()[0]]
        assert (inspect.getdoc(kind) or "?") in page
        assert f"{kind.severity.capitalize()}.\n" in page


def test_reference_is_the_same_whatever_is_loaded_first() -> None:
    kinds = list(REGISTRY.values())
    assert reference(reversed(kinds)) == reference(kinds)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("loom.parse-eror", "loom.parse-error"),
        ("loom.string", "loom.unclosed-string"),
        ("loom.BidiControl", "loom.bidi-control"),
    ],
)
def test_near_codes_are_spelt_alike_or_hold_the_word(name: str, near: str) -> None:
    assert near in near_codes(name, REGISTRY)


def test_nothing_is_near_to_noise() -> None:
    assert near_codes("loom.qqqqqq", REGISTRY) == ()
