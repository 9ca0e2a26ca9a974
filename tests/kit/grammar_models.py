"""Models that nobody wrote: random sentences of the grammar, meaningless and often absurd, but sentences.

In: a random generator and how deep to go. Out: text.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from lark.grammar import NonTerminal, Rule, Symbol

from loom.parse.tables import grammar

_WORDS = ("HTTPServer", "seedBatch", "end", "class", "orderLine", "value", "x", "state", "RoomClass", "match")
_SAMPLES = {
    "ID": _WORDS, "KEY": _WORDS, "STRING": ('""', '"two words"', r'"a \"b\" \\ {c}"', '"// no comment"'),
    "INT": ("0", "42", "9007199254740993"), "DECIMAL": ("1.50", "0.0"), "DURATION": ("5m", "250ms", "3d"),
    "OPERATOR": ("==", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "/", "%"), "STAR": ("*",), "MINUS": ("-",),
    "NOT": ("!",), "EMPTY_LIST": ("[]", "[ ]"), "BOPEN": ("{",), "BEMPTY": ("{",), "NEXT": (",",), "LAST": (",",),
    "TEMPLATE_FULL": ("`plain`", "`two\nlines`"), "TEMPLATE_OPEN": ("`before {",), "TEMPLATE_MIDDLE": ("} and {",),
    "TEMPLATE_CLOSE": ("} behind`",), "FORMAT": (", N2",), "OTHER": ("@",),
}  # fmt: skip
_DEEP = 10_000


def sentence(chance: random.Random, depth: int = 60, start: str = "start") -> list[str]:
    """The tokens of a random file."""
    return list(_expand(NonTerminal(start), chance, depth))


@cache
def _rules() -> dict[str, list[tuple[Symbol, ...]]]:
    found: dict[str, list[tuple[Symbol, ...]]] = {}
    every: list[Rule] = grammar().rules
    for rule in every:
        found.setdefault(rule.origin.name, []).append(tuple(rule.expansion))
    return found


@cache
def _terminals() -> dict[str, str]:
    return {terminal.name: str(terminal.pattern.value) for terminal in grammar().terminals}


@cache
def _heights() -> dict[str, int]:
    """How deep the shallowest expansion of each rule is."""
    known: dict[str, int] = {}
    changed = True
    while changed:
        changed = False
        for name, expansions in _rules().items():
            least = min(max((_height(item, known) for item in expansion), default=0) for expansion in expansions) + 1
            if least < known.get(name, _DEEP):
                known[name], changed = least, True
    return known


def _height(symbol: Symbol, known: dict[str, int]) -> int:
    return 0 if symbol.is_term else known.get(symbol.name, _DEEP)


def _expand(symbol: Symbol, chance: random.Random, depth: int) -> Iterator[str]:
    if symbol.is_term:
        yield _text(symbol.name, chance)
        return
    expansions = _rules()[symbol.name]
    heights = _heights()
    fitting = [item for item in expansions if all(_height(part, heights) < depth for part in item)]
    chosen = fitting or [min(expansions, key=lambda item: max((_height(part, heights) for part in item), default=0))]
    for part in chance.choice(chosen):
        yield from _expand(part, chance, depth - 1)


def _text(name: str, chance: random.Random) -> str:
    return chance.choice(_SAMPLES[name]) if name in _SAMPLES else _terminals()[name]
