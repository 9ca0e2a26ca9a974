"""Texts that are nearly models: the corpus and random sentences of the grammar, with pieces moved, lost and broken.

In: a random generator, the texts to begin with. Out: bytes; the same generator gives the same.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from loom.parse.tables import compiled
from tests.kit.corpus import cases
from tests.kit.grammar_models import sentence

MOST = 6000
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|[A-Za-z_]\w*|\d+|\s+|[^\w\s]', re.S)
_BROKEN = (
    b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xf8\x88\x80\x80\x80",
    b"\x00", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\xf0\x9f\x8c\xb1", b"\r", b"\x0c", b"\x1b[2J",
    b"\x7f",
)  # fmt: skip
_TEXTS = (
    "{", "}", "(", ")", "[", "]", "[]", "`", "`{", "}`", '"', "/*", "*/", "//", ":=", "=>", "->", "?", ":", ",", ".",
    "\\", "null", "id", "this", "true", "0", "-1", "9223372036854775808", "0.5", "5m", "x => x", "match {", "else",
    "\n", ";", "int", "money", "string?", "datetime", "guid[]", "json", "Self id", "now()", "currentUser",
    "with crudish",
)  # fmt: skip
Pieces = list[str]
_WORDS = sorted(compiled().words)


def seeds() -> list[str]:
    """The sources of every corpus case."""
    return [text for case in cases() for text in case.sources.values()]


def mutated(chance: random.Random, texts: Sequence[str]) -> bytes:
    """One text after a few mutations; now and then one that nobody wrote."""
    text = " ".join(sentence(chance, chance.randint(10, 40))) if chance.random() < 0.15 else chance.choice(texts)
    pieces = _PIECE.findall(text[:MOST]) or ["{"]
    for _ in range(chance.choice((0, 1, 1, 2, 3, 5, 9))):
        other = _PIECE.findall(chance.choice(texts)[:MOST])
        pieces = chance.choice(_CHANGES)(chance, pieces, other) or ["{"]
    return _broken(chance, "".join(pieces)[: 2 * MOST].encode())


def _lost(chance: random.Random, pieces: Pieces, _: Pieces) -> Pieces:
    start = chance.randrange(len(pieces))
    return pieces[:start] + pieces[start + chance.choice((1, 1, 2, 8, 30)) :]


def _repeated(chance: random.Random, pieces: Pieces, _: Pieces) -> Pieces:
    start = chance.randrange(len(pieces))
    part = pieces[start : start + chance.choice((1, 2, 5, 20))]
    return pieces[:start] + part * chance.choice((1, 2, 40)) + pieces[start:]


def _moved(chance: random.Random, pieces: Pieces, _: Pieces) -> Pieces:
    one, other = chance.randrange(len(pieces)), chance.randrange(len(pieces))
    pieces = pieces.copy()
    pieces[one], pieces[other] = pieces[other], pieces[one]
    return pieces


def _spliced(chance: random.Random, pieces: Pieces, other: Pieces) -> Pieces:
    start, first = chance.randrange(len(pieces)), chance.randrange(len(other) or 1)
    return [*pieces[:start], " ", *other[first : first + chance.choice((1, 5, 30, 200))], " ", *pieces[start:]]


def _replaced(chance: random.Random, pieces: Pieces, _: Pieces) -> Pieces:
    """A name by another name of the same text, a keyword, or a mark."""
    place = chance.randrange(len(pieces))
    new = chance.choice((chance.choice(pieces), chance.choice(_WORDS), chance.choice(_TEXTS)))
    return [*pieces[:place], " ", new, " ", *pieces[place + 1 :]]


def _inserted(chance: random.Random, pieces: Pieces, _: Pieces) -> Pieces:
    place = chance.randrange(len(pieces))
    new = sentence(chance, 14, chance.choice(("expr", "statement", "type"))) if chance.random() < 0.5 else ()
    return [*pieces[:place], " ", *(" ".join(new) or chance.choice(_TEXTS)), " ", *pieces[place:]]


_CHANGES: tuple[Callable[[random.Random, Pieces, Pieces], Pieces], ...] = (
    _lost, _repeated, _moved, _spliced, _replaced, _replaced, _replaced, _inserted,
)  # fmt: skip


def _broken(chance: random.Random, data: bytes) -> bytes:
    """Mostly as it is; else with bytes that are no UTF-8, or not in the encoding that was meant."""
    dice = chance.random()
    if dice < 0.9:
        return data
    if dice < 0.92:
        return data.decode(errors="replace").encode(
            chance.choice(("utf-16", "utf-16-le", "utf-32", "latin-1")), "replace"
        )
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(_BROKEN) + data[place + chance.choice((0, 0, 1, 3)) :]
