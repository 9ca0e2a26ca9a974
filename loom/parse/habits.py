"""What authors of other languages write where a member or a statement begins, and what it is here.

In: the kinds and texts of the tokens from a mistake on. Out: how many tokens further the fault is, and what to write.
Never: a guess where nothing is recognised.
"""

from __future__ import annotations

from typing import NamedTuple

# Names have no meaning yet here. kept by tests/unit/parse/test_parse.py::test_habits_know_the_built_in_types
BUILT_IN = frozenset(("bool", "datetime", "decimal", "guid", "int", "json", "long", "money", "string"))
_MODIFIERS = frozenset(
    ("const", "final", "let", "mut", "private", "protected", "public", "readonly", "static", "val", "var")
)
_NAMES = ("ID", "WORD")


class Habit(NamedTuple):
    """`shift` tokens behind the one that did not fit is the fault; `advice` is what to write."""

    shift: int
    advice: str


def member_habit(kinds: list[str], texts: list[str]) -> Habit | None:
    """Where a field could begin and a name stands that no colon follows."""
    if kinds[1:2] == ["?"] and texts[2:3] == [":"]:
        given = texts[3] if kinds[3:4] and kinds[3] in _NAMES else "T"
        return Habit(1, f"write `{texts[0]}: {given}?` for an optional field")
    if kinds[1:2] == ["MINUS"] and kinds[2:3] and kinds[2] in (*_NAMES, "LABEL"):
        return Habit(1, f"names have no `-`: write `{texts[0]}{texts[2][:1].upper()}{texts[2][1:]}`")
    if kinds[1:2] == ["LABEL"]:
        return Habit(0, f"remove it: a field begins with its name, as in `{texts[1]}: T`")
    if kinds[1:2] and kinds[1] in _NAMES:
        return Habit(0, _two_names(texts))
    return None


_GENERICS = {
    **dict.fromkeys(("array", "collection", "list", "sequence", "set"), "`{}[]` for a list"),
    **dict.fromkeys(("maybe", "nullable", "option", "optional"), "`{}?` for what may be absent"),
    **dict.fromkeys(("id", "key", "ref", "reference"), "`{} id` for a reference"),
}
_WORDED = {"and": "&&", "or": "||"}


def type_habit(kinds: list[str], texts: list[str], before: str) -> Habit | None:
    """Behind the name of a type: `List<T>`, `varchar(20)`."""
    if texts[0] == "<" and before.lower() in _GENERICS and kinds[1:2] and kinds[1] in _NAMES:
        return Habit(0, f"write {_GENERICS[before.lower()].format(texts[1])}")
    if texts[0] == "(" and kinds[1:2] == ["INT"]:
        kind = "decimal" if before.lower() in ("decimal", "numeric", "number") else "string"
        return Habit(0, f"types take no length: write `{kind}`, and an `invariant` for what it is limited to")
    return None


def _two_names(texts: list[str]) -> str:
    if texts[0] in _MODIFIERS and texts[2:3] != ["("]:
        texts = texts[1:]
    first, second = texts[:2]
    if texts[2:3] == ["("]:
        return f"write `operation {second}(…) {{ … }}` or `function {second}(…): T = …`"
    is_type = first in BUILT_IN or (first[:1].isupper() and second not in BUILT_IN and not second[:1].isupper())
    name, kind = (second, first) if is_type else (first, second)
    return f"write `{name}: {kind}` for a field"


def statement_habit(kinds: list[str], texts: list[str], before: str) -> Habit | None:
    """Where an assignment could go on and another name stands: `int total = 3`, `var total = 3`."""
    if before in _NAMES and kinds[0] in _NAMES and texts[1:2] == ["="]:
        return Habit(0, f"write `let {texts[0]} = …`")
    return None


_LOOP = "write `for item in items { … }`: collections are all that is gone through"
_REFUSAL = 'write `precondition … message "…"`: what does not hold refuses the call'
_CAUGHT = "remove it: what fails undoes the whole call, and nothing catches it"
_WHOLE = "put what is left out into an `if`: a `for` goes through everything"
NEW = "write `Name { … }` for a value or part, and `Name.create(…)` for an aggregate"
_FOREIGN = {
    "assert": _REFUSAL,
    "await": "remove it: each call ends before the next begins",
    "break": _WHOLE,
    "catch": _CAUGHT,
    "continue": _WHOLE,
    "do": _LOOP,
    "elif": "write `else if`",
    "elseif": "write `else if`",
    "elsif": "write `else if`",
    "finally": _CAUGHT,
    "for": "write `for item in items { … }`, without parentheses",
    "foreach": _LOOP,
    "loop": _LOOP,
    "new": NEW,
    "pass": "remove it: a block may be empty",
    "raise": _REFUSAL,
    "switch": "write `match { … => { … } else => { … } }`",
    "throw": _REFUSAL,
    "try": _CAUGHT,
    "unless": "write `if !(…) { … }`",
    "until": _LOOP,
    "while": _LOOP,
}


def foreign_statement(kinds: list[str], texts: list[str], fault: int) -> Habit | None:
    """For the tokens of a statement, of which `fault` does not fit: `while (…) {`, `throw "…"`, `for (…) {`.

    Where such a word is taken for the name of something that is called, the brace behind the call does not fit.
    """
    advice = _FOREIGN.get(texts[0], "") if kinds[0] in _NAMES and fault else ""
    called = texts[1:2] == ["("] and (texts[0] == "for" or texts[fault][:1] == "{")
    return Habit(-fault, advice) if advice and (called or (fault == 1 and texts[0] != "for")) else None


def makes(texts: list[str]) -> bool:
    """For a name and what follows it: `new Name(…)`, which else is a value `new` and the call of a type behind it."""
    return texts[:1] == ["new"] and texts[2:] == ["("] and texts[1][:1].isupper()


_MARKS = {
    ("==", "="): "write `==`: values are compared by value",
    ("!=", "="): "write `!=`: values are compared by value",
    ("?", "?"): "write `value != null ? value : other`",
    ("?", "."): "write `value != null ? value.member : other`",
    ("+", "+"): "write `+= 1`",
    ("-", "-"): "write `-= 1`",
    ("+", "+="): "write `+= 1`",
    ("*", "*"): "nothing is raised to a power: multiply",
    ("is", "null"): "write `== null`",
    ("is", "not"): "write `!= null`",
}
"""Marks that are two here, the second of which fits nowhere, or words between two values."""


_VALUE_ENDS = frozenset((*_NAMES, "INT", "DECIMAL", "STRING", ")", "]", "EMPTY_LIST"))


def foreign_expression(kinds: list[str], texts: list[str], start: int, fault: int) -> Habit | None:
    """For the member or statement that begins at `start`, of which `fault` does not fit: `a === b`, `not a`, `a ?? b`.

    What stands before such a word may have been complete without it.
    """
    for first in (fault - 1, fault):
        pair = texts[first], "".join(texts[first + 1 : first + 2])
        if first > 0 and kinds[first - 1] in _VALUE_ENDS and pair in _MARKS:
            return Habit(first - fault, _MARKS[pair])
    for before in (fault - 1, start - 1):
        if before > 0 and texts[before] == "not":
            return Habit(before - fault, "write `!`")
    if makes(texts[fault - 1 : fault + 2]):
        return Habit(-1, NEW)
    if (texts[fault - 1], texts[fault]) == ("return", "}"):
        return Habit(-1, "say what it gives; nothing ends early without a value: put the rest into an `else`")
    if (texts[start], texts[fault]) == ("let", ":"):
        return Habit(0, "write `let name = …`: the type is that of the value")
    return None


def operator_habit(before: str) -> Habit | None:
    """Where a statement is not complete behind what another language has between two conditions."""
    return Habit(-1, f"write `{_WORDED[before]}`") if before in _WORDED else None
