"""Findings as commands of a GitHub workflow, which shows them beside the lines.

In: findings. Out: one line each. Never: a line break or mark of theirs that would end the command early.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.parse.findings.finding import Finding

_MESSAGE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github(found: Sequence[Finding]) -> str:
    return "".join(map(_line, found))


def _line(item: Finding) -> str:
    """GitHub's end column is that of the last character; it takes columns only within one line."""
    properties = {"file": item.file, "line": str(item.start.line), "endLine": str(item.end.line)}
    if item.start.line == item.end.line:
        last = max(item.start.column, item.end.column - 1)
        properties |= {"col": str(item.start.column), "endColumn": str(last)}
    said = ",".join(f"{name}={text.translate(_PROPERTY)}" for name, text in (properties | {"title": item.code}).items())
    message = f"{item.message}\n{item.help}".rstrip().translate(_MESSAGE)
    return f"::{item.severity.value} {said}::{message}\n"
