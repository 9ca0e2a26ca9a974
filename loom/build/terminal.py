"""Colours, where somebody sees them; and what to do when nobody reads any more.

In: text and the stream that it goes to. Out: the text, painted for a terminal that has colours.
Never: an escape sequence in a file, in a pipe, or against `NO_COLOR`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TextIO

_READ = 400


def painted(text: str, stream: TextIO, environment: Mapping[str, str] = os.environ) -> str:
    if not text or not wants_colours(stream, environment):
        return text
    # Loaded late: most runs say nothing, and the parser's room brings pydantic.
    # kept by tests/engine/core/test_doit.py::test_nothing_to_do_imports_no_compiler
    from loom.parse.findings.colour import coloured

    return coloured(text)


def wants_colours(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """`NO_COLOR` counts when it holds anything; a dumb terminal has no colours."""
    if environment.get("NO_COLOR") or environment.get("TERM") == "dumb":
        return False
    return stream.isatty()


def grouped(title: str, text: str, environment: Mapping[str, str] = os.environ) -> str:
    """Folded away where the log can be: GitHub's."""
    if not text or environment.get("GITHUB_ACTIONS") != "true":
        return text
    return f"::group::{title}\n{text}::endgroup::\n"


def harmless(text: str) -> str:
    """What strangers wrote, without anything that a terminal would obey, and not more than a person reads."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_READ])


def hung_up() -> int:
    """The exit code for a reader that closed early; what is still unsaid goes nowhere, at exit too.

    The signal stays ignored: with its default, a cache that closes its connection would end us as well.
    kept by tests/engine/project/test_cli.py::test_a_command_leaves_the_signals_of_its_process_alone
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    return 1
