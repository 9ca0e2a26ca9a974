"""Whatever the text, parsing ends, says what is wrong, and gives places that comments do not move."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple

from loom.base import split_path
from loom.lower.scope.typerefs import SCALARS
from loom.parse import decode_context, dump, imports, load, parse, report, tables
from loom.parse.ast import Aggregate, Context, Node, Subdomain, System
from loom.parse.habits import BUILT_IN
from loom.parse.parser import readable
from loom.parse.report import Source
from loom.parse.tables import compiled

GRAMMAR = tables()
MODEL = """
import "./other.ddd"
system SkyWatch {
  subdomain Viewing {
    context Observatory {
      enum DomeState { Open, end }
      aggregate StarTracker with crudish {
        HTTPServer: string
        class: int = 1 + 2 * 3
        operation align(when: int) when class > 1 {
          precondition when > 0 message "no"
          class := class + when
          if let found = HTTPServer { emit Aligned { at: now(), label: `to {found}` } } else { class := 0 }
        }
      }
    }
    context Archive { aggregate PlateScan { width: int } }
  }
  storage primaryStore { type: postgres }
  context Late { event DomeOpened { dome: StarTracker id } }
}
"""
MARKS = [
    *"{}()[].,:;=|?!*-+<>/%`\"\n@#", ":=", "+=", "=>", "->", "&&", "||", "[]", "//", "/*", "*/", "1", "2.5", "5m",
    '"text"', "`a {b} c`", "{}", "class", "HTTPServer", "größe", "\N{RIGHT-TO-LEFT OVERRIDE}", "\0", "\\",
]  # fmt: skip
WORDS = sorted(compiled().words)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(WORDS + MARKS), max_size=80))
def test_token_soup_never_raises(words: list[str]) -> None:
    text = " ".join(words)
    result = parse("model.ddd", text.encode(), tables=GRAMMAR)
    assert load(dump(result)) == result
    printed = report(result.diagnostics, {"model.ddd": Source(text, result.origins)})
    assert printed.count("model.ddd:") >= bool(result.diagnostics)


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=60))
def test_any_bytes_never_raise(data: bytes) -> None:
    result = parse("model.ddd", data, tables=GRAMMAR)
    report(result.diagnostics, {"model.ddd": Source(readable("model.ddd", data), result.origins)})


@settings(deadline=None, max_examples=200)
@given(st.integers(0, len(MODEL.split()) - 1), st.sampled_from(["", *MARKS, *WORDS]))
def test_one_wrong_word_costs_few_reports(index: int, word: str) -> None:
    words = MODEL.replace("\n", " \n ").split(" ")
    places = [place for place, item in enumerate(words) if item.strip()]
    words[places[index % len(places)]] = word
    assert len(parse("model.ddd", " ".join(words).encode(), tables=GRAMMAR).diagnostics) <= 5


def test_the_model_itself_is_right() -> None:
    assert parse("model.ddd", MODEL.encode(), tables=GRAMMAR).diagnostics == ()


def test_an_empty_file_and_a_byte_order_mark_are_no_mistakes() -> None:
    for data in (b"", b"\xef\xbb\xbf", b"\xef\xbb\xbf \r\n", b"// only a comment"):
        result = parse("model.ddd", data, tables=GRAMMAR)
        assert (result.diagnostics, result.ast.members) == ((), ())


def test_windows_line_ends_give_the_same_tree() -> None:
    unix, windows = (parse("model.ddd", text.encode()) for text in (MODEL, MODEL.replace("\n", "\r\n")))
    assert unix.chunks == windows.chunks


def test_comments_change_no_chunk_but_the_origins() -> None:
    before = parse("model.ddd", MODEL.encode())
    after = parse("model.ddd", MODEL.replace("\n", "\n // HTTPServer { \n\n").encode())
    assert before.chunks == after.chunks
    assert before.digests() == after.digests()
    assert before.origins != after.origins


def test_a_change_in_one_context_reaches_no_other_chunk() -> None:
    before = parse("model.ddd", MODEL.encode()).digests()
    after = parse("model.ddd", MODEL.replace("class: int", "class: long extra: int").encode()).digests()
    assert {label for label in before if before[label] != after[label]} == {"Observatory"}


def test_every_number_names_the_token_that_tells() -> None:
    result = parse("model.ddd", MODEL.encode())
    for chunk, data in result.chunks:
        for node in _nodes(decode_context(data) if chunk != "system" else result.ast):
            name = getattr(node, "name", "")
            if isinstance(name, str) and name:
                offset = result.origins.offset(chunk, node.at)  # type: ignore[attr-defined]
                assert MODEL[offset:].lstrip('"`').startswith(name), (node, MODEL[offset : offset + 20])


def _nodes(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        for item in node:
            yield from _nodes(item)
    elif isinstance(node, Node):
        yield node
        if isinstance(node, System | Subdomain):
            yield from _nodes(tuple(member for member in node.members if not isinstance(member, Context)))
            return
        yield from _nodes(astuple(node))


def test_a_second_context_of_a_name_and_one_called_system_have_labels_of_their_own() -> None:
    result = parse("model.ddd", b"context Twin {} context Twin { enum A { B } } context system {}")
    assert [label for label, _ in result.chunks] == ["system", "Twin", "Twin~2", "system~2"]
    assert load(dump(result)) == result


def test_imports_are_given_with_their_places() -> None:
    result = parse("model.ddd", MODEL.encode())
    ((path, at),) = imports(result.ast)
    assert path == "./other.ddd"
    assert MODEL[result.origins.offset("system", at) :].startswith('"./other.ddd"')


def test_a_long_chain_of_one_operator_is_no_depth() -> None:
    for operator in ("+", "*", "&&", "||"):
        chain = f" {operator} ".join(["count"] * 20_000)
        text = f"context A {{ aggregate B {{ derived total: int = {chain} }} }}"
        assert parse("model.ddd", text.encode(), tables=GRAMMAR).diagnostics == ()


@pytest.mark.parametrize(
    "expression",
    ["(" * 1000 + "1" + ")" * 1000, "f(" * 300 + "1" + ")" * 300, "[" * 500 + "]" * 500, "a ? b : " * 500 + "c",
     "x => " * 500 + "y", "a" + ".b" * 500, "`{" * 100 + "a" + "}`" * 100, "-(" * 300 + "1" + ")" * 300],
)  # fmt: skip
def test_deep_nesting_is_one_diagnostic(expression: str) -> None:
    text = f"context A {{ aggregate B {{ derived total: int = {expression} }} enum C {{ D }} }}"
    result = parse("model.ddd", text.encode(), tables=GRAMMAR)
    assert {problem.code for problem in result.diagnostics} == {"loom.nesting-too-deep"}


def test_blocks_nested_too_deep_are_refused() -> None:
    text = "context A { aggregate B { operation c() { " + "if d { " * 400 + "e()" + " }" * 400 + " } } }"
    result = parse("model.ddd", text.encode(), tables=GRAMMAR)
    assert "loom.nesting-too-deep" in {problem.code for problem in result.diagnostics}


@pytest.mark.parametrize("unit", ["} ) foo := { [ ", "aggregate x { ", '" \n', "( ", "a: b c ", "`{ ", "/* "])
def test_rubbish_gives_few_diagnostics(unit: str) -> None:
    result = parse("model.ddd", (unit * (1_000_000 // len(unit))).encode(), tables=GRAMMAR)
    assert 0 < len(result.diagnostics) <= 200


def test_megabytes_parse() -> None:
    aggregate = "aggregate StarTracker%d { HTTPServer: string class: int = 1 operation align() { class := 2 } }\n"
    text = "context Observatory {\n" + "".join(aggregate % index for index in range(23_000)) + "}"
    assert len(text) > 2_000_000
    assert parse("model.ddd", text.encode(), tables=GRAMMAR).diagnostics == ()


def test_what_is_wrong_in_one_place_leaves_the_others_in_the_tree() -> None:
    result = parse("model.ddd", MODEL.replace("class: int", "class int").encode())
    (system,) = result.ast.members
    assert isinstance(system, System)
    assert [split_path(problem.at)[0] for problem in result.diagnostics] == ["model.ddd"]
    assert len(system.members) == 3


def test_habits_know_the_built_in_types() -> None:
    assert frozenset(SCALARS) == BUILT_IN


@pytest.mark.parametrize(
    "header",
    ["shape: HTTPDocument", "persistedAs: end", "inheritanceUsing: class", "class: end", "with: end", "extends: end"],
)
def test_trees_hold_no_header_that_does_not_exist(header: str) -> None:
    result = parse("model.ddd", f"context Archive {{ aggregate PlateScan {header} {{ width: int }} }}".encode())
    assert [problem.code for problem in result.diagnostics] == ["loom.parse-error"]
    (context,) = result.ast.members
    assert isinstance(context, Context)
    (aggregate,) = context.members
    assert isinstance(aggregate, Aggregate)
    assert (aggregate.macros, aggregate.base) == ((), None)
    chosen = [item.name for item in (aggregate.shape, aggregate.persistence, aggregate.inheritance) if item is not None]
    assert set(chosen) <= {"relational", "state", "sharedTable"}
