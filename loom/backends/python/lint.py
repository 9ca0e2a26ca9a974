"""Which rules of the linter the code of one service breaks, because its model says so.

In: the emitted modules; those of the runtime break none. Out: the codes to leave out, all that the linter would report.
Never: a parse; a sign of a break is enough (kept by tests/unit/backends/python/test_lint.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from loom.backends.python.text.statements import WIDTH
from loom.emit.layout import columns

# A search skips what begins none of its arms: each begins with a letter of its own, and what stands before is looked
# at afterwards.
_TEXT = re.compile(
    r'''"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|f"(?:[^"\\\n]|\\.)*"|F"(?:[^"\\\n]|\\.)*"'''
    r"""|'(?:[^'\\\n]|\\.)*'|f'(?:[^'\\\n]|\\.)*'|F'(?:[^'\\\n]|\\.)*'|#.*"""
)
_HOLE = re.compile(r"\{[^{}]*\}")
_METHOD = re.compile(r"\n\n(?=(?: *@.*\n)* *(?:async )?def )")
_AMBIGUOUS = re.compile(r"[lIO](?<![.\w].)\b")
_TRUTH = re.compile(r"[!=]= \(?(?:True|False)\b|True(?<!\wTrue)\)? [!=]=|False(?<!\wFalse)\)? [!=]=")
_LOOP = re.compile(r"for\b(?<!\wfor)|while\b(?<!\wwhile)")
_FUNCTION = re.compile(r"\blambda\b|^ {5,}(?:async )?def ", re.MULTILINE)
_TYPED = re.compile(r": [^=\n]+ = ")
_ASSIGNED = re.compile(r"\n ++(\w++)(?: = |: [^=\n]+ = )")
_NAMED = re.compile(r"\b(\w++) :=")
_CAUGHT = re.compile(r"as (?<!\was )(\w+):")
_WRITTEN = re.compile(r" *:?[-+*/%]?=(?!=)")
_ITERATED = re.compile(r"for (?<!\wfor )(\w+) in\b")
_PARAMETERS = re.compile(r"lambda (?<!\wlambda )([^:]*):")
_WORD = re.compile(r"\w+")


def broken_rules(modules: Iterable[str]) -> list[str]:
    """The codes, in the order of the table: long texts, comparisons with true, short names and what nothing reads."""
    modules = list(modules)
    is_wide = any(columns(line) > WIDTH for text in modules for line in text.splitlines() if len(line) > WIDTH // 2)
    chunks = list(dict.fromkeys(chunk for text in modules for chunk in _TEXT.sub(_code, text).split("\n\n\n")))
    return ["E501"] * is_wide + [code for code, is_broken in _RULES if any(map(is_broken, chunks))]


def _code(text: re.Match[str]) -> str:
    """What a text or a comment has of code: the holes of a formatted one."""
    return " ".join(_HOLE.findall(text[0])) if text[0][:1] in "fF" else '""'


def _has(pattern: re.Pattern[str], *signs: str) -> Callable[[str], bool]:
    """Whether a chunk has it; one without any of the `signs` cannot, and is not looked at closely."""
    return lambda chunk: _may(chunk, signs) and pattern.search(chunk) is not None


def _may(chunk: str, signs: Iterable[str]) -> bool:
    return any(map(chunk.__contains__, signs))


def _binds_late(chunk: str) -> bool:
    """A function within a loop may read what the loop binds."""
    return (
        _may(chunk, ("lambda", "     def ", "     async def "))
        and _LOOP.search(chunk) is not None
        and _FUNCTION.search(chunk) is not None
    )


def _leaves_unread(chunk: str) -> bool:
    """Each method by itself: another may have a variable of the same name."""
    return "def " in chunk and any(map(_binds_unread, _METHOD.split(chunk)))


def _binds_unread(part: str) -> bool:
    """Whether no place reads a name, or a function or a comprehension has one of that name to itself."""
    bound = _bound(part)
    return bool(bound) and (not bound.isdisjoint(_hidden(part)) or not all(_is_read(name, part) for name in bound))


def _bound(part: str) -> set[str]:
    if "def " not in part:
        return set()
    named = _NAMED.findall(part) if " :=" in part else ()
    caught = _CAUGHT.findall(part) if " as " in part else ()
    assigned = _ASSIGNED.findall(f"\n{part}") if " = " in part else ()
    return {*assigned, *named, *caught}


def _is_read(name: str, part: str) -> bool:
    at = part.find(name)
    while at >= 0 and not _reads(part, at, at + len(name)):
        at = part.find(name, at + 1)
    return at >= 0


def _reads(part: str, begin: int, end: int) -> bool:
    """Whether what stands there is a name of its own that is not written, nor given to a parameter."""
    if begin and (part[begin - 1] in "._" or part[begin - 1].isalnum()):
        return False
    if part[end : end + 1] == "_" or part[end : end + 1].isalnum() or _WRITTEN.match(part, end):
        return False
    return not (_TYPED.match(part, end) and part[part.rfind("\n", 0, begin) + 1 : begin].isspace())


def _hidden(part: str) -> set[str]:
    hidden = set(_ITERATED.findall(part)) if "for " in part else set()
    names = _PARAMETERS.findall(part) if "lambda " in part else ()
    return hidden.union(*map(_WORD.findall, names))


_RULES = (
    ("E712", lambda chunk: _may(chunk, ("True", "False")) and _may(chunk, ("==", "!=")) and bool(_TRUTH.search(chunk))),
    ("E741", lambda chunk: _AMBIGUOUS.search(chunk) is not None),
    ("E742", _has(re.compile(r"\bclass [lIO]\b"), "class l", "class I", "class O")),
    ("E743", _has(re.compile(r"\bdef [lIO]\b"), "def l", "def I", "def O")),
    ("F841", _leaves_unread),
    ("B023", _binds_late),
)
