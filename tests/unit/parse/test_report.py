"""Diagnostics print in order, once each, with the line and a caret under the token."""

from __future__ import annotations

from loom.parse import parse, report
from loom.parse.parser import readable
from loom.parse.report import Source

SOURCE = (
    "context Observatory {\n\taggregate StarTracker { focalLength decimal }\n  agregate DomeMotor { end: int }\n}\n"
)


def _printed(text: str, file: str = "sky.ddd") -> str:
    result = parse(file, text.encode())
    sources = {file: Source(readable(file, text.encode()), result.origins)}
    return report([*reversed(result.diagnostics), *result.diagnostics], sources)


def test_the_whole_form() -> None:
    assert _printed(SOURCE) == (
        "error[loom.parse-error]: unexpected `focalLength`\n"
        " --> sky.ddd:2:26\n"
        "  |\n"
        "2 | \taggregate StarTracker { focalLength decimal }\n"
        "  | \t                        ^^^^^^^^^^^\n"
        "help: write `focalLength: decimal` for a field\n"
        "\n"
        "error[loom.parse-error]: unexpected `agregate`\n"
        " --> sky.ddd:3:3\n"
        "  |\n"
        "3 |   agregate DomeMotor { end: int }\n"
        "  |   ^^^^^^^^\n"
        "help: did you mean `aggregate`?\n"
    )


def test_a_long_line_is_cut_around_the_caret() -> None:
    printed = _printed("context A { enum B { " + "Value " * 200 + "3" + " Value" * 200 + " } }")
    excerpt = next(line for line in printed.splitlines() if line.startswith("1 | "))
    caret = next(line for line in printed.splitlines() if line.startswith("  | ") and "^" in line)
    assert len(excerpt) < 200
    assert excerpt[caret.index("^")] == "3"


def test_a_mistake_at_the_very_end_has_a_place() -> None:
    assert " --> sky.ddd:2:1\n" in _printed("context A {\n")


def test_characters_that_a_terminal_acts_on_are_not_printed() -> None:
    printed = _printed('context A { enum B { 3 } } // \x1b[31m\u202e "')
    assert "\x1b" not in printed
    assert "\u202e" not in printed


def test_a_file_that_is_not_known_is_named_all_the_same() -> None:
    result = parse("sky.ddd", b"context {")
    assert report(result.diagnostics, {}).startswith("error[loom.parse-error]: unexpected `{`\n --> sky.ddd:1:1\n")
