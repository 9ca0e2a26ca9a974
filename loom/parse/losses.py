"""What recovery had to drop from the tree of a file.

In: a draft that was parsed to its end, its mistakes. Out: `Damage`, or None of a text without mistakes.
Never: a look at the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Diagnostic, Severity, split_path
from loom.parse.ast import SYSTEM_CHUNK
from loom.parse.damage import WORD, Damage, Wound
from loom.parse.draft import Draft
from loom.parse.lexer import ONE_LINE_TOKEN
from loom.parse.problems import OFFSET_CHUNK, NestingTooDeep, UnclosedString
from loom.parse.result import Origins


def damage_of(draft: Draft, origins: Origins, problems: Iterable[Diagnostic]) -> Damage | None:
    """What the mistakes of a file cost; None when there is none."""
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if not errors:
        return None
    if draft.is_astray or any(_swallows(draft, error) for error in errors):
        return Damage(words=tuple(sorted(set(WORD.findall(draft.tokens.source)))), is_whole=True)
    words = {word for first, last in draft.lost for word in draft.texts[first:last]}
    around = {word for first, last in draft.wounded for word in draft.texts[first:last]}
    words.update(word for error in errors for word in _line(draft.tokens.source, origins, error))
    wounds = {_wound(draft, *tokens) for tokens in draft.wounded}
    return Damage(
        words=tuple(sorted(filter(WORD.fullmatch, words))),
        around=tuple(sorted(filter(WORD.fullmatch, around))),
        wounds=tuple(sorted(wounds, key=lambda wound: (wound.chunk, wound.first, wound.last))),
    )


def _swallows(draft: Draft, problem: Diagnostic) -> bool:
    """Whether it took more than the rest of a line, or made another string end too late."""
    if not isinstance(problem, UnclosedString):
        return isinstance(problem, NestingTooDeep)
    return problem.what != "string" or draft.tokens.token is not ONE_LINE_TOKEN


def _line(source: str, origins: Origins, problem: Diagnostic) -> Iterator[str]:
    """The words of the line that a mistake stands in: the tree may lack any of them."""
    _, chunk, number = split_path(problem.at)
    offset = number if chunk == OFFSET_CHUNK else origins.offset(chunk, number)
    end = source.find("\n", offset)
    line = source[source.rfind("\n", 0, offset) + 1 : len(source) if end < 0 else end]
    return (match.group() for match in WORD.finditer(line))


def _wound(draft: Draft, first: int, last: int) -> Wound:
    chunk = next((chunk for chunk in draft.chunks if chunk.first <= first < chunk.last), None)
    end = min(last, len(draft.numbers), chunk.last if chunk else last) - 1
    label = chunk.label if chunk else SYSTEM_CHUNK
    return Wound(chunk=label, first=draft.numbers[first], last=draft.numbers[max(end, first)])
