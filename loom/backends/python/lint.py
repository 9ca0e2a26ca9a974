"""Which rules of the linter the code of one service breaks, because its model says so.

In: the emitted modules; those of the runtime break none. Out: the codes to leave out, all that the linter would report.
Never: a parse; a sign of a break is enough (kept by tests/unit/backends/python/test_lint.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from loom.backends.python.text.statements import WIDTH
from loom.emit.layout import columns

_TEXT = re.compile(r'''(?<![fF])"""[\s\S]*?"""|[fF]?"(?:[^"\\\n]|\\.)*"|[fF]?'(?:[^'\\\n]|\\.)*'|#.*''')
_HOLE = re.compile(r"\{[^{}]*\}")
_METHOD = re.compile(r"\n\n(?=(?: *@.*\n)* *(?:async )?def )")
_AMBIGUOUS = re.compile(r"(?<![.\w])[lIO]\b")
_TRUTH = re.compile(r"[!=]= \(?(?:True|False)\b|\b(?:True|False)\)? [!=]=")
_LOOP = re.compile(r"\bfor\b|\bwhile\b")
_FUNCTION = re.compile(r"\blambda\b|^ {5,}(?:async )?def ", re.MULTILINE)
_ANNOTATED = re.compile(r"^ +\w+: (?=[^=\n]+ = )", re.MULTILINE)
_BOUND = re.compile(r"^ +(\w+)(?:: [^=\n]+)? = |(?<!\w)(\w+) :=|\bas (\w+):", re.MULTILINE)


def broken_rules(modules: Iterable[str]) -> list[str]:
    """The codes, in the order of the table: long texts, comparisons with true, short names and what nothing reads."""
    modules = list(modules)
    is_wide = any(columns(line) > WIDTH for text in modules for line in text.splitlines())
    chunks = [_TEXT.sub(_code, chunk) for text in modules for chunk in text.split("\n\n\n")]
    return ["E501"] * is_wide + [code for code, is_broken in _RULES if any(map(is_broken, chunks))]


def _code(text: re.Match[str]) -> str:
    """What a text or a comment has of code: the holes of a formatted one."""
    return " ".join(_HOLE.findall(text[0])) if text[0][:1] in "fF" else '""'


def _has(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda chunk: pattern.search(chunk) is not None


def _binds_late(chunk: str) -> bool:
    """A function within a loop may read what the loop binds."""
    return _LOOP.search(chunk) is not None and _FUNCTION.search(chunk) is not None


def _leaves_unread(chunk: str) -> bool:
    """Each method by itself: another may have a variable of the same name."""
    return any(name not in _read(part) for part in _METHOD.split(chunk) for name in _bound(part))


def _bound(part: str) -> Iterator[str]:
    if "def " in part:
        yield from (name for match in _BOUND.findall(part) for name in match if name)


def _read(part: str) -> set[str]:
    """Names that are read, less those that a function or a comprehension has to itself."""
    hidden = set(re.findall(r"\bfor (\w+) in\b", part))
    hidden |= {name for names in re.findall(r"\blambda ([^:]*):", part) for name in re.findall(r"\w+", names)}
    return set(re.findall(r"(?<![.\w])(\w+)\b(?! *:?[-+*/%]?=(?!=))", _ANNOTATED.sub("", part))) - hidden


_RULES = (
    ("E712", _has(_TRUTH)),
    ("E741", _has(_AMBIGUOUS)),
    ("E742", _has(re.compile(r"\bclass [lIO]\b"))),
    ("E743", _has(re.compile(r"\bdef [lIO]\b"))),
    ("F841", _leaves_unread),
    ("B023", _binds_late),
)
