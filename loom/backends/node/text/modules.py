"""A module laid out as Biome leaves it.

In: the text of a module, a statement a line and its blocks indented. Out: the same with its long statements broken.
Kept by tests/unit/backends/node/test_statement_layouts.py, which asks Biome itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from loom.backends.node.text import alike, assignments, calls, expressions, printing, statements
from loom.backends.node.text.reader import FLEXIBLE
from loom.backends.node.text.statement_reader import read, read_member, read_property
from loom.emit.layout import Doc, columns, text_of

WIDTH = 100
# Each of these has registered how the nodes that it knows are laid out.
PRINTERS = (assignments, calls, expressions, statements)
# What may take several lines though it fits: functions, lists of lists, three calls in a row.
_LISTS_OR_CALLS = r"\[[\[{]|\)\.\w+[(<].*\)\.\w+[(<]"
_SUSPECT = re.compile(r"=> (?!\{$)|" + _LISTS_OR_CALLS)
_FORCED = re.compile(_LISTS_OR_CALLS)
# The only function of a line, given to a call that no other holds, stays with it.
_LONE_FUNCTION = re.compile(r"[^()]*\([^()]*\(\w+\) => (?!.*=> )")
# A refusal with a text, which is all that can stand below.
_THROWN = re.compile(r"""( *)(throw new \w+\()('[^'\\]*'|"[^"\\]*")\);$""")
_NAMES = re.compile(r"\{ | \}")
# An object after `return`, `=` or the name of a function; no template is looked into.
_LITERAL = re.compile(r"( *(?:(?:export )?const \w+ = |return )?(?:(?:new )?[\w.]+\()?)\{ ([^`]+) \}(\)?;)$")
_PUNCTUATION = re.compile(r"""[()\[\]{}]|, |'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
# What goes on after the block or the literal that the line opens.
_OPENED = re.compile(r"(?:=>|[(,=:]) ?\{$")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_COMMENT = ("//", "/*", "*")
_ELSE = "} else "
_MEMBER = re.compile(
    r"readonly |\w+\??: .*;$|(?!export |function |async function |if |for |try |interface |class ).*\{\}?$"
)
_TRAILING = re.compile(r" +$", re.MULTILINE)


def laid_out(text: str) -> str:
    """The module with every line that does not fit broken as Biome breaks it."""
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(lines):
        line = lines[at]
        end = at + 1
        if len(line) <= WIDTH and line.isascii() and _is_plain(line):
            yield line
        elif _fits(line):
            yield line.replace(FLEXIBLE, "")
        elif thrown := _THROWN.match(line):
            yield from (f"{thrown[1]}{thrown[2]}", f"{thrown[1]}  {thrown[3]},", f"{thrown[1]});")
        elif (literal := _LITERAL.match(line)) and len(literal[1]) < WIDTH and (members := _members(literal[2])):
            yield from _literal(literal, members)
        elif line.startswith("import "):
            yield from _import(line)
        else:
            end = _end(lines, at)
            indent = len(line) - len(line.lstrip())
            yield line[:indent] + statement("\n".join(lines[at:end])[indent:], indent)
        at = end


def _import(line: str) -> Iterator[str]:
    """A name a line; a single one stays."""
    opening, names, module = _NAMES.split(line)
    listed = names.split(", ")
    yield from [f"{opening}{{", *[f"  {name}," for name in listed], f"}}{module}"] if len(listed) > 1 else [line]


def _literal(match: re.Match[str], members: Sequence[str]) -> Iterator[str]:
    """An object that is all of a statement but its opening: a member a line, laid out by itself."""
    indent = " " * (len(match[0]) - len(match[0].lstrip()) + 2)
    yield match[1] + "{"
    yield from _lines([f"{indent}{member}," for member in members])
    yield f"{indent[2:]}}}{match[3]}"


def _members(text: str) -> list[str]:
    """What the commas part that stand in no bracket; nothing when the brackets around `text` are of two literals."""
    found: list[str] = []
    depth = begin = 0
    for match in _PUNCTUATION.finditer(text):
        mark = match[0]
        depth += (mark in _OPENING) - (mark in _CLOSING)
        if depth < 0:
            return []
        if mark == ", " and not depth:
            found.append(text[begin : match.start()])
            begin = match.end()
    return [*found, text[begin:]]


def _is_plain(line: str) -> bool:
    """Whether nothing in it can be suspect or marked: so are most lines, and this is cheaper than a pattern."""
    return "=> " not in line and ")." not in line and "[[" not in line and "[{" not in line


def _fits(line: str) -> bool:
    if _SUSPECT.search(line) and (_FORCED.search(line) or not _LONE_FUNCTION.match(line)):
        return False
    return len(line) <= WIDTH if line.isascii() else columns(line) <= WIDTH


def _end(lines: Sequence[str], at: int) -> int:
    """After the last line of the statement that begins in line `at`; what only opens a block ends there."""
    line = lines[at]
    if not _OPENED.search(line):
        return at + 1
    closing = line[: len(line) - len(line.lstrip())] + "}"
    return next(end for end in range(at + 1, len(lines)) if lines[end].startswith(closing)) + 1


def statement(text: str, indent: int) -> str:
    """One statement, member or beginning of a block, laid out from `indent` on."""
    return text if text.startswith(_COMMENT) else alike.laid_out(text, indent, _broken)


def _broken(text: str, indent: int) -> str:
    before = _ELSE if text.startswith(_ELSE) else ""
    doc: Doc = (before, _doc(text.removeprefix(before)))
    return _TRAILING.sub("", text_of(doc, width=WIDTH, column=indent, indent=indent))


def _doc(text: str) -> Doc:
    if text.endswith(","):
        return (printing.doc(read_property(text)), ",")
    nodes = read_member(text) if _is_member(text) else read(text)
    return statements.laid_out(nodes)


def _is_member(text: str) -> bool:
    """Whether a class or an interface holds it."""
    return not _OPENED.search(text.split("\n", 1)[0]) and _MEMBER.match(text) is not None
