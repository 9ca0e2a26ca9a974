"""What a page is about: a system, its contexts, where each declaration stands, and the files' texts.

In: what the steps of a sound model made. Out: one value. Never: a mistake reported: there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loom import compiler
from loom.base import NodePath, split_path
from loom.build.steps.products import StoredProducts
from loom.ir import deployment
from loom.ir import program as ir
from loom.ir.places import Places
from loom.parse import stage as parsing


class Line(NamedTuple):
    file: str
    number: int


class Model(NamedTuple):
    """`lines` goes by the path of a declaration, that of a context beginning with its name."""

    system: deployment.System
    shared: ir.Shared
    contexts: tuple[ir.Context, ...]
    lines: Mapping[tuple[str, ...], Line]
    texts: Mapping[str, str]


def model_of(products: StoredProducts, system: str) -> Model:
    units = [unit for unit in products.units("context") if unit.startswith(f"{system}/")]
    contexts = tuple(compiler.value(products, ir.Context, "lower", unit, "context") for unit in units)
    where: dict[tuple[str, ...], NodePath] = {}
    found: list[tuple[tuple[str, ...], str, str]] = [((), "system", system), ((), "shared", system)]
    found += [((unit.partition("/")[2],), "lower", unit) for unit in units]
    for prefix, stage, unit in found:
        places = compiler.value(products, Places, stage, unit, "places")
        where |= {(*prefix, *entry.path): entry.at for entry in places.entries}
    texts = {file: _text(products, file) for file in sorted({split_path(at)[0] for at in where.values()})}
    return Model(
        system=compiler.value(products, deployment.System, "system", system, "system"),
        shared=compiler.value(products, ir.Shared, "shared", system, "shared"),
        contexts=contexts,
        lines={path: _line(products, at, texts) for path, at in where.items()},
        texts=texts,
    )


def _text(products: StoredProducts, file: str) -> str:
    return parsing.source_text(file, products.source(file) or b"")


def _line(products: StoredProducts, at: NodePath, texts: Mapping[str, str]) -> Line:
    file, chunk, number = split_path(at)
    origins = products.value(products.part("parse", file, "origins"))
    assert isinstance(origins, bytes)
    offset = parsing.origins(origins).offset(chunk, number)
    return Line(file, texts[file].count("\n", 0, offset) + 1)
