"""The regular expressions that mean the same on every target.

In: a pattern. Out: why it is outside the common subset, or nothing.
Never: matching anything.
"""

from __future__ import annotations

import re

_ESCAPES = frozenset("dDwWsSbBtnrfv")
_GROUP = re.compile(r"\((?!\?)|\(\?:")
_SPECIAL_GROUPS = {
    "(?=": "look-ahead",
    "(?!": "look-ahead",
    "(?<=": "look-behind",
    "(?<!": "look-behind",
    "(?P": "a named group",
    "(?<": "a named group",
    "(?>": "an atomic group",
    "(?#": "a comment",
}
_POSSESSIVE = re.compile(r"[*+?}]\+")
_POSIX = re.compile(r"\[:\w+:\]")


def outside_subset(pattern: str) -> str:
    """Why `pattern` cannot be used everywhere; empty when it can."""
    plain, reason = _without_escapes(pattern)
    return reason or _outside_classes(_without_classes(plain), plain) or _broken(pattern)


def _without_escapes(pattern: str) -> tuple[str, str]:
    """The pattern with each escape replaced by a harmless character, or what is wrong with an escape."""
    kept: list[str] = []
    position = 0
    while position < len(pattern):
        if pattern[position] != "\\":
            kept.append(pattern[position])
            position += 1
            continue
        escaped = pattern[position + 1 : position + 2]
        if escaped.isdigit():
            return "", "a back reference"
        if escaped.isalpha() and escaped not in _ESCAPES:
            return "", f"the escape `\\{escaped}`"
        kept.append("_")
        position += 2
    return "".join(kept), ""


def _without_classes(plain: str) -> str:
    return re.sub(r"\[\^?\]?[^\]]*\]", "_", plain)


def _outside_classes(outside: str, plain: str) -> str:
    if _POSIX.search(plain) or "&&" in plain or "[[" in plain:
        return "a character class inside a character class"
    for start, reason in _SPECIAL_GROUPS.items():
        if start in outside:
            return reason
    if "(?" in _GROUP.sub("_", outside):
        return "a flag"
    return "a possessive quantifier" if _POSSESSIVE.search(outside) else ""


def _broken(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        return error.msg
    return ""
