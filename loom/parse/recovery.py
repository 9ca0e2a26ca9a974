"""Picks up after a mistake, at the next member or statement, so that one run reports all independent mistakes.

In: a machine that stands before a token that fits nowhere. Out: a problem, and a token to go on at.
Never: a second report of the same mistake: nothing is reported until two more tokens have been taken.
"""

from __future__ import annotations

from loom.base import Diagnostic
from loom.parse.expected import expected
from loom.parse.lexer import Tokens
from loom.parse.machine import Machine
from loom.parse.problems import ParseError, offset_path

MOST_PROBLEMS = 50
MOST_ATTEMPTS = 1000
_OPENING = frozenset(("{", "BOPEN", "BEMPTY"))
_QUIET = 2


def run(machine: Machine) -> bool:
    """Parses the whole file; whether it did so without a mistake. What was made is `machine.values[0]`."""
    stopped = machine.advance(0)
    if stopped < 0:
        return True
    resumed, problems = -_QUIET, 0
    for _ in range(MOST_ATTEMPTS):
        if stopped - resumed >= _QUIET and not _follows(machine, stopped, problems):
            machine.draft.problems.append(_problem(machine, stopped))
            problems += 1
        resumed = _resume(machine, stopped)
        if resumed < 0 or problems >= MOST_PROBLEMS:
            break
        stopped = machine.advance(resumed)
        if stopped < 0:
            break
    if machine.draft.label:
        machine.leave(len(machine.kinds))
    return False


def _follows(machine: Machine, stopped: int, problems: int) -> bool:
    """The mistake comes of an earlier one: of a lexical one just here, or of any when it is a brace too many."""
    if not machine.draft.tokens.suspects.isdisjoint(range(machine.mark, stopped + 1)):
        return True
    kind = machine.kinds[stopped]
    return problems > 0 and (kind == "$END" or (kind == "}" and len(_heights(machine)) == 1))


def _heights(machine: Machine) -> list[int]:
    """The heights of the stack at which a list of members is under way, the innermost last."""
    return [height for height, state in enumerate(machine.states, 1) if state in machine.resumes]


def _problem(machine: Machine, token: int) -> Diagnostic:
    tokens = machine.draft.tokens
    found, advice = expected(machine, token)
    return ParseError(at=offset_path(tokens.file, tokens.starts[token]), found=found, advice=advice)


def _resume(machine: Machine, stopped: int) -> int:
    """Drops symbols and tokens until a list of members can go on; the token to go on at, or -1."""
    heights = _heights(machine)
    for token in range(stopped, machine.mark - 1, -1):  # a member may have been taken for more of the one before
        candidates = heights if token > machine.mark else heights[:-1]
        if _starts_line(machine, token) and (height := _accepting(machine, candidates, token)):
            return _go_on(machine, height, stopped, token)
    return _forward(machine, heights, stopped, _open_braces(machine, heights[-1]))


def _forward(machine: Machine, heights: list[int], stopped: int, depth: int) -> int:
    """Skips whole brackets from `stopped` on, up to a token that a list can go on with."""
    kinds = machine.kinds
    for token in range(stopped, len(kinds) - 1):
        if kinds[token] == "}" and depth == 0:
            if "}" in machine.rows[machine.states[heights[-1] - 1]]:
                return _go_on(machine, heights[-1], stopped, token)
        elif depth == 0 and token > stopped and _starts_line(machine, token):
            if height := _accepting(machine, heights, token):
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


def _accepting(machine: Machine, heights: list[int], token: int) -> int:
    """The innermost list that can go on with the token and the one behind it; 0 when there is none."""
    innermost = max((height for height in _heights(machine)), default=0)
    for height in reversed(heights):
        states = machine.states[:height]
        kind = machine.kind(states, token)
        if height != innermost and kind in ("ID", "KEY"):
            continue  # only a keyword is reason enough to leave a list
        if machine.continues(states, kind, token + 1):
            return height
    return 0
