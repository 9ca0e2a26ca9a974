"""What must hold for any bytes in a `.ddd` file, whoever wrote them.

In: the bytes of one file. Out: nothing; an exception is a fault of the front end.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from loom.lsp import answers
from loom.lsp.checking import Checker, lone_file
from loom.lsp.completing import suggestions
from loom.lsp.session import Session
from loom.lsp.texts import Text
from loom.parse import ParseResult, dump, load, parse, report, tables
from loom.parse.findings import findings, github, json_text, sarif
from loom.parse.formatter import Unreadable, format_text
from loom.parse.parser import readable
from loom.parse.report import Source
from tests.kit.lowering import lower_files

FILE = "model.ddd"
_PROJECT = lone_file(Path("/nonexistent") / FILE)


def exercise(data: bytes) -> None:
    """Every part of the front end over one file."""
    result = parse(FILE, data, tables=_tables())
    assert load(dump(result)) == result
    lowered = lower_files({FILE: result.ast})
    found = (*result.diagnostics, *lowered.diagnostics(), *lowered.validated())
    sources = {FILE: Source(readable(FILE, data), result.origins)}
    report(found, sources)
    for printed in (json_text, sarif, github):
        printed(findings(found, sources))
    _check_layout(data, result)
    _check_server(data)


def _check_layout(data: bytes, result: ParseResult) -> None:
    once = format_text(FILE, data)
    if isinstance(once, Unreadable):
        return
    assert format_text(FILE, once.encode()) == once, "a layout is not laid out"
    after = parse(FILE, once.encode(), tables=_tables())
    assert result.has_errors or after.chunks == result.chunks, "a layout changed the tree"


def _check_server(data: bytes) -> None:
    """What the language server is asked for while somebody types: at a place that the text itself chooses."""
    texts = {FILE: data}
    _checker().findings(texts, late=False)
    session = Session(_PROJECT)
    session.update(texts)
    text = Text(session.files[FILE].text, "utf-16")
    offset = len(data) * 7919 % (len(text.text) + 1)
    for place in (offset, len(text.text)):
        found = session.at(FILE, place)
        suggestions(session, FILE, place)
        answers.hovered(session, FILE, place, (), text)
        if found is not None:
            list(session.mentions(found.declared))
    answers.symbols(session, FILE, text)
    answers.formatting(FILE, text.text.encode(), text, (1, 3))


@cache
def _tables() -> bytes:
    return tables()


@cache
def _checker() -> Checker:
    return Checker(_PROJECT)
