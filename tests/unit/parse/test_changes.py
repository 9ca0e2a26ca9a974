"""Which declarations of a file are other than before, and on which lines."""

from __future__ import annotations

import pytest

from loom.parse.changes import changed
from loom.parse.stage import parse_file
from loom.parse.tables import ready

PATH = "model/tide.ddd"
MODEL = """system Tide {
    subdomain Harbour {
        context QuayLog {
            aggregate HTTPServer {
                unitPrice: int
                operation close(end: string) {
                    unitPrice := 1
                }
            }
            enum Class { OnShelf, Lent }
        }
    }
    test e2e "a quay is free" against QuayService {
        let quay = api.quays.create({ unitPrice: 1 })
        expect quay.toBe(1)
    }
}
"""


def parts(text: str) -> dict[str, object]:
    parsed, _ = parse_file(PATH, text.encode(), ready())
    return parsed._asdict()


def told(old: str, new: str) -> list[str]:
    assert old in MODEL
    text = MODEL.replace(old, new, 1)
    return [
        line.replace("Tide.Harbour.QuayLog.", "…") for line in changed(PATH, parts(MODEL), parts(text), text.encode())
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("system Tide", "// a comment\n\nsystem Tide", []),
        ("unitPrice: int", "unitPrice: money", ["line 5: `…HTTPServer.unitPrice`"]),
        ("unitPrice: int", "// once\n                unitPrice: money", ["line 6: `…HTTPServer.unitPrice`"]),
        ("unitPrice: int", "end: int", ["line 5: `…HTTPServer.end`", "no more: `…HTTPServer.unitPrice`"]),
        ("unitPrice := 1", "unitPrice := 2", ["lines 6-7: `…HTTPServer.close`"]),
        ("HTTPServer {", "HTTPServer with crudish {", ["lines 4-7: `…HTTPServer`"]),
        (", Lent", "", ["line 10: `…Class`"]),
        ("toBe(1)", "toBe(2)", ["lines 13-15: `Tide.a quay is free`"]),
        ("system Tide", 'import "./berth.ddd"\nsystem Tide', ["line 1: `imports`"]),
    ],
)
def test_declaration_is_told_with_its_lines(old: str, new: str, expected: list[str]) -> None:
    assert told(old, new) == expected


def test_lines_of_a_text_that_nobody_has_are_not_told() -> None:
    new = MODEL.replace("toBe(1)", "toBe(2)")
    assert changed(PATH, parts(MODEL), parts(new), None) == ("changed: `Tide.a quay is free`",)


def test_deepest_expression_is_compared() -> None:
    deep = MODEL.replace(":= 1", f":= {'(' * 190}1 + 1{')' * 190}")
    sums = [MODEL.replace(":= 1", f":= {' + '.join(['1'] * 150)} + {last}") for last in (1, 2)]
    for before, after in ((MODEL, deep), tuple(sums)):
        assert [line.rpartition(".")[2] for line in changed(PATH, parts(before), parts(after), after.encode())] == [
            "close`"
        ]
