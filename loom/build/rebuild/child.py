"""The pure steps of a project made again, in a process of its own.

In, on standard input: the compiler's module, and what each step gave. Out: what is different, as JSON, and the values
that are, below a folder. Never: a store, a state or a cache that anybody else has.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from loom.base import Value
from loom.build.project.load import load_project
from loom.build.steps.products import StoredProducts
from loom.build.store.codec import to_bytes
from loom.build.workspace import Workspace

Told = dict[str, dict[str, str]]
"""For each `<stage>/<unit>` the digest of each part, and under the empty name its key."""


class Different(NamedTuple):
    """A part of a step that is not the same; the empty part is the key itself."""

    step: str
    part: str


def told(products: StoredProducts, steps: list[tuple[str, str]]) -> Told:
    """What each step gives here."""
    found: Told = {}
    for stage, unit in steps:
        step = products.step(stage, unit)
        found[f"{stage}/{unit}"] = {"": step.key, **{name: digest.sha256 for name, digest in step.parts.items()}}
    return found


def different(mine: Told, theirs: Told) -> Iterator[Different]:
    """Every part of the steps in `mine` that is not the same in `theirs`, or is in one of them alone."""
    for step, parts in mine.items():
        other = theirs.get(step, {})
        yield from (Different(step, name) for name in sorted(parts.keys() | other.keys())
                    if parts.get(name) != other.get(name))  # fmt: skip


def content(products: StoredProducts, found: Different) -> bytes:
    """Readable, where the value has a readable form."""
    stage, _, unit = found.step.partition("/")
    if not found.part:
        return products.preimage(stage, unit)
    if found.part not in products.step(stage, unit).parts:
        return b"(absent)"
    value = products.value(products.part(stage, unit, found.part))
    match value:
        case bytes():
            return value
        case Value():
            return value.canonical()
        case _:
            return to_bytes(value)


def file_of(found: Different) -> str:
    """The name of the file that holds what is different."""
    return f"{found.step}.{found.part or 'key'}".replace("/", ".")


def main() -> None:
    said = json.loads(sys.stdin.read())
    compiler = importlib.import_module(said["compiler"])
    products = Workspace(load_project(Path.cwd()), lambda: compiler).products
    steps: list[tuple[str, str]] = [(step.partition("/")[0], step.partition("/")[2]) for step in said["steps"]]
    found = list(different(told(products, steps), said["steps"]))
    for item in found:
        place = Path(said["folder"]) / file_of(item)
        place.write_bytes(content(products, item))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
