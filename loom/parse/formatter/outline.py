"""What the parser knows of each token while it runs: keyword or name, and the part that it plays.

In: the tokens of a file without mistakes. Out: an `Outline`.
Never: a tree: where lists of members begin and end, and which marks are signs, is all that layout needs.
"""

from __future__ import annotations

from enum import StrEnum, auto

import msgspec

from loom.parse.draft import Draft
from loom.parse.lexer import Tokens
from loom.parse.machine import Machine
from loom.parse.rules import RULES
from loom.parse.tables import Reduction, Tables


class Role(StrEnum):
    """What a mark means, where its text does not say it."""

    SIGN = auto()  # `-` or `!` before its operand
    SUFFIX = auto()  # `[]` or `?` behind a type
    TERNARY = auto()  # `?` or `:`
    GROUP = auto()  # `(` around an expression
    JOINT = auto()  # `-` inside a trace like TC-1
    LOOSE = auto()  # any token of a construct that is not understood yet


class Members(msgspec.Struct):
    """A list of members: its first token, then the token behind each; the last one ends the list."""

    kind: str
    bounds: list[int]


class Outline(msgspec.Struct):
    """`kinds` are as the parser took them; `lists` go by the token of their opening brace, -1 for the file."""

    kinds: list[str]
    roles: dict[int, Role] = msgspec.field(default_factory=dict)
    lists: dict[int, Members] = msgspec.field(default_factory=dict)
    braced: dict[int, int] = msgspec.field(default_factory=dict)


def outline(tables: Tables, tokens: Tokens) -> Outline | None:
    """None when the text does not follow the grammar."""
    machine = _Observer(tables, tokens)
    return machine.seen if machine.advance(0) < 0 else None


class _Observer(Machine):
    """The parser itself, watched."""

    def __init__(self, tables: Tables, tokens: Tokens) -> None:
        self.seen = Outline(list(tokens.kinds))
        self.known: dict[int, Members] = {}
        self.rules = tables.reductions
        super().__init__(tables, Draft(tokens, tokens.texts), RULES)
        self.units = frozenset()  # none is passed over: each is watched

    def kind(self, states: list[int], token: int) -> str:
        found = super().kind(states, token)
        self.seen.kinds[token] = found
        return found

    def reduce(self, index: int, token: int) -> None:
        rule = self.rules[index]
        self._mark(rule)
        super().reduce(index, token)
        if rule.to.startswith("@members{"):
            self._bound(rule, token)

    def _bound(self, rule: Reduction, token: int) -> None:
        if rule.size:
            self.known[id(self.values[-1])].bounds.append(token)
            return
        made = Members(rule.to.removeprefix("@members{").removesuffix("}"), [token])
        self.known[id(self.values[-1])] = self.seen.lists[token - 1] = made

    def _mark(self, rule: Reduction) -> None:  # noqa: C901 - one arm a kind
        match rule:
            case Reduction(alias="unary"):
                self._role(-2, Role.SIGN)
            case Reduction(alias="ternary"):
                self._role(-4, Role.TERNARY)
                self._role(-2, Role.TERNARY)
            case Reduction(to="@type_suffix"):
                if self.draft.texts[self._token(-1)][0] in "[?":
                    self._role(-1, Role.SUFFIX)
            case Reduction(to="@atomic", size=3, alias="") | Reduction(to="@simple", size=3):
                self._role(-3, Role.GROUP)
            case Reduction(to="@trace", size=3):
                self._role(-2, Role.JOINT)
            case Reduction(to="@loose"):
                self._role(-1, Role.LOOSE)
            case Reduction(to="@braced"):
                self.seen.braced[self._token(-3)] = self._token(-1)

    def _role(self, place: int, role: Role) -> None:
        self.seen.roles[self._token(place)] = role

    def _token(self, place: int) -> int:
        token = self.values[place]
        assert isinstance(token, int)
        return token
