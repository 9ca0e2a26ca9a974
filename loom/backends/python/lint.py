"""Which rules of the linter the code of one service breaks, because its model says so.

In: the emitted modules; those of the runtime break none. Out: the codes to leave out, all that the linter would report.
Never: a parse; a sign of a break is enough (kept by tests/unit/backends/python/test_lint.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from loom.backends.python.text.statements import WIDTH
from loom.emit.layout import columns

# A search skips what begins none of its arms: each begins with a letter of its own, and what stands before is looked
# at afterwards.
_TEXT = re.compile(
    r'''"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|f"(?:[^"\\\n]|\\.)*"|F"(?:[^"\\\n]|\\.)*"'''
    r"""|'(?:[^'\\\n]|\\.)*'|f'(?:[^'\\\n]|\\.)*'|F'(?:[^'\\\n]|\\.)*'|#.*"""
)
# With one of these, a quote need not begin or end a text.
_UNPAIRED = ("'", "\\", "#", 'f"', 'F"')
_HOLE = re.compile(r"\{[^{}]*\}")
_METHOD = re.compile(r"\n\n(?=(?: *@.*\n)* *(?:async )?def )")
_TOO_LONG = re.compile(rf"\n.{{{WIDTH + 1}}}")
_AMBIGUOUS = re.compile(r"[lIO](?<![.\w].)\b")
# Signs of a name as `w`, but for `l` where a letter looks like a digit; all others as blanks.
_SIGNS = bytes(
    ord("l" if char in "lIO" else "w" if char.isalnum() or char == "_" or char > "\x7f" else " ")
    for char in map(chr, range(256))
)
_CLASS = re.compile(r"\bclass [lIO]\b")
_DEFINED = re.compile(r"\bdef [lIO]\b")
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
    chunks = list(dict.fromkeys(chunk for text in modules for chunk in _code(text).split("\n\n\n")))
    short = [chunk for chunk in chunks if _AMBIGUOUS.search(chunk)] if _has_letter(" ".join(chunks)) else []
    broken = {
        "E501": any(map(_is_wide, modules)),
        "E712": any(map(_compares_truth, chunks)),
        "E741": bool(short),
        "E742": any(map(_CLASS.search, short)),
        "E743": any(map(_DEFINED.search, short)),
        "F841": any(map(_leaves_unread, chunks)),
        "B023": any(map(_binds_late, chunks)),
    }
    return [code for code, is_broken in broken.items() if is_broken]


def _code(text: str) -> str:
    """The module with nothing in its texts, and without comments; what a formatted one has of code are its holes."""
    if any(map(text.__contains__, _UNPAIRED)):
        return _TEXT.sub(_code_of, text)
    outside_docs = '""'.join(text.split('"""')[::2])
    return '""'.join(outside_docs.split('"')[::2])


def _code_of(text: re.Match[str]) -> str:
    return " ".join(_HOLE.findall(text[0])) if text[0][:1] in "fF" else '""'


def _is_wide(text: str) -> bool:
    """Whether a line is too long; a letter beyond ASCII may count for two."""
    if text.isascii():
        return _TOO_LONG.search(f"\n{text}") is not None
    return any(columns(line) > WIDTH for line in text.splitlines() if len(line) > WIDTH // 2)


def _has_letter(code: str) -> bool:
    """Whether a letter that looks like a digit stands anywhere by itself, so that a closer look is due."""
    return b" l " in f" {code} ".encode().translate(_SIGNS)


def _compares_truth(chunk: str) -> bool:
    return (
        ("True" in chunk or "False" in chunk) and ("==" in chunk or "!=" in chunk) and _TRUTH.search(chunk) is not None
    )


def _binds_late(chunk: str) -> bool:
    """A function within a loop may read what the loop binds."""
    return (
        ("lambda" in chunk or "     def " in chunk or "     async def " in chunk)
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
