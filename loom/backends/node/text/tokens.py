"""TypeScript as tokens.

In: a text. Out: tokens with their places, the last one empty.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# After these a slash divides; after any other operator it begins a pattern, and after these words.
_ENDS_OPERAND = frozenset(")]}")
_BEFORE_PATTERN = frozenset({"await", "return", "typeof", "void"})
# A template with holes, and a slash, need a closer look.
_TOKEN = re.compile(
    r"""[\s\ue000]*(?:(?P<name>[\w$\u0080-\ud7ff\uf900-\uffff]+)|(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"|(?P<template>`[^`$\\]*`)|(?P<special>[`/])"
    r"|(?P<operator>===|!==|\.\.\.|\?\?|\?\.|=>|&&|\|\||[<>]=|[-+*%<>=!?:;,.(){}\[\]|&])|(?P<end>$))"
)
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
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise ValueError(f"not TypeScript that we print: {text[place : place + 40]!r}")
        kind = match.lastgroup
        start, place = match.span(kind)
        token = Token(kind, text[start:place], start, place)
        if kind == "special":
            token = _special(text, start, is_operand)
            place = token.end
        elif kind == "end":
            return [*found, Token("", "", start, start)]
        found.append(token)
        is_operand = token.text in _ENDS_OPERAND if token.kind == "operator" else token.text not in _BEFORE_PATTERN


def _special(text: str, place: int, is_operand: bool) -> Token:
    if text[place] == "`":
        end = _template_end(text, place)
        return Token("template", text[place:end], place, end)
    if not is_operand and (pattern := _PATTERN.match(text, place)):
        return Token("regex", pattern[0], place, pattern.end())
    return Token("operator", "/", place, place + 1)


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
            place = _string_end(text, place)
            continue
        depth += (text[place] == "{") - (text[place] == "}")
        place += 1
    return place


def _string_end(text: str, place: int) -> int:
    match = _TOKEN.match(text, place)
    assert match is not None
    return match.end()
