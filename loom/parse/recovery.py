"""Picks up after a mistake, at the next member or statement, so that one run reports all independent mistakes.

In: a machine that stands before a token that fits nowhere. Out: a problem, and a token to go on at.
Never: a second report of the same mistake: nothing is reported until two more tokens have been taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from loom.base import Diagnostic
from loom.parse.expected import Words, expected
from loom.parse.lexer import BRACES, MOST_PROBLEMS, Tokens
from loom.parse.machine import Machine
from loom.parse.problems import LexError, ParseError, offset_path

MOST_ATTEMPTS = 1000
_STARTS = frozenset(("WORD", "LABEL", "ID", "$END"))
_OPENING = frozenset(("(", "["))
_CLOSING = frozenset((")", "]"))
_QUIET = 2
_FOREIGN_MARKS: Mapping[str, Literal["quote", "hash"]] = {"'": "quote", "#": "hash"}


def run(machine: Machine) -> None:
    """Parses the whole file; what was made of it is `machine.values[0]`."""
    draft, stopped, resumed, problems = machine.draft, machine.advance(0), -1, 0
    for _ in range(MOST_ATTEMPTS):
        if stopped < 0 or problems == MOST_PROBLEMS:
            break
        is_stray = _is_stray(machine, stopped - 1)
        begin = _begin(machine, stopped)
        if not is_stray:
            _settle(machine, stopped)
        is_new = not _follows(machine, stopped, resumed, problems)
        height, words = _heights(machine)[-1], expected(machine, stopped)
        resumed = _resume(machine, stopped)
        draft.wounded.append((begin, max(stopped, resumed)))
        draft.is_astray |= resumed < 0
        if is_new:
            problems += 1
            token = min(stopped, resumed) if resumed >= 0 else stopped
            ends = machine.kinds[token] == "$END"
            left = height if not ends and (token < stopped or len(machine.states) < height) else 0
            if is_stray:
                words = Words("`}`", "it closes more than was opened, going by what follows it")
                token, left = stopped - 1, 0
            draft.problems.append(_problem(machine, token, left, words))
        if resumed < 0:
            break
        stopped = machine.advance(resumed)
    draft.is_astray |= stopped >= 0
    if draft.label:
        machine.leave(len(machine.kinds))


def _begin(machine: Machine, stopped: int) -> int:
    """The first token of what the mistake is in: two words may have passed for a member of their own."""
    is_torn = stopped - machine.mark <= _QUIET and machine.mark - machine.before <= _QUIET
    return machine.before if is_torn else machine.mark


def _problem(machine: Machine, token: int, left: int, words: Words) -> Diagnostic:
    """Points at a token; `left` is the height of the list that the member before it was in, if that is at fault."""
    tokens = machine.draft.tokens
    found, advice, shift = words
    token += 0 if left else shift
    if left:
        found = f"`{tokens.texts[token]}`"
        advice = "what stands before it is not complete"
    if left > len(machine.states):
        advice = "is a `}` missing before it?"
    place = offset_path(tokens.file, tokens.starts[token])
    if tokens.kinds[token] == "OTHER":
        character = tokens.texts[token]
        return LexError(at=place, case=_FOREIGN_MARKS.get(character, "other"), character=character)
    return ParseError(at=place, case="token", found=found, advice=advice)


def _is_stray(machine: Machine, brace: int) -> bool:
    """Is it a closing brace, one too many in the file, without which the next token would fit?"""
    kinds = machine.kinds
    if brace < 0 or kinds[brace] != "}" or kinds.count("}") <= sum(map(kinds.count, BRACES)):
        return False
    return _accepting(machine, _heights(machine)[-1:], brace + 1, 0) > 0


def _settle(machine: Machine, token: int) -> None:
    """Finishes what is complete already: it only waited for a token that could follow."""
    while True:
        row = machine.rows[machine.states[-1]]
        actions = {action for symbol, action in row.items() if not symbol.startswith("@")}
        if len(actions) != 1 or min(actions) >= 0:
            return
        machine.reduce(-1 - min(actions), token)


def _follows(machine: Machine, stopped: int, resumed: int, problems: int) -> bool:
    """The mistake comes of an earlier one: of a lexical one just here, of a wrong guess where to go on, or, when
    it is a brace too many or too few, of any."""
    if not machine.draft.tokens.suspects.isdisjoint(range(machine.mark, stopped + 1)):
        return True
    if 0 <= machine.draft.tokens.swallowed <= stopped:
        return True
    if machine.mark == resumed and stopped - resumed < _QUIET:
        return True
    kind = machine.kinds[stopped]
    if kind == "$END":
        return problems > 0 or bool(machine.draft.tokens.suspects)
    return problems > 0 and kind == "}" and len(_heights(machine)) == 1


def _heights(machine: Machine) -> list[int]:
    """The heights of the stack at which a list of members is under way, the innermost last."""
    return [height for height, state in enumerate(machine.states, 1) if state in machine.resumes]


def _resume(machine: Machine, stopped: int) -> int:
    """Drops symbols and tokens until a list of members can go on; the token to go on at, or -1."""
    heights = _heights(machine)
    depths = list(_depths(machine, stopped))
    for token in range(stopped, machine.mark - 1, -1):  # a member may have been taken for more of the one before
        candidates = heights if token > machine.mark else heights[:-1]
        if height := _may_start(machine, candidates, token, depths[token - machine.mark]):
            return _go_on(machine, height, stopped, token)
    return _forward(machine, heights, stopped, _open_braces(machine, heights[-1]), depths[-1])


def _depths(machine: Machine, stopped: int) -> Iterator[int]:
    """How many parentheses and brackets the member under way has opened, before each of its tokens."""
    depth = 0
    for token in range(machine.mark, stopped + 1):
        yield depth
        depth = _inside(machine.kinds[token], depth)


def _inside(kind: str, depth: int) -> int:
    return max(depth + (kind in _OPENING) - (kind in _CLOSING), 0)


def _forward(machine: Machine, heights: list[int], stopped: int, depth: int, inside: int) -> int:
    """Skips whole brackets from `stopped` on, up to a token that a list can go on with.

    A parenthesis that is never closed ends with the block behind it.
    """
    kinds = machine.kinds
    for token in range(stopped, len(kinds) - 1):
        if kinds[token] == "}" and depth == 0:
            if "}" in machine.rows[machine.states[heights[-1] - 1]]:
                return _go_on(machine, heights[-1], stopped, token)
        elif depth == 0 and token > stopped and (height := _may_start(machine, heights, token, inside)):
            return _go_on(machine, height, stopped, token)
        ends = kinds[token] == "}" and depth <= 1 and _starts_line(machine, token + 1)
        inside = 0 if ends else _inside(kinds[token], inside)
        depth = max(depth + (kinds[token] in BRACES) - (kinds[token] == "}"), 0)
    return -1


def _go_on(machine: Machine, height: int, stopped: int, token: int) -> int:
    draft, begins = machine.draft, machine.begins
    draft.lost.append((begins[height], token))
    above = [begins[other] for other in _heights(machine) if other < height]
    draft.wounded += [(begin, _head_end(machine, begin)) for begin in above]
    machine.skip(height, stopped, token)
    return token


def _head_end(machine: Machine, begin: int) -> int:
    """Where the first brace of a declaration stands."""
    kinds = machine.kinds
    return next((token for token in range(begin, len(kinds)) if kinds[token] in BRACES), len(kinds))


def _open_braces(machine: Machine, height: int) -> int:
    """How many braces the member under way has opened."""
    values = machine.values[height - 1 :]
    return sum(isinstance(value, int) and machine.kinds[value] in BRACES for value in values)


def _starts_line(machine: Machine, token: int) -> bool:
    tokens: Tokens = machine.draft.tokens
    return token == 0 or "\n" in tokens.source[tokens.starts[token - 1] : tokens.starts[token]]


def _may_start(machine: Machine, heights: list[int], token: int, inside: int) -> int:
    """The innermost list that can go on with this first token of a line and the one behind it, or 0.

    `inside` parentheses only a keyword begins a member: a name there is a parameter or an argument.
    """
    if machine.kinds[token] not in _STARTS or not _starts_line(machine, token):
        return 0
    return _accepting(machine, heights, token, inside)


def _accepting(machine: Machine, heights: list[int], token: int, inside: int) -> int:
    innermost = 0 if inside else max(_heights(machine), default=0)
    for height in reversed(heights):
        states = machine.states[:height]
        kind = machine.kind(states, token)
        if height != innermost and kind in ("ID", "KEY"):
            continue  # only a keyword is reason enough to leave a list
        if machine.continues(states, kind, token + 1):
            return height
    return 0
