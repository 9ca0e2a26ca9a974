"""Text to tokens by shape; which words are keywords is the parser's business, but for `oidc` behind a comma.

In: decoded text. Out: parallel lists of kinds, texts and offsets, and the lexical mistakes met.
Never: a token list that is cut short by a mistake: every mistake still gives a token to go on with.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from loom.base import Diagnostic, NodePath
from loom.parse.problems import (
    BidiControl,
    LexError,
    NestingTooDeep,
    NulInString,
    NumberTooLong,
    UnclosedString,
    UnknownEscape,
    offset_path,
)

DEEPEST = 200
DEEPEST_TEMPLATE = 20
LONGEST_NUMBER = 40
MOST_PROBLEMS = 50

# The two repeats around comments are greedy, not possessive: some builds of Python before 3.11.5 do not step back when
# such a repeat fails halfway, and would skip a comment that nothing closes.
# kept there by tests/corpus/parse/unclosed-comment.md
_BLANK = r"[ \t\r\n\f\v]*+(?:(?://[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*\*/)[ \t\r\n\f\v]*+)*"
_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_LABEL_NEXT = rf"(?={_BLANK}:(?!=))"
_FOREIGN = r"[^\x00-\x7f]"
_SHAPES = (
    rf"(?P<WORD>{_NAME})(?!{_FOREIGN})(?P<LABEL>{_LABEL_NEXT})?",
    rf"(?P<NEXT>,(?={_BLANK}(?:{_NAME}{_LABEL_NEXT}|oidc{_BLANK}\{{)))",
    rf"(?P<LAST>,(?={_BLANK}[}}\])]))",
    rf"(?P<BOPEN>\{{(?={_BLANK}{_NAME}{_LABEL_NEXT}))",
    rf"(?P<BEMPTY>\{{(?={_BLANK}\}}))",
    r"(?P<EMPTY_LIST>\[[ \t\r\n]*+\])",
    r'(?P<STRING>"(?:[^"\\]++|\\(?s:.))*+")',
    r"(?P<DECIMAL>[0-9]++\.[0-9]++)",
    r"(?P<DURATION>[0-9]++(?:ms|s|m|h|d)(?![A-Za-z0-9_]))",
    r"(?P<INT>[0-9]++)(?![^\x00-\x7f])",
    r"(?P<UNCLOSED>\"[^\n]*+|/\*(?s:.)*+)",
    r"(?P<OPERATOR>==|!=|<=|>=|&&|\|\||[</%>]|\+(?!=))",
    r"(?P<MARK>:=|\+=|-=|=>|->|[{}(),.:;\[\]?|=*!-])",
    r"(?P<BACKTICK>`)",
    rf"(?P<FOREIGN>[A-Za-z0-9_]*+{_FOREIGN}(?:[A-Za-z0-9_]|{_FOREIGN})*+)",
    r"(?P<OTHER>(?s:.))",
)
_TOKEN = re.compile(rf"{_BLANK}(?:{'|'.join(_SHAPES)}|\Z)")
ONE_LINE_TOKEN = re.compile(_TOKEN.pattern.replace(r'[^"\\]++', r'[^"\\\n]++'))
_MARK_KINDS = {"*": "STAR", "-": "MINUS", "!": "NOT"}
BRACES = frozenset(("{", "BOPEN", "BEMPTY"))
_OPENING = BRACES | {"(", "["}
_CLOSING = frozenset((")", "]", "}"))
_QUOTES = "\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_BIDI = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"} | {mark: mark for mark in "\"\\'/`{}"}
_TEMPLATE_TEXT = re.compile(r"(?:[^`{\\]++|\\(?s:.))*+")
_TEMPLATE_LINE = re.compile(r"(?:[^`{\\\n]++|\\.)*+")
_FORMAT = re.compile(r"[^{}`]*+(?:\{[^{}`]*+\}[^{}`]*+)*+(?=\})")


class Tokens(msgspec.Struct):
    """Parallel lists, ended by one `$END`; `suspects` are the tokens at which a mistake was reported.

    From the token `swallowed` on, whatever there is belongs to a template that never ends; -1 where none does.
    """

    file: str
    source: str
    words: frozenset[str]
    token: re.Pattern[str]
    kinds: list[str] = msgspec.field(default_factory=list)
    texts: list[str] = msgspec.field(default_factory=list)
    starts: list[int] = msgspec.field(default_factory=list)
    problems: list[Diagnostic] = msgspec.field(default_factory=list)
    suspects: set[int] = msgspec.field(default_factory=set)
    depth: int = 0
    templates: int = 0
    swallowed: int = -1

    def add(self, kind: str, text: str, start: int) -> None:
        """One more token, unless it is nested too deep."""
        if self.depth <= DEEPEST:
            self.kinds.append(kind)
            self.texts.append(text)
            self.starts.append(start)

    def report(self, problem: Diagnostic) -> None:
        """One more mistake at the token that comes next, as long as anybody would read on."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)
        self.suspects.add(len(self.kinds))


def tokenize(file: str, source: str, words: frozenset[str], *, one_line_strings: bool = False) -> Tokens:
    """The tokens of `source`; with `one_line_strings` no string or template may span lines."""
    tokens = Tokens(file, source, words, ONE_LINE_TOKEN if one_line_strings else _TOKEN)
    if "\0" in source:
        tokens.report(NulInString(at=offset_path(file, source.index("\0"))))
    _scan(tokens, 0, floor=-1)
    tokens.depth = 0
    tokens.add("$END", "", len(source))
    return tokens


def _scan(tokens: Tokens, position: int, *, floor: int) -> int:
    """Adds tokens up to the end of the text, or of the hole opened at depth `floor`; the offset reached."""
    position = _run(tokens, position, floor)
    while tokens.source.startswith("`", position):
        position = _run(tokens, _template(tokens, position), floor)
    return position


def _run(tokens: Tokens, position: int, floor: int) -> int:
    """Adds the tokens before the next template, or before the end of the hole or text; the offset reached."""
    words, add = tokens.words, tokens.add
    for match in tokens.token.finditer(tokens.source, position):
        kind = match.lastgroup
        if kind == "WORD":
            text = match["WORD"]
            add("WORD" if text in words else "ID", text, match.end() - len(text))
        elif kind == "LABEL":
            text = match["WORD"]
            add("LABEL", text, match.end() - len(text))
        elif kind is None:
            break
        else:
            text = match[kind]
            start = match.end() - len(text)
            if kind == "BACKTICK" or (floor == tokens.depth and text in ("}", ",")):
                return start
            _ADD.get(kind, Tokens.add)(tokens, kind, text, start)
    return len(tokens.source)


def _mark(tokens: Tokens, kind: str, text: str, start: int) -> None:
    """Punctuation: it is its own kind; brackets count."""
    if text in _OPENING:
        tokens.depth += 1
        if tokens.depth == DEEPEST + 1:
            tokens.report(NestingTooDeep(at=offset_path(tokens.file, start), deepest=DEEPEST))
            tokens.depth = DEEPEST
            tokens.add("ID", "_", start)
            tokens.depth = DEEPEST + 1
    tokens.add(_MARK_KINDS.get(text, text) if kind == "MARK" else kind, text, start)
    if text in _CLOSING:
        tokens.depth = max(tokens.depth - 1, 0)


def _string(tokens: Tokens, kind: str, text: str, start: int) -> None:
    tokens.add(kind, _unescape(tokens, text[1:-1], start + 1), start)


def _unescape(tokens: Tokens, text: str, start: int) -> str:
    """`text` with its escapes resolved."""
    if "\\" not in text:
        return text
    for match in _ESCAPE.finditer(text):
        if match[1] not in _ESCAPES:
            place = offset_path(tokens.file, start + match.start())
            tokens.report(UnknownEscape(at=place, character=match[1]))
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), text)


def _unclosed(tokens: Tokens, kind: str, text: str, start: int) -> None:
    """Reports a string or comment that never ends; a string goes on as if closed at its line's end."""
    place = offset_path(tokens.file, start)
    if text.startswith("/*"):
        tokens.report(UnclosedString(at=place, what="comment", closing="`*/`"))
        return
    tokens.report(UnclosedString(at=place, what="string", closing="a double quote"))
    tokens.add("STRING", text[1:], start)


def _foreign(tokens: Tokens, kind: str, text: str, start: int) -> None:
    """Reports letters that names may not have; the run goes on as a name."""
    match = _BIDI.search(text)
    if match:
        place, character = offset_path(tokens.file, start + match.start()), f"U+{ord(match[0]):04X}"
        tokens.report(BidiControl(at=place, character=character))
    else:
        index = next(index for index, character in enumerate(text) if character > "\x7f")
        place = offset_path(tokens.file, start + index)
        tokens.report(_stray(place, text[index]))
    tokens.add("ID", text, start)


def _stray(place: NodePath, character: str) -> LexError:
    """What nobody sees is told by its number."""
    is_seen = character.isprintable() and not character.isspace()
    case: Literal["other", "quote", "dash", "unseen"] = "other" if is_seen else "unseen"
    case = "quote" if character in _QUOTES else "dash" if character in _DASHES else case
    return LexError(at=place, case=case, character=character if is_seen else f"U+{ord(character):04X}")


def _number(tokens: Tokens, kind: str, text: str, start: int) -> None:
    digits = len(text) - text.count(".")
    if digits > LONGEST_NUMBER:
        tokens.report(NumberTooLong(at=offset_path(tokens.file, start), digits=digits))
        text = "0" if kind == "INT" else "0.0"
    tokens.add(kind, text, start)


_ADD = {
    "MARK": _mark,
    "BOPEN": _mark,
    "BEMPTY": _mark,
    "STRING": _string,
    "UNCLOSED": _unclosed,
    "FOREIGN": _foreign,
    "INT": _number,
    "DECIMAL": _number,
}


def _template(tokens: Tokens, start: int) -> int:
    """Adds the tokens of the template whose back-tick is at `start`; the offset behind it."""
    source, position, kind = tokens.source, start + 1, "TEMPLATE_OPEN"
    first = len(tokens.kinds)
    tokens.templates += 1
    if tokens.templates > DEEPEST_TEMPLATE:
        if tokens.templates == DEEPEST_TEMPLATE + 1:
            tokens.report(NestingTooDeep(at=offset_path(tokens.file, start), deepest=DEEPEST_TEMPLATE))
        position = len(source)
    while True:
        match = (_TEMPLATE_LINE if tokens.token is ONE_LINE_TOKEN else _TEMPLATE_TEXT).match(source, position)
        end = match.end() if match else len(source)
        text = _unescape(tokens, source[position:end], position)
        if source.startswith("{", end):
            tokens.add(kind, text, position - 1)
            position, kind = _hole(tokens, end + 1), "TEMPLATE_MIDDLE"
            continue
        tokens.add("TEMPLATE_FULL" if kind == "TEMPLATE_OPEN" else "TEMPLATE_CLOSE", text, position - 1)
        if tokens.templates > DEEPEST_TEMPLATE:
            return end
        tokens.templates -= 1
        if not source.startswith("`", end):
            tokens.report(UnclosedString(at=offset_path(tokens.file, start), what="template", closing="a back-tick"))
            if tokens.swallowed < 0:
                tokens.swallowed = first
            return end
        return end + 1


def _hole(tokens: Tokens, position: int) -> int:
    """Adds the tokens of a hole that begins at `position`, its format as one; the offset behind its brace."""
    tokens.depth += 1
    position = _scan(tokens, position, floor=tokens.depth)
    if tokens.source.startswith(",", position):
        match = _FORMAT.match(tokens.source, position + 1)
        end = match.end() if match else len(tokens.source)
        tokens.add("FORMAT", tokens.source[position + 1 : end].strip(), position)
        position = end
    tokens.depth = max(tokens.depth - 1, 0)
    return position + 1


def token_end(source: str, offset: int) -> int:
    """Where the token that begins at `offset` ends."""
    match = _TOKEN.match(source, offset)
    return max(match.end() if match else offset, min(offset + 1, len(source)))
