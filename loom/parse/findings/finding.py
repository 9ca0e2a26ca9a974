"""A diagnostic as another program wants it: words and places, nothing left to look up.

In: diagnostics and the files that they are about. Out: findings, each once, in the order of their places.
Never: a format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loom.base import Diagnostic, Position, Severity
from loom.parse.report import Source, located


class Finding(NamedTuple):
    """`end` is behind the last character; `help` is empty when there is nothing to advise."""

    file: str
    start: Position
    end: Position
    code: str
    severity: Severity
    message: str
    help: str


def findings(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> tuple[Finding, ...]:
    return tuple(
        Finding(*where, item.code, item.severity, item.text(), item.help_text())
        for where, item in located(diagnostics, sources)
    )


def counts(errors: int, warnings: int) -> str:
    """The last line of a report."""
    if not errors + warnings:
        return "no mistakes"
    return ", ".join(_count(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
