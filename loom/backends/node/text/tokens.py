"""TypeScript as tokens.

In: a text. Out: tokens with their places, the last one empty.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# After these a slash divides; after any other operator it begins a pattern, and after these words.
_ENDS_OPERAND = frozenset(")]}")
_BEFORE_PATTERN = frozenset({"await", "return", "typeof", "void"})
_TOKEN = re.compile(
    r"""(?P<name>[\w$\u0080-\uffff]+)|(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"|(?P<operator>===|!==|\.\.\.|\?\?|\?\.|=>|&&|\|\||[<>]=|[-+*/%<>=!?:;,.(){}\[\]|&])"
)
_SPACE = re.compile(r"[\s\ue000]*")
_PATTERN = re.compile(r"/(?:[^/\\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/\w*")


class Token(NamedTuple):
    kind: str  # name, string, template, regex, operator, or nothing at the end
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    place, is_operand = 0, False
    while True:
        space = _SPACE.match(text, place)
        assert space is not None
        place = space.end()
        if place == len(text):
            return [*found, Token("", "", place, place)]
        token = _next(text, place, is_operand)
        found.append(token)
        place = token.end
        is_operand = token.text in _ENDS_OPERAND if token.kind == "operator" else token.text not in _BEFORE_PATTERN


def _next(text: str, place: int, is_operand: bool) -> Token:
    if text[place] == "`":
        end = _template_end(text, place)
        return Token("template", text[place:end], place, end)
    if text[place] == "/" and not is_operand and (pattern := _PATTERN.match(text, place)):
        return Token("regex", pattern[0], place, pattern.end())
    match = _TOKEN.match(text, place)
    if match is None or match.lastgroup is None:
        raise ValueError(f"not TypeScript that we print: {text[place : place + 40]!r}")
    return Token(match.lastgroup, match[0], place, match.end())


def _template_end(text: str, place: int) -> int:
    """Where the template that begins at `place` ends."""
    place += 1
    while text[place] != "`":
        if text[place] == "\\":
            place += 2
        elif text.startswith("${", place):
            place = hole_end(text, place + 2) + 1
        else:
            place += 1
    return place + 1


def hole_end(text: str, place: int) -> int:
    """Where the brace is that closes a hole whose inside begins at `place`."""
    depth = 0
    while depth or text[place] != "}":
        if text[place] == "`":
            place = _template_end(text, place)
            continue
        if text[place] in "'\"":
            match = _TOKEN.match(text, place)
            assert match is not None
            place = match.end()
            continue
        depth += (text[place] == "{") - (text[place] == "}")
        place += 1
    return place
