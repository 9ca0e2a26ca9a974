"""A whole file in its canonical layout.

In: the path and text of a `.ddd` file. Out: its text, or why it cannot be laid out.
Never: a change of anything but the blanks between tokens; so the tree stays the same to the last byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from loom.base import Diagnostic, Severity
from loom.parse.formatter.layout import Layout
from loom.parse.formatter.outline import outline
from loom.parse.formatter.pieces import Piece, pieces
from loom.parse.formatter.tree import Builder
from loom.parse.lexer import Tokens, tokenize
from loom.parse.parser import decode, parse
from loom.parse.problems import NestingTooDeep, offset_path
from loom.parse.tables import Tables, load, ready

DEEPEST = 60
_OPENING, _CLOSING = frozenset(("(", "[", "{")), frozenset((")", "]", "}"))


class Unreadable(NamedTuple):
    """A file with mistakes stays as it is: nobody knows what its author meant."""

    diagnostics: tuple[Diagnostic, ...]


class Formatted(NamedTuple):
    """`before` are the tokens of the author's text, `after` those of `text`."""

    text: str
    before: Tokens
    after: Tokens


def format_text(path: str, data: bytes) -> str | Unreadable:
    """The canonical text, with the file's own kind of line breaks."""
    found = formatted(path, data)
    return found if isinstance(found, Unreadable) else found.text


def formatted(path: str, data: bytes) -> Formatted | Unreadable:
    source = decode(path, data)
    if isinstance(source, Diagnostic):
        return Unreadable((source,))
    tables = grammar()
    tokens = tokenize(path, source, tables.words)
    # The outline sees brackets and lists; that a clause is given twice, say, only the tree shows.
    # kept by tests/unit/parse/test_formatter.py::test_file_whose_mistake_is_one_of_form_stays_as_it_is
    found = parse(path, data, tables=ready()).diagnostics
    mistakes = tuple(item for item in found if item.severity is Severity.ERROR)
    seen = None if mistakes else outline(tables, tokens)
    if seen is None:
        return Unreadable(mistakes)
    written = pieces(tokens)
    deep = _too_deep(written)
    if deep is not None:
        return Unreadable((NestingTooDeep(at=offset_path(path, deep.start), deepest=DEEPEST),))
    text = _broken_as(source, Layout(seen, written).file(Builder(seen, written).file()))
    after = tokenize(path, text, tables.words)
    if list(_said(after)) != list(_said(tokens)):
        raise AssertionError(f"the layout of {path} would say something else; the file stays as it is")
    return Formatted(text, tokens, after)


@lru_cache(maxsize=1)
def grammar() -> Tables:
    return load(ready())


def _too_deep(written: list[Piece]) -> Piece | None:
    """The first bracket that is nested deeper than anybody would read."""
    depth = 0
    for piece in written:
        depth += (piece.text in _OPENING) - (piece.text in _CLOSING)
        if depth > DEEPEST:
            return piece
    return None


def _said(tokens: Tokens) -> Iterator[tuple[str, str]]:
    """Kinds and texts; what is between the brackets of `[ ]` says nothing."""
    for kind, text in zip(tokens.kinds, tokens.texts, strict=True):
        yield kind, "" if kind == "EMPTY_LIST" else text


def _broken_as(source: str, text: str) -> str:
    r"""With `\r\n` where the file has it throughout."""
    is_windows = "\r\n" in source and source.count("\r\n") == source.count("\n")
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if is_windows else text
