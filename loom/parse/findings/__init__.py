"""Diagnostics for other programs: with lines and columns, as JSON, SARIF, GitHub's commands."""

from collections.abc import Callable, Mapping, Sequence

from loom.parse.findings.finding import Finding, counts, findings
from loom.parse.findings.github import github
from loom.parse.findings.json_text import json_text
from loom.parse.findings.sarif import sarif

Format = Callable[[Sequence[Finding]], str]
FORMATS: Mapping[str, Format] = {"json": json_text, "sarif": sarif, "github": github}
"""By the name that a person asks for."""

__all__ = ["FORMATS", "Finding", "Format", "counts", "findings", "github", "json_text", "sarif"]
