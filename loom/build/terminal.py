"""Colours, where somebody sees them.

In: text and the stream that it goes to. Out: the text, painted for a terminal that has colours.
Never: an escape sequence in a file, in a pipe, or against `NO_COLOR`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO


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
