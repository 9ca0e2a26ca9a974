"""Canonical bytes name every type, order sets, and read back as an equal value."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.base import Value, closed
from loom.base.value import VALUE_TYPES, decode, encode
from loom.ir.expressions import Arithmetic, Arithmetics, Domain, Expr, Literal, Local
from loom.ir.types import INT, STRING


class SkyPatch(Value):
    order: int
    class_: str
    tags: frozenset[str] = frozenset()
    raw: bytes = b""


class OtherPatch(Value):
    order: int
    class_: str
    tags: frozenset[str] = frozenset()
    raw: bytes = b""


def expressions() -> st.SearchStrategy[Expr]:
    leaves = st.one_of(
        st.integers(0, 10**20).map(lambda n: Literal(type=INT, text=str(n))),
        st.text().map(lambda name: Local(type=STRING, name=name)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, min_size=2, max_size=4).map(
            lambda items: Arithmetics(type=INT, op=Arithmetic.ADD, domain=Domain.INT, operands=tuple(items))
        ),
    )


@given(expressions())
def test_every_value_reads_back_equal(expression: Expr) -> None:
    assert type(expression).from_canonical(expression.canonical()) == expression


@given(st.sets(st.text()), st.binary())
def test_sets_and_bytes_read_back_equal(tags: set[str], raw: bytes) -> None:
    patch = SkyPatch(order=1, class_="a", tags=frozenset(tags), raw=raw)
    assert SkyPatch.from_canonical(patch.canonical()) == patch


def test_two_types_with_equal_fields_differ() -> None:
    assert SkyPatch(order=1, class_="a").canonical() != OtherPatch(order=1, class_="a").canonical()


def test_framing_is_unambiguous() -> None:
    assert encode((("ab",), ("c",))) != encode((("a",), ("bc",)))
    assert encode("1") != encode(1)
    assert encode(None) != encode("")
    assert decode(encode((True, 1, "1"))) == (True, 1, "1")


class GrownPatch(Value):
    sparse = ("notes", "depth")

    order: int
    notes: tuple[str, ...] = ()
    last: str = "z"
    depth: int = 0


def test_a_sparse_field_is_written_only_where_it_says_something() -> None:
    plain = GrownPatch(order=1)
    assert b"notes" not in plain.canonical() and b"depth" not in plain.canonical()
    for patch in (plain, GrownPatch(order=1, notes=("a",)), GrownPatch(order=1, depth=3, notes=("b", "c"))):
        assert GrownPatch.from_canonical(patch.canonical()) == patch
    assert len({patch.canonical() for patch in (plain, GrownPatch(order=1, depth=1))}) == 2


def test_a_sparse_field_needs_a_default() -> None:
    with pytest.raises(TypeError, match="sparse fields need a default: order"):
        type("BarePatch", (Value,), {"sparse": ("order",), "__annotations__": {"order": int}})


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(ValueError, match="expected OtherPatch, found SkyPatch"):
        OtherPatch.from_canonical(SkyPatch(order=1, class_="a").canonical())


def test_floats_and_dictionaries_are_refused() -> None:
    for item in (1.5, {"a": 1}, [1]):
        with pytest.raises(TypeError, match="a Value cannot hold"):
            encode(item)


def test_two_values_cannot_share_a_name() -> None:
    name = next(iter(sorted(VALUE_TYPES)))
    with pytest.raises(TypeError, match="two Values are called"):
        type(name, (Value,), {"__module__": "somewhere.else"})


def test_bytes_do_not_depend_on_the_hash_seed() -> None:
    program = (
        "from loom.base import Facts, Feature\n"
        "f = Facts(name='x', default_port=1, internal_port=2, supports=frozenset(Feature))\n"
        "print(f.digest().sha256)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(found) == 1


def test_an_enum_must_be_declared_closed_to_be_read_back() -> None:
    assert closed(Domain) is Domain
    assert decode(encode(Domain.INT)) is Domain.INT
