"""Canonical bytes name the type of every value, order sets, and read back as an equal value."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal as Choice
from typing import NewType, Union, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.base import Value
from loom.base.value import VALUE_TYPES
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


class EndPatch(Value):
    names: tuple[tuple[str, ...], ...] = ()
    depth: int | str | None = None


def test_framing_is_unambiguous() -> None:
    framed = [EndPatch(names=(("ab",), ("c",))), EndPatch(names=(("a",), ("bc",))), EndPatch(names=(("ab", "c"),))]
    framed += [EndPatch(depth=1), EndPatch(depth="1"), EndPatch(depth=""), EndPatch()]
    assert len({patch.canonical() for patch in framed}) == len(framed)
    assert [EndPatch.from_canonical(patch.canonical()) for patch in framed] == framed


def test_a_sparse_field_needs_a_default() -> None:
    with pytest.raises(TypeError, match="sparse fields need a default: order"):
        type("BarePatch", (Value,), {"sparse": ("order",), "__annotations__": {"order": int}})


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(ValueError, match="expected OtherPatch, found SkyPatch"):
        OtherPatch.from_canonical(SkyPatch(order=1, class_="a").canonical())


GOOD = SkyPatch(order=1, class_="end", tags=frozenset(("a", "b")), raw=b"\xff").canonical()
DAMAGED = [
    b"",
    GOOD[1:],
    GOOD[:-1],
    GOOD.replace(b"/2 ", b"/1 "),
    GOOD.replace(b"SkyPatch", b"NoSuchPatch"),
    GOOD.replace(b"SkyPatch", b"\xff"),
    GOOD.replace(b"1,", b"1.5,"),
    GOOD.replace(b"1,", b"{},"),
    GOOD.replace(b'"end"', b'["EndPatch",[],null]'),
    GOOD.replace(b'SkyPatch"', b"SkyPatch"),
    GOOD[: GOOD.index(b"[") + 2] + b"[" * 100_000,
]


@pytest.mark.parametrize("data", DAMAGED)
def test_what_is_no_value_is_refused(data: bytes) -> None:
    assert SkyPatch.from_canonical(GOOD).raw == b"\xff"
    with pytest.raises(
        ValueError, match=r"not a canonical value|expected SkyPatch|a damaged SkyPatch|invalid start byte"
    ):
        SkyPatch.from_canonical(data)


PLAIN = {str, int, bool, bytes, NoneType}


def untold(kind: object) -> Iterator[object]:
    """The parts of a type that do not tell what a value read as one is."""
    match get_origin(kind):
        case None if isinstance(kind, NewType):
            yield from untold(kind.__supertype__)
        case None if isinstance(kind, type) and issubclass(kind, Value):
            yield from [kind] if kind.__subclasses__() else []
        case None if kind not in PLAIN and not (isinstance(kind, type) and issubclass(kind, Enum)):
            yield kind
        case origin if origin in (Union, UnionType, frozenset):
            yield from (found for part in get_args(kind) for found in untold(part))
        case origin if origin is tuple:
            yield from (found for part in get_args(kind) if part is not ... for found in untold(part))
        case origin if origin not in (None, Choice):
            yield kind


class VaguePatch(Value):
    stored = False

    patch: Value
    sizes: tuple[float, ...]
    names: dict[str, int]


def test_types_of_fields_tell_what_is_in_them() -> None:
    for room in ("build.tasks", "build.workspace", "compiler", "e2e.tasks"):
        import_module(f"loom.{room}")
    kinds = [kind for kind in VALUE_TYPES.values() if kind.__module__.startswith("loom.")]
    vague = {f"{kind.__name__}.{name}" for kind in kinds for name, of in kind.field_types().items() if [*untold(of)]}
    assert (len(kinds) > 500, vague) == (True, set())
    assert all([*untold(of)] for of in VaguePatch.field_types().values())


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
