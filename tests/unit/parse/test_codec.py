"""Trees read back equal from their bytes, and those that later stages cannot walk are told exactly."""

from __future__ import annotations

import pytest

from loom.parse import dump, load, parse, tables
from loom.parse.ast import Binary, BinaryOperator, Expression, StringLiteral
from loom.parse.codec import DEEPEST, TooDeep, decode_node, encode_node

TABLES = tables()
TEXTS = ["end", "[[[", "]]", '"]', "\\", '\\"[', "{HTTPServer}", "é\N{PILE OF POO}", "\0\n"]


def chain(operands: int, text: str) -> Expression:
    """`text + text + … + class`: as deep as there are operands."""
    left: Expression = StringLiteral(0, text)
    for at in range(1, operands):
        left = Binary(at, BinaryOperator.ADD, (StringLiteral(at, text), left))
    return left


@pytest.mark.parametrize("text", TEXTS)
def test_deepest_tree_reads_back_and_one_more_is_refused(text: str) -> None:
    """Whatever stands in its texts: in bytes, brackets stand for depth."""
    tree = chain(DEEPEST + 1, text)
    assert decode_node(encode_node(tree), Binary) == tree
    with pytest.raises(TooDeep):
        encode_node(chain(DEEPEST + 2, text))


def test_a_tree_of_any_depth_is_refused_where_it_becomes_too_deep() -> None:
    with pytest.raises(TooDeep) as refused:
        encode_node(chain(5_000, "end"))
    assert refused.value.at == 5_000 - 1 - DEEPEST


def test_words_of_every_kind_read_back_equal() -> None:
    members = 'end: string? = "[\\"]"\n unitPrice: decimal = 1.5\n isOpen: bool = true'
    source = f"context HTTPDesk {{ aggregate Class {{ {members} }} }}"
    result = parse("desk.ddd", source.encode(), tables=TABLES)
    assert not result.diagnostics and load(dump(result)) == result
