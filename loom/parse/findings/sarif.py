"""Findings as SARIF 2.1.0, the exchange format of code-scanning services.

In: findings. Out: text that is valid by SARIF's schema. Never: a path of this machine, or a time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from string import ascii_letters, digits

from loom.base import REGISTRY
from loom.parse.findings.finding import Finding
from loom.parse.findings.pages import page

_PLAIN = frozenset(ascii_letters + digits + "/-._~")
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(found: Sequence[Finding]) -> str:
    codes = sorted({item.code for item in found})
    run = {
        "tool": {"driver": {"name": "Loom", "rules": [_rule(code) for code in codes]}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, codes.index(item.code)) for item in found],
    }
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _uri(path: str) -> str:
    """The path with whatever a URI may not hold as percent signs and digits."""
    return "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02X}" for byte in path.encode())


def _rule(code: str) -> dict[str, object]:
    kind = REGISTRY[code]
    text = page(kind)
    return {
        "id": code,
        "name": kind.__name__,
        "shortDescription": {"text": text.splitlines()[0]},
        "help": {"text": text, "markdown": text},
        "defaultConfiguration": {"level": kind.severity.value},
    }


def _result(item: Finding, rule: int) -> dict[str, object]:
    return {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": item.severity.value,
        "message": {"text": f"{item.message}\n{item.help}".rstrip()},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(item.file)},
                    "region": {
                        "startLine": item.start.line,
                        "startColumn": item.start.column,
                        "endLine": item.end.line,
                        "endColumn": item.end.column,
                    },
                }
            }
        ],
    }
