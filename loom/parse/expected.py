"""Says what stands at a mistake and what could.

In: a machine that stands before a token that fits nowhere. Out: words for a message and its help.
Never: a list longer than a reader takes in, or a symbol's inner name.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import NamedTuple

from loom.base import nearest
from loom.parse.dialects import dialect
from loom.parse.habits import (
    Habit,
    foreign_expression,
    foreign_statement,
    member_habit,
    operator_habit,
    statement_habit,
    type_habit,
)
from loom.parse.machine import Machine

_NAMES = {
    "ID": "a name",
    "KEY": "`name:`",
    "STRING": "a string",
    "INT": "a number",
    "OPERATOR": "an operator",
    "$END": "the end of the file",
    "STAR": "`*`",
    "EMPTY_LIST": "`[]`",
}
_EXPRESSION = frozenset(("ID", "STRING", "INT", "DECIMAL", "TEMPLATE_FULL", "true"))
_EXPRESSION_STARTS = _EXPRESSION | {
    "(", "[", "MINUS", "NOT", "BOPEN", "BEMPTY", "EMPTY_LIST", "TEMPLATE_OPEN",
    "false", "null", "this", "match", "retrieval",
}  # fmt: skip
# Symbols that have a plainer twin, and words of the user interface.
_UNSAID = frozenset((
    "DECIMAL", "DURATION", "MINUS", "NEXT", "LAST", "BOPEN", "BEMPTY", "NOT", "OTHER", "FORMAT", "STAR",
    "TEMPLATE_FULL", "TEMPLATE_OPEN", "TEMPLATE_MIDDLE", "TEMPLATE_CLOSE",
    "action", "area", "component", "design", "layout", "menu", "page", "slot", "store", "theme", "ui",
))  # fmt: skip
# What other languages write: what to say, and the symbol that must fit there, if the mark alone tells too little.
_HABITS = {
    "and": ("write `&&`", ""),
    "or": ("write `||`", ""),
    "=": ("write `:=` to assign", ":="),
    ",": ("nothing stands between members and statements: remove it", "}"),
    ";": ("nothing stands between members and statements: remove it", "}"),
}
_HOMES = {
    **dict.fromkeys(("aggregate", "event", "projection", "repository", "seed", "workflow"), "a `context`"),
    **dict.fromkeys(("apply", "contains", "derived", "destroy", "entity", "invariant", "operation", "unique"),
                    "an `aggregate`"),
    **dict.fromkeys(("api", "channelSource", "deployable", "resource", "storage", "subdomain"), "the `system`"),
    "find": "a `repository`",
    "function": "an `aggregate`, or into the file itself",
}  # fmt: skip
_LONGEST = 9
_ALMOST = 0.8


class Words(NamedTuple):
    """What was found, what to do about it, and how many tokens behind the one that did not fit it was found."""

    found: str
    advice: str
    shift: int = 0


def expected(machine: Machine, token: int) -> Words:
    """What was found at the token, and a sentence on what could stand there."""
    accepted = [
        symbol
        for symbol in machine.rows[machine.states[-1]]
        if not symbol.startswith("@") and machine.shifted(machine.states, symbol)
    ]
    text = machine.draft.texts[token]
    if machine.kinds[token] == "$END" and "}" in accepted:
        return Words(_found(machine, token), "is a `}` missing?")
    if known := dialect(machine.kinds, machine.draft.texts, token, accepted):
        return Words(_found(machine, token), known.advice)
    if text in _HABITS and _HABITS[text][1] in ("", *accepted):
        return Words(_found(machine, token), _HABITS[text][0])
    if foreign := _foreign(machine, token):
        return Words(_found(machine, token + foreign.shift), foreign.advice, foreign.shift)
    if text in machine.words:
        return Words(_found(machine, token), _belongs(text, accepted) or _advice("", accepted))
    if habit := _habit(machine, token, accepted):
        if near := _near(text, accepted, _ALMOST):
            return Words(_found(machine, token), near)
        return Words(_found(machine, token + habit.shift), habit.advice, habit.shift)
    return Words(_found(machine, token), _advice(text, accepted))


def _belongs(text: str, accepted: list[str]) -> str:
    """Where a declaration stands that was begun in the wrong place."""
    is_list = "}" in accepted or "$END" in accepted
    return f"it belongs into {_HOMES[text]}" if is_list and text in _HOMES and text not in accepted else ""


def _foreign(machine: Machine, token: int) -> Habit | None:
    """What another language has, recognised by the words before the mistake."""
    kinds, texts, start = machine.kinds, machine.draft.texts, min(machine.mark, token)
    own = slice(start, token + 2)
    found = foreign_expression(kinds, texts, start, token)
    return found or foreign_statement(kinds[own], texts[own], token - start)


def _habit(machine: Machine, token: int, accepted: list[str]) -> Habit | None:
    kinds, texts = machine.kinds[token : token + 4], machine.draft.texts[token : token + 4]
    kind, before = machine.kinds[token - 1], machine.draft.texts[token - 1]
    if "KEY" in accepted and kinds[0] == "ID":
        return member_habit(kinds, texts)
    if ":=" in accepted:
        return operator_habit(before) or statement_habit(kinds, texts, kind)
    return type_habit(kinds, texts, before) if "?" in accepted and kind in ("ID", "WORD") else None


def _found(machine: Machine, token: int) -> str:
    kind, text = machine.kinds[token], machine.draft.texts[token]
    if kind == "$END":
        return "end of the file"
    if kind == "STRING":
        return "string"
    if kind.startswith("TEMPLATE") or kind == "FORMAT":
        return "template"
    return f"`{text}`"


def _near(text: str, accepted: list[str], ratio: float = 0.0) -> str:
    near = nearest(text, [symbol for symbol in accepted if symbol[0].islower()])
    if not near or not text[:1].isalpha() or SequenceMatcher(None, text, near).ratio() < ratio:
        return ""
    return f"did you mean `{near}`?"


def _advice(text: str, accepted: list[str]) -> str:
    if near := _near(text, accepted):
        return near
    said = _said(accepted)
    if len(said) > _LONGEST:
        said = [*said[: _LONGEST - 1], "…"]
    return f"expected {said[0]}" if len(said) == 1 else "expected one of " + ", ".join(said)


def _said(accepted: list[str]) -> list[str]:
    """Names for the symbols; those that begin an expression count as one, marks come first."""
    symbols = set(accepted)
    first = []
    if symbols >= _EXPRESSION:
        symbols -= _EXPRESSION_STARTS
        first = ["an expression"]
    symbols -= _UNSAID
    words = sorted(symbol for symbol in symbols if symbol[0].islower())
    marks = sorted(symbol for symbol in symbols if not symbol[0].islower())
    if not (symbols or first):
        return ["something else"]
    return first + [_NAMES.get(symbol, f"`{symbol}`") for symbol in marks + words]
