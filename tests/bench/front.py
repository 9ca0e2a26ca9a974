"""Measures the front end and writes its table into README.md: `python -m tests.bench.front`.

In: nothing. Out: the table, printed and in `tests/bench/README.md`, with what each row aims at.
Never: a verdict: times are for people to read, and no test asserts one.
"""

from __future__ import annotations

import gc
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple
from unittest.mock import patch

from lark import Lark, Token
from lark.lexer import Lexer

from loom.build.project.load import load_project
from loom.lsp.checking import Checker
from loom.lsp.server import PAUSE
from loom.parse import ParseResult, dump, load, parse, tables
from loom.parse.formatter.format import grammar as compiled_tables
from loom.parse.formatter.outline import outline
from loom.parse.lexer import tokenize
from loom.parse.tables import HERE, grammar
from tests.bench.synth import Size, context, write
from tests.kit.lowering import lower_files

README = Path(__file__).with_name("README.md")
LINES = 20_000
GRAMMAR = tables()


class Row(NamedTuple):
    title: str
    found: str
    aim: str


def model(lines: int) -> str:
    """At least so many lines, in contexts of ten aggregates."""
    texts: list[str] = []
    count = 0
    while count < lines:
        texts.append(context(len(texts), 10))
        count += texts[-1].count("\n")
    return "".join(texts)


def seconds(run: Callable[[], object], times: int = 3) -> float:
    """CPU time of the cheapest of several runs, without the collector, which `loom` switches off too."""
    found = []
    for _ in range(times):
        gc.collect()
        gc.disable()
        before = process_time()
        run()
        found.append(process_time() - before)
        gc.enable()
    return min(found)


def by_turns(one: Callable[[], object], other: Callable[[], object], times: int = 9) -> tuple[float, float]:
    """The same of two that are compared: what else the machine does meets both alike."""
    found = [(seconds(one, 1), seconds(other, 1)) for _ in range(times)]
    return min(first for first, _ in found), min(second for _, second in found)


def parsed(text: str) -> ParseResult:
    return parse("model.ddd", text.encode(), tables=GRAMMAR)


def lark_over(text: str) -> Callable[[], object]:
    """Lark's own LALR parser, with positions, over tokens that are ready: its lexer costs it nothing."""
    tokens = tokenize("model.ddd", text, compiled_tables().words)
    seen = outline(compiled_tables(), tokens)
    assert seen is not None
    names = {str(terminal.pattern.value): terminal.name for terminal in grammar().terminals}
    ready = [
        Token(names.get(kind, kind), text, start, 1, start + 1, 1, start + 1 + len(text), start + len(text))
        for kind, text, start in zip(seen.kinds, tokens.texts, tokens.starts, strict=True)
        if kind != "$END"
    ]

    class Ready(Lexer):
        def __init__(self, _: object) -> None: ...

        def lex(self, *_: object) -> Iterator[Token]:
            return iter(ready)

    rules = HERE.joinpath("ddd.lark").read_text(encoding="utf-8")
    lark = Lark(rules, parser="lalr", lexer=Ready, propagate_positions=True, maybe_placeholders=False)
    return lambda: lark.parse("")


def rows() -> Iterator[Row]:
    text = model(LINES)
    lines = text.count("\n")
    result = parsed(text)
    one, meant = by_turns(lambda: parsed(text), lambda: lower_files({"model.ddd": result.ast}).validated())
    kept = dump(result)
    yield Row("parsing, with positions", f"{lines / one:,.0f} lines a second", "12,000")
    yield Row(
        "… of Lark's LALR parser over ready tokens", f"{one / seconds(lark_over(text), 1):.0%} of the time", "less"
    )
    yield Row("lowering and validating", f"{meant / one:.2f} times parsing", "1")
    loaded = seconds(lambda: load(kept))
    yield Row("loading a tree that is kept", f"{loaded / one:.0%} of parsing", "less than 100%")
    large = model(100_000)
    growth = seconds(lambda: parsed(large), 1) / large.count("\n") / (one / lines)
    yield Row(f"a line of {large.count(chr(10)):,} lines", f"{growth:.2f} times one of {lines:,}", "1")
    yield from edits()


def edits() -> Iterator[Row]:
    """A keystroke in a project, as the language server meets it."""
    with tempfile.TemporaryDirectory(prefix="loom-bench-") as folder:
        count, _ = keystroke(Path(folder, "many"), Size(49, 2, 2))
        yield Row("an edit in a project of 50 files", f"parses {count}", "1")
        _, spent = keystroke(Path(folder, "long"), Size(1, 23, 1))
        shown = f"{(spent + PAUSE) * 1000:.0f} ms"
        yield Row("diagnostics after a keystroke in 2,000 lines", shown, "300 ms")


def keystroke(folder: Path, size: Size) -> tuple[int, float]:
    """How many files are parsed after a key is pressed in one, and how long until its mistakes are known."""
    write(size, folder)
    checker = Checker(load_project(folder))
    checker.findings({}, late=False)
    name = "model/pit_0.ddd"
    text = (folder / name).read_text(encoding="utf-8")
    spent = []
    with patch("loom.parse.stage.parse", side_effect=parse) as counted:
        for number in range(5):
            changed = {name: text.replace("depthMetres: int = 10", f"depthMetres: int = {20 + number}", 1).encode()}
            spent.append(seconds(partial(checker.findings, changed, late=False), 1))
    return counted.call_count // 5, min(spent)


def table(found: Sequence[Row]) -> str:
    lines = ["| the front end, by CPU time | found | aim |", "| --- | ---: | ---: |"]
    return "\n".join(lines + [f"| {row.title} | {row.found} | {row.aim} |" for row in found])


def main() -> None:
    text = table(list(rows()))
    sys.stdout.write(f"{text}\n")
    page = README.read_text(encoding="utf-8")
    marked = re.sub(
        r"(?s)(<!-- front -->\n).*?(<!-- end front -->)", lambda found: f"{found[1]}{text}\n{found[2]}", page
    )
    README.write_text(marked, encoding="utf-8")


if __name__ == "__main__":
    main()
