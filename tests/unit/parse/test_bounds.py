"""However large or deep a file is, what is done for it grows with its size alone, and nothing is raised.

Work is counted in calls, which are the same on every machine: twice the text may cost little more than twice as many.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from loom.parse import parse, tables
from loom.parse.formatter import format_text
from loom.parse.parser import readable
from loom.parse.report import Source, report
from tests.kit.lowering import lower_files

ROOT = Path(__file__).parents[3]
GRAMMAR = tables()
DEEP = 10_000
NESTS = {
    "parentheses": ("(", "1", ")"), "lists": ("[", "1", "]"), "calls": ("f(", "1", ")"), "members": ("", "a", ".b"),
    "calls of members": ("", "a", ".b()"), "conditions": ("a ? b : ", "c", ""), "lambdas": ("x => ", "y", ""),
    "signs": ("-(", "1", ")"), "matches": ("match { a => ", "1", "}"), "templates": ("`{", "a", "}`"),
    "builders": ("SeedBatch { b: ", "1", "}"), "objects": ("{ b: ", "1", "}"), "differences": ("", "a", " - a"),
    "comparisons": ("", "a", " == a"), "guards": ("a.where(x => ", "x", ")"), "nothing": ("(", "", ""),
}  # fmt: skip
BLOCKS = {
    "if": ("if a { ", "}"), "else": ("if a { } else { ", "}"), "else if": ("if a { } else ", "if a { }"),
    "if let": ("if let a = b { ", "}"), "for": ("for a in b { ", "}"), "match": ("match a { Open => { ", "} }"),
}  # fmt: skip
WIDE: dict[str, Callable[[int], str]] = {
    "value objects": lambda n: _context(f"valueobject Held{i} {{ next: Held{i + 1}? }}" for i in range(n)),
    "derived values": lambda n: _aggregate(f"derived end{i}: int = end{i + 1} + 1" for i in range(n)),
    "functions": lambda n: _aggregate(f"function class{i}(): int = class{(i + 1) % n}()" for i in range(n)),
    "operations": lambda n: _aggregate(f"operation class{i}() {{ class{(i + 1) % n}() }}" for i in range(n)),
    "parts": lambda n: _aggregate(f"entity Part{i} {{ contains next: Part{(i + 1) % n} }}" for i in range(n)),
    "root functions": lambda n: " ".join(f"function class{i}(): int = class{(i + 1) % n}()" for i in range(n)),
    "unknown types": lambda n: _aggregate(f"field{i}: HTTPServerKnd{i}" for i in range(n)),
    "variants": lambda n: _context([f"repository Rs for R {{ find end(): {' or '.join(['R'] * n)} }}"]),
    "one name": lambda n: _aggregate("end: int" for _ in range(n)),
    "commands": lambda n: _batches(
        [_block("workflow SowAll", (f"create end{i}(class: string) {{ }}" for i in range(n)))]
    ),
    "workflows": lambda n: _batches(f"workflow Sow{i} {{ create(class: string) {{ }} }}" for i in range(n)),
    "handlers": lambda n: _batches(f"commandHandler end{i}(class: string) {{ }}" for i in range(n)),
    "services": lambda n: _batches(f"domainService End{i} {{ operation end() {{ }} }}" for i in range(n)),
    "folds": lambda n: _batches(
        [
            *_events(n),
            _block(
                "projection Sown keyed by end", ["end: SeedBatch id", *(f"on(class: Sown{i}) {{ }}" for i in range(n))]
            ),
        ]
    ),
    "channels": lambda n: _batches([*_events(n), *(f"channel End{i} {{ carries: Sown{i} }}" for i in range(n))]),
    "statements": lambda n: _aggregate([f"destroy {{ {' '.join(f'let a{i} = {i}' for i in range(n))} }}"]),
}


def _context(members: Iterable[str]) -> str:
    return f"context SeedVault {{ {' '.join(members)} }}"


def _batches(members: Iterable[str]) -> str:
    """A context with an aggregate that others may name."""
    return _context(["aggregate SeedBatch { class: string }", *members])


def _block(head: str, members: Iterable[str]) -> str:
    return f"{head} {{ {' '.join(members)} }}"


def _events(count: int) -> list[str]:
    return [f"event Sown{number} {{ end: SeedBatch id }}" for number in range(count)]


def _aggregate(members: Iterable[str]) -> str:
    return _context([f"aggregate SeedBatch {{ {' '.join(members)} }}"])


def everything(text: str) -> list[str]:
    """The codes that the whole front end finds."""
    data = text.encode()
    result = parse("model.ddd", data, tables=GRAMMAR)
    model = lower_files({"model.ddd": result.ast})
    found = [*result.diagnostics, *model.diagnostics(), *model.validated()]
    report(found, {"model.ddd": Source(readable("model.ddd", data), result.origins)})
    format_text("model.ddd", data)
    return [problem.code for problem in found]


def work(run: Callable[[], object]) -> int:
    """How many functions are called."""
    count = 0

    def seen(_frame: object, event: str, _what: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def assert_linear(text: Callable[[int], str], size: int) -> None:
    small, large = text(size), text(2 * size)
    assert work(lambda: everything(large)) < 2.4 * work(lambda: everything(small))


def test_work_that_grows_faster_than_the_text_is_noticed() -> None:
    with pytest.raises(AssertionError):
        assert_linear(lambda size: "enum A { B }" * size**2, 20)


@pytest.mark.parametrize("name", NESTS)
def test_expressions_ten_thousand_deep_are_refused(name: str) -> None:
    opening, inner, closing = NESTS[name]
    codes = everything(_aggregate([f"derived end: int = {opening * DEEP}{inner}{closing * DEEP}"]))
    assert "loom.nesting-too-deep" in codes and len(codes) < 5


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_ten_thousand_deep_are_refused(name: str) -> None:
    opening, closing = BLOCKS[name]
    codes = everything(_aggregate([f"operation end() {{ {opening * DEEP}{closing * DEEP} }}"]))
    assert "loom.nesting-too-deep" in codes


@pytest.mark.parametrize("word", ["system", "subdomain", "context", "aggregate", "entity", "ui", "policy"])
def test_declarations_ten_thousand_deep_are_refused(word: str) -> None:
    assert "loom.nesting-too-deep" in everything(f"{word} Vault {{ " * DEEP + "}" * DEEP)


@pytest.mark.parametrize("name", WIDE)
def test_work_grows_with_the_text_alone(name: str) -> None:
    assert_linear(WIDE[name], 300)


@pytest.mark.parametrize("name", WIDE)
def test_five_thousand_members_are_no_burden(name: str) -> None:
    everything(WIDE[name](5000))


def test_thousands_of_mistakes_are_told_in_time_that_grows_with_them() -> None:
    mistakes = "end: int "
    once = everything(_aggregate([mistakes * 4000]))
    assert once == ["loom.duplicate-field"] * 3999


@pytest.mark.parametrize(
    "expression",
    ['"' + "x" * 1_000_000 + '"', '"' + "\\n" * 500_000 + '"', "`" + "{1}" * 100_000 + "`", "1" * 1_000_000,
     "a" * 1_000_000, "," * 1_000_000, "1 /* " + "*" * 1_000_000, "`" * 1_000_001, '"' * 1_000_001],
)  # fmt: skip
def test_a_line_of_a_megabyte_is_read_in_one_go(expression: str) -> None:
    assert len(everything(_aggregate([f"derived end: string = {expression}"]))) <= 60


@pytest.mark.parametrize("unit", ["{ ", "a: ", "\0", "/*", "\r"])
def test_ten_megabytes_of_rubbish_give_few_diagnostics(unit: str) -> None:
    result = parse("model.ddd", (unit * (10_000_000 // len(unit))).encode(), tables=GRAMMAR)
    assert len(result.diagnostics) <= 100


def test_ten_megabytes_of_a_model_are_parsed_in_little_memory() -> None:
    """The limit is of all the memory of a process of its own: code, text, tokens, tree."""
    program = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from loom.parse import parse
member = "    aggregate SeedBatch%d {\\n        HTTPServer: string\\n        class: int = 1\\n    }\\n"
text = "context SeedVault {\\n" + "".join(member % number for number in range(125_000)) + "}\\n"
assert len(text) > 10_000_000
print(len(parse("model.ddd", text.encode()).ast.members[0].members))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout, done.stderr) == ("125000\n", "")


BROKEN = {
    "a continuation alone": b"\x80", "a start alone": b"\xc3", "a long one cut short": b"\xf0\x9f\x8c",
    "overlong": b"\xc0\xaf", "a surrogate": b"\xed\xa0\x80", "beyond the last": b"\xf4\x90\x80\x80",
    "five bytes": b"\xf8\x88\x80\x80\x80", "a byte that never is": b"\xff", "Latin-1": "Größe".encode("latin-1"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("before", [b"", b"context Vault {\n  // ", b'enum End { A } "', b"\xef\xbb\xbf"])
def test_broken_utf8_is_one_mistake_where_it_stands(name: str, before: bytes) -> None:
    data = before + BROKEN[name] + b"\n}"
    result = parse("model.ddd", data, tables=GRAMMAR)
    (problem,) = result.diagnostics
    assert problem.code == "loom.not-utf8"
    text = readable("model.ddd", data)
    assert report([problem], {"model.ddd": Source(text, result.origins)}).startswith("error[loom.not-utf8]")
    start = text.index("\N{REPLACEMENT CHARACTER}")
    assert problem.at.endswith(f"#@/{start}")
