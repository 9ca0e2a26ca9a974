"""Picks up after a mistake, at the next member or statement, so that one run reports all independent mistakes.

In: a machine that stands before a token that fits nowhere. Out: a problem, and a token to go on at.
Never: a second report of the same mistake: nothing is reported until two more tokens have been taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from loom.base import Diagnostic
from loom.parse.expected import Words, expected
from loom.parse.lexer import MOST_PROBLEMS, Tokens
from loom.parse.machine import Machine
from loom.parse.problems import LexError, ParseError, offset_path

MOST_ATTEMPTS = 1000
_OPENING = frozenset(("{", "BOPEN", "BEMPTY"))
_STARTS = frozenset(("WORD", "LABEL", "ID", "$END"))
_QUIET = 2
_FOREIGN_MARKS: Mapping[str, Literal["quote", "hash"]] = {"'": "quote", "#": "hash"}


def run(machine: Machine) -> None:
    """Parses the whole file; what was made of it is `machine.values[0]`."""
    stopped, resumed, problems = machine.advance(0), -1, 0
    for _ in range(MOST_ATTEMPTS):
        if stopped < 0 or problems == MOST_PROBLEMS:
            break
        is_stray = _is_stray(machine, stopped - 1)
        if not is_stray:
            _settle(machine, stopped)
        is_new = not _follows(machine, stopped, resumed, problems)
        height, words = _heights(machine)[-1], expected(machine, stopped)
        resumed = _resume(machine, stopped)
        if is_new:
            problems += 1
            token = min(stopped, resumed) if resumed >= 0 else stopped
            ends = machine.kinds[token] == "$END"
            left = height if not ends and (token < stopped or len(machine.states) < height) else 0
            if is_stray:
                words = Words("`}`", "it closes more than was opened, going by what follows it")
                token, left = stopped - 1, 0
            machine.draft.problems.append(_problem(machine, token, left, words))
        if resumed < 0:
            break
        stopped = machine.advance(resumed)
    if machine.draft.label:
        machine.leave(len(machine.kinds))


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
    if brace < 0 or kinds[brace] != "}" or kinds.count("}") <= sum(map(kinds.count, _OPENING)):
        return False
    return _accepting(machine, _heights(machine)[-1:], brace + 1) > 0


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
    for token in range(stopped, machine.mark - 1, -1):  # a member may have been taken for more of the one before
        candidates = heights if token > machine.mark else heights[:-1]
        if height := _may_start(machine, candidates, token):
            return _go_on(machine, height, stopped, token)
    return _forward(machine, heights, stopped, _open_braces(machine, heights[-1]))


def _forward(machine: Machine, heights: list[int], stopped: int, depth: int) -> int:
    """Skips whole brackets from `stopped` on, up to a token that a list can go on with."""
    kinds = machine.kinds
    for token in range(stopped, len(kinds) - 1):
        if kinds[token] == "}" and depth == 0:
            if "}" in machine.rows[machine.states[heights[-1] - 1]]:
                return _go_on(machine, heights[-1], stopped, token)
        elif depth == 0 and token > stopped and (height := _may_start(machine, heights, token)):
            return _go_on(machine, height, stopped, token)
        depth = max(depth + (kinds[token] in _OPENING) - (kinds[token] == "}"), 0)
    return -1


def _go_on(machine: Machine, height: int, stopped: int, token: int) -> int:
    machine.skip(height, stopped, token)
    return token


def _open_braces(machine: Machine, height: int) -> int:
    """How many braces the member under way has opened."""
    values = machine.values[height - 1 :]
    return sum(isinstance(value, int) and machine.kinds[value] in _OPENING for value in values)


def _starts_line(machine: Machine, token: int) -> bool:
    tokens: Tokens = machine.draft.tokens
    return token == 0 or "\n" in tokens.source[tokens.starts[token - 1] : tokens.starts[token]]


def _may_start(machine: Machine, heights: list[int], token: int) -> int:
    """The innermost list that can go on with this first token of a line and the one behind it, or 0."""
    if machine.kinds[token] not in _STARTS or not _starts_line(machine, token):
        return 0
    return _accepting(machine, heights, token)


def _accepting(machine: Machine, heights: list[int], token: int) -> int:
    innermost = max((height for height in _heights(machine)), default=0)
    for height in reversed(heights):
        states = machine.states[:height]
        kind = machine.kind(states, token)
        if height != innermost and kind in ("ID", "KEY"):
            continue  # only a keyword is reason enough to leave a list
        if machine.continues(states, kind, token + 1):
            return height
    return 0
