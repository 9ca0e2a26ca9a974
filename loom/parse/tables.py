"""The grammar compiled to plain tables, so that parsing needs neither Lark nor its start-up time.

In: `ddd.lark`, compiled by Lark's LALR generator. Out: tables, and the bytes that they are kept as; `ddd.tables`
holds them ready for the grammar whose digest it begins with.
Never: a Lark object: what is kept are dictionaries, strings and integers, numbered in one order everywhere.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections import deque
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from loom.parse.codec import MARSHAL

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule
    from lark.parsers.lalr_analysis import Action, ParseTableBase

# What a reduction does with the values of its symbols.
UNIT, PASS, CALL, APPEND, NEW_LIST, FIRST, NOTHING = range(7)
HERE = files("loom.parse")
LIST_RULES = ("members{", "many{", "some{", "comma{")


class Reduction(NamedTuple):
    """One rule: `to` is its left side, `size` its length, `kept` where the values that count are, from the end."""

    to: str
    size: int
    does: int
    kept: tuple[int, ...]
    alias: str


class Tables(NamedTuple):
    """`rows[state][symbol]` is a state to go to, or `-1 - n` for reduction n. State 0 is the start; behind `$END`
    it is a state that nobody reads.

    `resumes` are the states in which a list of members is under way, `empty` those in which one must begin,
    with the reduction that begins it; `words` are the keywords.
    """

    rows: tuple[dict[str, int], ...]
    reductions: tuple[Reduction, ...]
    resumes: frozenset[int]
    empty: dict[int, int]
    words: frozenset[str]


def tables() -> bytes:
    """The compiled grammar as bytes, for `parse`."""
    rows, reductions, resumes, empty, words = compiled()
    symbols = sorted({symbol for row in rows for symbol in row})
    index = {symbol: place for place, symbol in enumerate(symbols)}
    numbered = [(tuple(map(index.__getitem__, row)), tuple(row.values())) for row in rows]
    plain = (symbols, numbered, [tuple(item) for item in reductions], sorted(resumes), empty, sorted(words))
    return marshal.dumps(plain, MARSHAL)


def ready() -> bytes:
    """The same, without compiling anything while `ddd.tables` is that of the grammar."""
    head = digest()
    data = HERE.joinpath("ddd.tables").read_bytes()
    return data.removeprefix(head) if data.startswith(head) else tables()


def digest() -> bytes:
    """What the tables of this grammar begin with in `ddd.tables`."""
    return hashlib.sha256(HERE.joinpath("ddd.lark").read_bytes()).digest()


def load(data: bytes) -> Tables:
    """What `tables` gave."""
    symbols, numbered, reductions, resumes, empty, words = marshal.loads(data)
    symbols = list(map(sys.intern, symbols))
    rows = tuple(dict(zip(map(symbols.__getitem__, row), actions, strict=True)) for row, actions in numbered)
    made = tuple(Reduction(*item) for item in reductions)
    return Tables(rows, made, frozenset(resumes), empty, frozenset(words))


@cache
def compiled() -> Tables:
    """The grammar compiled here and now."""
    lark = grammar()
    table: ParseTableBase[int] = lark.parser.parser._parse_table
    kinds = {terminal.name: str(terminal.pattern.value) for terminal in lark.terminals}
    states = _numbered(table)
    rules = {rule: index for index, rule in enumerate(sorted(_rules(table), key=str))}
    rows = tuple(
        {_symbol(name, kinds): _entry(item, states, rules) for name, item in sorted(table.states[state].items())}
        for state in states
    )
    rows[states[table.end_states["start"]]]["$END"] = 0
    resumes = {state for row in rows for name, state in row.items() if name.startswith("@members{")}
    words = {kind for kind in kinds.values() if kind[0].islower()}
    reductions = tuple(map(_reduction, rules))
    return Tables(rows, reductions, frozenset(resumes), _empty(rows, reductions), frozenset(words))


def grammar() -> Lark:
    """Lark's reading of `ddd.lark`; it never lexes, so its lexer is none."""
    from lark import Lark
    from lark.common import LexerConf
    from lark.lexer import Lexer, Token

    class NoLexer(Lexer):
        def __init__(self, _: LexerConf) -> None: ...

        def lex(self, *_: object) -> Iterator[Token]:
            return iter(())

    text = HERE.joinpath("ddd.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", lexer=NoLexer, maybe_placeholders=False)


# Lark numbers states by walking a set; walking from the start instead gives the same bytes everywhere.
# kept by tests/unit/parse/test_grammar.py::test_tables_are_the_same_in_another_process
def _numbered(table: ParseTableBase[int]) -> dict[int, int]:
    """Lark's state numbers in the order of a breadth-first walk, with their own numbers."""
    order = {table.start_states["start"]: 0}
    waiting = deque(order)
    while waiting:
        for _, (action, argument) in sorted(table.states[waiting.popleft()].items(), key=itemgetter(0)):
            if action.name == "Shift" and argument not in order:
                order[argument] = len(order)
                waiting.append(argument)
    return order


def _empty(rows: tuple[dict[str, int], ...], reductions: tuple[Reduction, ...]) -> dict[int, int]:
    """The states that can do nothing but begin a list of members."""
    found: dict[int, int] = {}
    for state, row in enumerate(rows):
        actions = {action for symbol, action in row.items() if not symbol.startswith("@")}
        index = -1 - min(actions)
        if len(actions) == 1 and index >= 0 and reductions[index].to.startswith("@members{"):
            found[state] = index
    return found


def _rules(table: ParseTableBase[int]) -> set[Rule]:
    return {item for row in table.states.values() for action, item in row.values() if action.name == "Reduce"}


def _symbol(name: str, kinds: dict[str, str]) -> str:
    """A terminal is called as it is written, or by its own name when declared; `@` marks nonterminals."""
    return kinds.get(name) or (name if name.isupper() or name == "$END" else f"@{name}")


def _entry(item: tuple[Action, Any], states: dict[int, int], rules: dict[Rule, int]) -> int:
    action, argument = item
    return states[argument] if action.name == "Shift" else -1 - rules[argument]


def _reduction(rule: Rule) -> Reduction:
    to, size = f"@{rule.origin.name}", len(rule.expansion)
    kept = tuple(
        index - size for index, symbol in enumerate(rule.expansion) if not getattr(symbol, "filter_out", False)
    )
    return Reduction(to, size, _does(rule, len(kept)), kept, rule.alias or "")


def _does(rule: Rule, kept: int) -> int:
    if rule.origin.name.startswith(LIST_RULES):
        return (NEW_LIST, FIRST, APPEND)[min(kept, 2)]
    if rule.alias not in (None, "nothing"):
        return CALL
    if rule.alias or not kept:
        return NOTHING
    return UNIT if len(rule.expansion) == 1 else PASS
