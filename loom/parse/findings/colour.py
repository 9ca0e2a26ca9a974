"""The text form of diagnostics in the colours of a terminal.

In: text. Out: the same text with escape sequences around severities, codes, places, carets and advice.
Never: a look at the terminal: whether it wants colours is its caller's business.
"""

from __future__ import annotations

import re

_RESET = "\x1b[0m"
_BOLD, _RED, _YELLOW, _BLUE, _GREEN = "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[34m", "\x1b[32m"
_HEADING = re.compile(r"^(error|warning)(\[[\w.-]+\])(: .*)$", re.M)
_PLACE = re.compile(r"^( --> )(\S.*)$", re.M)
_CARET = re.compile(r"^( *\| [ \t]*)(\^+)$", re.M)
_HELP = re.compile(r"^help:", re.M)


def coloured(text: str) -> str:
    """Only whole lines of the text form are recognised, so that an excerpt stays as it is."""
    text = _HEADING.sub(_heading, text)
    text = _PLACE.sub(rf"\1{_BLUE}\2{_RESET}", text)
    text = _CARET.sub(rf"\1{_RED}\2{_RESET}", text)
    return _HELP.sub(f"{_GREEN}help:{_RESET}", text)


def _heading(match: re.Match[str]) -> str:
    paint = _RED if match[1] == "error" else _YELLOW
    return f"{paint}{match[1]}{match[2]}{_RESET}{_BOLD}{match[3]}{_RESET}"
