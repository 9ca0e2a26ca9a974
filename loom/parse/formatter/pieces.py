"""The file as pieces of text that layout never changes, and the comments between them.

In: tokens and the text that they are of. Out: a `Piece` for each token.
Never: a piece inside a template: a template is one piece, as it is written.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from loom.parse.lexer import Tokens, token_end

_COMMENT = re.compile(r"//[^\n]*|/\*(?s:.)*?\*/")
_TEMPLATE_END = re.compile(r"(?:[^`\\]++|\\(?s:.))*+`")


class Comment(NamedTuple):
    """`lines` is how many line breaks stand before it."""

    text: str
    lines: int

    @property
    def ends_line(self) -> bool:
        return self.text.startswith("//")


class Piece(NamedTuple):
    """A token as written; what stands before it: comments, line breaks behind the last one, whether any blank."""

    text: str
    start: int
    end: int
    comments: tuple[Comment, ...]
    lines: int
    spaced: bool


def pieces(tokens: Tokens) -> list[Piece]:
    """One for each token; those inside a template are empty."""
    found: list[Piece] = []
    behind, inside = 0, 0
    for number, (kind, start) in enumerate(zip(tokens.kinds, tokens.starts, strict=True)):
        if inside == 0:
            comments, lines = _trivia(tokens.source[behind:start])
        inside += (kind == "TEMPLATE_OPEN") - (kind == "TEMPLATE_CLOSE")
        if inside or kind == "TEMPLATE_CLOSE":
            if kind == "TEMPLATE_OPEN" and inside == 1:
                opened = number
                found.append(Piece("", start, start, comments, lines, start > behind))
            else:
                found.append(Piece("", start, start, (), 0, False))
            if inside == 0:
                behind = _template_end(tokens.source, start)
                first = found[opened]
                found[opened] = first._replace(text=tokens.source[first.start : behind], end=behind)
            continue
        end = _end(tokens.source, kind, start)
        found.append(Piece(_text(tokens.source, kind, start, end), start, end, comments, lines, start > behind))
        behind = end
    return found


def _end(source: str, kind: str, start: int) -> int:
    if kind == "$END":
        return start
    return _template_end(source, start) if kind == "TEMPLATE_FULL" else token_end(source, start)


def _template_end(source: str, start: int) -> int:
    """Behind the back-tick that closes the template; its last part begins at `start`."""
    match = _TEMPLATE_END.match(source, start + 1)
    return match.end() if match else len(source)


def _text(source: str, kind: str, start: int, end: int) -> str:
    return "[]" if kind == "EMPTY_LIST" else source[start:end]


def _trivia(text: str) -> tuple[tuple[Comment, ...], int]:
    comments, behind = [], 0
    for match in _COMMENT.finditer(text):
        comments.append(Comment(match[0].rstrip(), text.count("\n", behind, match.start())))
        behind = match.end()
    return tuple(comments), text.count("\n", behind)
