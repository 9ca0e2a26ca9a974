"""Drives the tables over the tokens of one file.

In: tokens, tables, and a function for each rule. Out: what the functions made.
Never: recursion: brackets nest on the parser's own stack. Mistakes are `recovery`'s business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loom.parse.draft import Draft
from loom.parse.tables import APPEND, CALL, FIRST, NEW_LIST, PASS, UNIT, Tables

# Kinds that turn into a plainer one where the parser wants that.
_PLAINER = {"NEXT": ",", "LAST": ",", "BOPEN": "{", "BEMPTY": "{", "WORD": "ID", "LABEL": "ID"}
_NEVER_NAMES = frozenset(("true", "false", "null", "this"))
_NONE = -(1 << 30)

BuildRule = Callable[..., object]


# What `Machine.chained` found out: by the state below, the state and the kind that comes next.
Chains = dict[tuple[int, int, str], tuple[int, int]]


class Machine:
    """The stacks of one run. `mark` is the token that the member or statement under way begins with, `before` the one
    with which the one before it did; `begins` has
    the same of every list under way, by the height that it has on the stack.

    Runs with the same tables may share `chains`, which fills up.
    """

    def __init__(
        self, tables: Tables, draft: Draft, rules: Mapping[str, BuildRule], chains: Chains | None = None
    ) -> None:
        self.rows = tables.rows
        self.resumes = tables.resumes
        self.empty = tables.empty
        self.words = tables.words
        self.reductions = [
            (item.to, item.size, item.does, item.kept, rules.get(item.alias, _missing)) for item in tables.reductions
        ]
        self.units = frozenset(-1 - index for index, item in enumerate(tables.reductions) if item.does == UNIT)
        self.chains = {} if chains is None else chains
        self.draft = draft
        self.kinds = draft.tokens.kinds
        self.states = [0]
        self.values: list[object] = []
        self.number = self.outside = self.height = self.mark = 0
        self.before = 0
        self.begins: dict[int, int] = {}
        self.reduce(self.empty[0], 0)

    def advance(self, token: int) -> int:
        """Parses from `token` on; the token that fits nowhere, or -1 at the end."""
        kinds, rows, states, values, numbers = self.kinds, self.rows, self.states, self.values, self.draft.numbers
        units, chains = self.units, self.chains
        last = len(kinds) - 1
        while token <= last:
            kind = kinds[token]
            if kind in _PLAINER:
                kind = self.kind(states, token)
            action = rows[states[-1]].get(kind, _NONE)
            while action < 0:
                if action in units:
                    place = states[-2], states[-1], kind
                    states[-1], action = chains.get(place) or self.chained(*place)
                    continue
                if action == _NONE:
                    return token
                self.reduce(-1 - action, token)
                action = rows[states[-1]].get(kind, _NONE)
            if kind == "context":
                self.enter(token)
            states.append(action)
            values.append(token)
            numbers.append(self.number)
            self.number += 1
            token += 1
            if action in self.empty:
                self.reduce(self.empty[action], token)
        return -1

    def chained(self, below: int, state: int, kind: str) -> tuple[int, int]:
        """The state after all reductions of one symbol to one that `kind` asks for, and what it asks for then.

        An expression is one at each level of precedence: there are more of these than of all other reductions.
        """
        place, action = (below, state, kind), self.rows[state][kind]
        while action in self.units:
            state = self.rows[below][self.reductions[-1 - action][0]]
            action = self.rows[state].get(kind, _NONE)
        self.chains[place] = state, action
        return state, action

    def reduce(self, index: int, token: int) -> None:
        """Replaces the symbols of one rule by its value; `token` comes next."""
        to, size, does, kept, build = self.reductions[index]
        states, values = self.states, self.values
        if does == UNIT:
            states[-1] = self.rows[states[-2]][to]
            return
        if does == CALL:
            value = build(self.draft, *[values[place] for place in kept])
        elif does == APPEND:
            value = values[kept[0]]
            value.append(values[kept[1]])  # type: ignore[attr-defined]  # such rules begin with a list
        else:
            value = _simple(does, values, kept)
        if size:
            del states[-size:], values[-size:]
        states.append(self.rows[states[-1]][to])
        values.append(value)
        if states[-1] in self.resumes:
            self.before = self.mark
            self.mark = self.begins[len(states)] = token
        elif to == "@context":
            self.leave(token)

    def enter(self, token: int) -> None:
        """A context begins: its tokens are numbered from 0."""
        self.draft.open_chunk(token)
        self.outside, self.number, self.height = self.number, 0, len(self.states)

    def leave(self, token: int) -> None:
        """The context is over: numbers go on from where they were."""
        self.draft.close_chunk(token)
        self.number = self.outside

    def skip(self, height: int, start: int, stop: int) -> None:
        """Drops all symbols above `height` states and goes on at token `stop` instead of `start`."""
        self.draft.numbers.extend(range(self.number, self.number + stop - start))
        del self.draft.numbers[stop:]
        self.number += stop - start
        del self.states[height:], self.values[height - 1 :]
        self.mark = self.begins[height] = stop
        if self.draft.label and height <= self.height:
            self.leave(stop)

    def kind(self, states: list[int], token: int) -> str:
        """What the parser, standing where `states` say, takes the token for."""
        row, kind, text = self.rows[states[-1]], self.kinds[token], self.draft.texts[token]
        if kind == "LABEL" and "KEY" in row:
            return "KEY"
        if kind == "LABEL":
            return text if text in _NEVER_NAMES and text in row else "ID"
        if kind != "WORD":
            return kind if self.fits(states, kind) else _PLAINER.get(kind, kind)
        if text not in row:
            return "ID"
        if "ID" not in row or text in _NEVER_NAMES or self.continues(states, text, token + 1):
            return text
        return "ID" if self.continues(states, "ID", token + 1) else text

    def fits(self, states: list[int], kind: str) -> bool:
        """Can a token of `kind` come next? A row alone may promise it for another place with the same symbols."""
        action = self.rows[states[-1]].get(kind, _NONE)
        return action >= 0 or (action != _NONE and bool(self.shifted(states, kind)))

    def continues(self, states: list[int], kind: str, following: int) -> bool:
        """Can the token `following` come after one of `kind`?"""
        after = self.shifted(states, kind)
        if not after or following == len(self.kinds):
            return bool(after)
        row, kind = self.rows[after[-1]], self.kinds[following]
        if kind == "WORD" and self.draft.texts[following] in row:
            return True
        return kind in row or _PLAINER.get(kind) in row or (kind == "LABEL" and "KEY" in row)

    def shifted(self, states: list[int], kind: str) -> list[int]:
        """The states after one more token of `kind`; empty when it does not fit."""
        states = states.copy()
        action = self.rows[states[-1]].get(kind, _NONE)
        while action < 0:
            if action == _NONE:
                return []
            to, size = self.reductions[-1 - action][:2]
            if size:
                del states[-size:]
            states.append(self.rows[states[-1]][to])
            action = self.rows[states[-1]].get(kind, _NONE)
        return [*states, action]


def _simple(does: int, values: list[object], kept: tuple[int, ...]) -> object:
    if does == PASS:
        return values[kept[0]]
    if does == FIRST:
        return [values[kept[0]]]
    return [] if does == NEW_LIST else ()


def _missing(*_: object) -> object:
    raise NotImplementedError("a rule of ddd.lark has no function")
