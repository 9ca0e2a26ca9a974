"""What an editor may do about a mistake by itself: put the word that was meant in place of the one that stands there.

In: findings and the text that they are about. Out: for each, the range and the word.
Never: a change of more than the word under the caret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loom.parse.findings import Finding

_MEANT = re.compile(r"did you mean `([^`…]+)`\?")
_WRITTEN = re.compile(r"(?:write|as in) `([^`…]+)`")
_QUOTED = re.compile(r"`([^`]+)`")


class Fix(NamedTuple):
    """`text` in place of what is from `start` to `end`, as offsets."""

    finding: Finding
    start: int
    end: int
    text: str


def fixes(found: Iterable[Finding], text: str) -> Iterator[Fix]:
    """What `text` no longer has at the place of a finding is left alone: it was edited meanwhile."""
    for item in found:
        start, end = item.start.offset, item.end.offset
        word = text[start:end]
        if meant := _MEANT.search(item.help):
            for first, last in _within(word, _QUOTED.findall(item.message)):
                yield Fix(item, start + first, start + last, meant[1])
        elif (written := _WRITTEN.search(item.help)) and written[1] in _extended(word):
            yield Fix(item, start, end, written[1])


def _within(word: str, quoted: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where the message's own word stands: it is the whole, or the one such part of a string."""
    for told in quoted:
        if told == word:
            yield 0, len(word)
            return
        if word[:1] == '"' and word.count(told) == 1:
            yield word.index(told), word.index(told) + len(told)
            return


def _extended(word: str) -> Iterator[str]:
    """The same word, as an id, or called."""
    yield f"{word} id"
    yield f"{word}()"
