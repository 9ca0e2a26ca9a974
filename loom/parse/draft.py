"""What the functions of the rules share: the tokens, their numbers, and what is wrong so far.

In: filled by the parser. Out: read and written by `rules/`.
Never: a decision about the grammar.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from loom.base import Diagnostic, NodePath, node_path
from loom.parse.ast import SYSTEM_CHUNK, Statement
from loom.parse.lexer import Tokens
from loom.parse.problems import ParseError, UiIgnored, offset_path


class Chunk(NamedTuple):
    """Tokens `first` to before `last` are those of one context."""

    label: str
    first: int
    last: int


class BlockMatch(NamedTuple):
    """A `match` with blocks, which only stands as a statement: the `if` that it means."""

    at: int
    statements: tuple[Statement, ...]


class Draft(msgspec.Struct):
    """A token is its index; `numbers` holds each one's number in its chunk, `label` names the open context.

    After a mistake, tokens between those in `lost` are in no node, those in `wounded` are of nodes
    that lack something, and `is_astray` says that it is not known what lies in what.
    """

    tokens: Tokens
    texts: list[str]
    numbers: list[int] = msgspec.field(default_factory=list)
    problems: list[Diagnostic] = msgspec.field(default_factory=list)
    chunks: list[Chunk] = msgspec.field(default_factory=list)
    counts: dict[str, int] = msgspec.field(default_factory=lambda: {SYSTEM_CHUNK: 1})
    label: str = ""
    first: int = 0
    has_interface: bool = False
    lost: list[tuple[int, int]] = msgspec.field(default_factory=list)
    wounded: list[tuple[int, int]] = msgspec.field(default_factory=list)
    is_astray: bool = False

    def place(self, number: int) -> NodePath:
        """Where the token of that number is, in the chunk under way."""
        return node_path(self.tokens.file, self.label or SYSTEM_CHUNK, number)

    def reject(self, number: int, found: str, advice: str) -> None:
        """Reports that what stands there may not."""
        self.problems.append(ParseError(at=self.place(number), case="form", found=found, advice=advice))

    def ignore(self, offset: int, word: str) -> None:
        """A part of a user interface is skipped; a file's first one is warned of."""
        if not self.has_interface:
            self.has_interface = True
            self.problems.append(UiIgnored(at=offset_path(self.tokens.file, offset), word=word))

    def open_chunk(self, first: int) -> None:
        """A context begins at token `first`."""
        name = self.texts[min(first + 1, len(self.texts) - 1)]
        count = self.counts[name] = self.counts.get(name, 0) + 1
        self.label = name if count == 1 else f"{name}~{count}"
        self.first = first

    def close_chunk(self, last: int) -> None:
        """The open context ends before token `last`."""
        self.chunks.append(Chunk(self.label, self.first, last))
        self.label = ""
