"""Findings as one JSON object.

In: findings. Out: text. Never: a field that is sometimes absent.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from loom.base import Position, Severity
from loom.parse.findings.finding import Finding

VERSION = 1


def json_text(found: Sequence[Finding]) -> str:
    errors = sum(item.severity is Severity.ERROR for item in found)
    whole = {
        "version": VERSION,
        "errors": errors,
        "warnings": len(found) - errors,
        "diagnostics": [_entry(item) for item in found],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _entry(item: Finding) -> dict[str, object]:
    return {
        "code": item.code,
        "severity": item.severity.value,
        "message": item.message,
        "help": item.help,
        "file": item.file,
        "start": _position(item.start),
        "end": _position(item.end),
    }


def _position(position: Position) -> dict[str, int]:
    return {"line": position.line, "column": position.column, "offset": position.offset}
