"""Long statements come out as `ruff format` leaves them; what fits is not touched."""

from __future__ import annotations

import subprocess
import sys

import pytest

from loom.backends.python.text.blocks import Class, Function, block, class_head, loop
from loom.backends.python.text.imports import import_lines
from loom.backends.python.text.patterns import filled
from loom.backends.python.text.shapes import (
    AND,
    COMPARISON,
    SUM,
    Brackets,
    Call,
    Enclosed,
    Lambda,
    Operators,
    Parenthesized,
    Row,
    behind,
    opened,
    quoted,
)
from loom.backends.python.text.statements import Signature, Statement, Targets, laid_out
from loom.emit.layout import text_of

LONG = "a_name_of_a_berth_that_is_longer_than_most_names_are"
WORDS = quoted("a text that no formatter can break, however long it may become, for it is one text")
TIDE = Operators([("", "TidalWindowOfTheHarbourBasin"), ("| ", "None")], SUM)
WINDOW = Brackets("", [quoted(LONG), LONG, "class_"], "[]")
BERTHS = Call("berths_of", [LONG, "unit_price", "from_"])
CHOSEN = Parenthesized("", [filled("{} if self.is_open else self.{}", LONG, LONG)])
MOORED = Statement(
    "self.moorings = ",
    filled(
        "[{} for berth in {} if is_open]",
        Call("Mooring", [behind("berth=", BERTHS), behind("end=", Brackets("", [LONG, "class_"], "[]"))]),
        LONG,
    ),
)
STATEMENTS = [
    MOORED,
    Statement("return ", filled("self.opening_hours == {}.opening_hours and {}", LONG, BERTHS)),
    Statement("return ", Operators([("", CHOSEN), (">= ", "other.hours")], COMPARISON)),
    Statement("return ", filled("{} == {}", LONG, BERTHS)),
    Statement("return ", filled("not {}", Call("self.is_free", [LONG, LONG]))),
    Statement("return ", filled("{}.replace(old_name, new_name).upper().strip(other)", BERTHS)),
    Statement("return ", filled("[Mooring(load=item.load) for item in {} if item.{} is not None]", LONG, LONG)),
    Statement("return ", filled('json_response({{"from": {}}}, headers=entity_tag({}.version))', LONG, LONG)),
    Statement("raise ", Call("DomainError", [WORDS])),
    Statement("berths = ", filled("sorted({0}, key=lambda berth: berth.{0} is None or berth.is_free)", LONG)),
    Statement("berths = ", filled('next(({0}(row) for row in {0}[row["id"]]), None)', LONG)),
    Statement("check = ", Call("field_check", [Lambda("lambda berth: ", f"berth.{LONG}.{LONG}"), WORDS])),
    Statement("self.berths = ", Brackets("", [f'"end": {LONG}', behind('"class": ', BERTHS)], "{}")),
    Statement("self.berths = ", filled("[*self.{0}, {0}]", LONG)),
    Statement(f"self.{LONG} = ", f"self.other_names.{LONG}"),
    Statement("price: ", Brackets("Annotated", ["Money", WINDOW], "[]"), " = ", Call("Field", [f"alias={WORDS}"])),
    Statement(Row(Targets("found", "total"), " = "), behind("await ", Call(f"{LONG}.page", [LONG, "limit"]))),
    Statement("assert ", filled("{} is not None", BERTHS)),
    Statement("if ", Operators([("", LONG), ("and ", "is_open"), ("and ", LONG)], AND), after=":"),
    Statement("for berth in ", filled("await {0}.with_moorings_of({0}, is_free)", LONG), after=":"),
    Statement(f"other_{LONG} = ", filled("await {}.find({}, class_)", LONG[:30], LONG)),
    Statement(f"{LONG}: ", Enclosed("list", [f"Of_{LONG[:25]}"], "[]"), " = ", Call("Field", ["from_", "class_"])),
    loop("berth", filled("await {}.{}(is_free)", LONG[:25], LONG)),
    loop(LONG, f"self.{LONG}"),
    loop(LONG, filled("await {}.find_berths(is_free, from_)", f"self.{LONG}")),
    loop("berth", f"self.{LONG}.{LONG}"),
    loop("berth", filled("await {}.{}(is_free, from_, class_)", LONG, LONG[:38])),
    loop(f"{LONG}_{LONG}", filled("await {}.find(is_free, {})", LONG, LONG)),
    Statement("", filled("await {}.{}(is_free, {})", LONG, LONG[:36], LONG)),
    Statement("", filled("await {}.{}(is_free, {})", LONG, LONG, LONG)),
    Statement(Row(filled("self.loaded[{}]", LONG), " = "), filled("rows_of({})", LONG)),
    Statement(Row(filled("self.loaded[{}]", f"{LONG}_{LONG}"), " = "), filled("rows_of({})", LONG)),
    Statement(Row(Targets("found", "total"), " = "), filled("await {}.page({})", f"{LONG}_of_{LONG[:24]}", LONG)),
    Statement(f"{LONG}: ", f"Of_{LONG[:40]}", " = ", Call("Field", ["from_", "class_"])),
    Statement(f"{LONG}: ", f"Of_{LONG}", " = ", Call("Field", ["from_", "class_"])),
    Statement(f"{LONG}: ", TIDE, " = ", Call("Field", ["from_", "class_"])),
    Statement(f"{LONG}: ", TIDE, " = ", "None"),
    Statement("berths = ", Call("sorted", [LONG, behind("key=", Lambda(f"lambda {LONG}: ", LONG))])),
    Statement(
        "berths = ", Call("sorted", [LONG, behind("key=", Lambda("lambda berth: ", filled("{}.{}()", LONG, LONG)))])
    ),
    Statement("berths = ", Call("run", [LONG, Lambda(f"lambda {LONG}: ", filled("{}(from_, class_)", LONG))])),
    Statement("berths = ", Call("run", [LONG, Lambda("lambda berth: ", filled("{}(from_, {})", LONG, LONG))])),
    Statement("await work.commit()"),
]
SIGNATURES = [
    Signature("def create", ["cls", "*", "class_: str", f"{LONG}: Decimal", "tags: list[str]"], "Self"),
    Signature("def create", ["cls", "*", "class_: str", f"{LONG}: Decimal", behind(f"{LONG}_: ", TIDE)], "Self"),
    Signature("async def page", ["self"], Brackets("tuple", [f"list[Berth_{LONG}]", f"int_{LONG}"], "[]")),
    Signature(f"def {LONG}", [f"row_{LONG}: RowMapping"], "Berth"),
    Signature(f"async def {LONG}_{LONG[:32]}", [], "Response"),
    Signature("async def reserve", ["class_: str", f"{LONG}: {LONG}"], f"Berth_{LONG}_{LONG[:35]}"),
    Signature("async def reserve", ["class_: str", f"{LONG}: {LONG}"], f"Berth_{LONG}_{LONG}"),
]


def ruff(source: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "100", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def in_function(lines: list[str]) -> str:
    return Function("async def reserve() -> None:", tuple(block(lines))).text() + "\n"


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_is_broken_as_the_formatter_breaks_it(statement: Statement) -> None:
    lines = [statement, *(block(["pass"]) if statement.after else [])]
    source = "\n".join(["async def reserve() -> None:", *block(map(str, lines)), ""])
    ours = Function("async def reserve() -> None:", tuple(lines)).text() + "\n"
    assert ours == ruff(source)


@pytest.mark.parametrize("statement", [item for item in STATEMENTS if opened(item.parts[-1])[1]])
def test_what_is_spread_without_a_document_is_what_the_document_prints(statement: Statement) -> None:
    opening, brackets = opened(statement.parts[-1])
    assert brackets is not None
    for width in range(len(opening) + 2, len(statement.parts[-1])):
        printed = text_of((opening, brackets.bracketed()), width=width, indent=4, column=4)
        assert brackets.spread(4, width - 4) in ("", printed.removeprefix(opening))
    assert statement is not MOORED or brackets.spread(4, 70).count("\n") == 14


@pytest.mark.parametrize("head", SIGNATURES)
def test_a_signature_is_broken_as_the_formatter_breaks_it(head: Signature) -> None:
    assert Function(head, ("pass",)).text() + "\n" == ruff(f"{head}\n    pass\n") != f"{head}\n    pass\n"
    inside = Class("class Basin:", methods=(Function(head, ("pass",)),)).text() + "\n"
    assert inside == ruff(f"class Basin:\n    {head}\n        pass\n")


def test_decorators_class_heads_and_imports_are_broken_too() -> None:
    decorator = Statement("@", Call("router.post", [WORDS, f"operation_id={WORDS}"]))
    function = Function(Signature("def reserve", (), "None"), ("pass",), (decorator,)).text()
    assert function + "\n" == ruff(f"{decorator}\ndef reserve() -> None:\n    pass\n")
    head = class_head(f"{LONG}_{LONG}", "RequestModel")
    assert Class(head).text() + "\n" == ruff(f"{head}\n    pass\n")
    needs = [f"app.persistence.harbour.tables:{name}" for name in (f"berths_{LONG}", "moorings", LONG)]
    needs.append(f"app.domain:Berth as {LONG}_{LONG}_of_another_context")
    assert import_lines(needs) + "\n" == ruff(import_lines(needs) + "\n")
    assert f"    Berth as {LONG}_{LONG}_of_another_context,\n" in import_lines(needs)


def test_names_are_imported_in_the_order_of_the_linter() -> None:
    names = ["ATide", "AtHarbour", "B2", "B10", "B01", "BERTH_2", "_x", "a_b", "ab", "aB", "Z", "A", "a1", "a_1"]
    needs = [f"app.tides:{name}" for name in names] + [f"app.{name.lower()}:x" for name in names[:5]]
    source = f"from __future__ import annotations\n\n{import_lines(needs)}\n"
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "I", "--diff", "--line-length", "100"]
    told = subprocess.run([*command, "-"], input=source, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout


def test_a_block_moves_what_may_break_to_the_right() -> None:
    (deep,) = block(block([STATEMENTS[0]]))
    assert deep == f"        {STATEMENTS[0]}"
    source = f"def reserve():\n    if is_open:\n        if is_free:\n            {STATEMENTS[0]}\n"
    ours = "def reserve():\n    if is_open:\n        if is_free:\n" + laid_out(deep, 4) + "\n"
    assert ours == ruff(source)


def test_a_pattern_has_only_what_it_can_be_taken_apart_into() -> None:
    with pytest.raises(TypeError, match="no pattern has a Set"):
        filled("{{{}, {}}}", LONG, LONG).shape()
    with pytest.raises(ValueError, match="a hole is a whole name"):
        filled("berth_{}", LONG).shape()


@pytest.mark.parametrize("text", ['say "no"', "it's", '"it\'s"', "tab\t, line\n, slash \\", "naïve 名前 🜁", "'\"'"])
def test_texts_are_quoted_as_the_formatter_quotes_them(text: str) -> None:
    source = f"value = {quoted(text)}\n"
    assert ruff(source) == source
    scope: dict[str, str] = {}
    exec(source, scope)
    assert scope["value"] == text
