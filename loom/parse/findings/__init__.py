"""Diagnostics for other programs: with lines and columns, as JSON, SARIF, GitHub's commands."""

from loom.parse.findings.finding import Finding, counts, findings
from loom.parse.findings.github import github
from loom.parse.findings.json_text import json_text
from loom.parse.findings.sarif import sarif

__all__ = ["Finding", "counts", "findings", "github", "json_text", "sarif"]
