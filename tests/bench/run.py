"""Measures Loom on projects of several sizes, and all that has an aim, and writes both tables into README.md.

In: names of sizes, all when there are none. Out: the tables, printed and in `tests/bench/README.md`.
Never: a verdict: times are for people to read, and no test asserts one.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.aims import aims
from tests.bench.measure import Aim, Cost, by_turns
from tests.bench.project import Bench
from tests.bench.synth import SIZES, Size

README = Path(__file__).with_name("README.md")
COLD = {12: 0.7, 510: 5.0, 1020: 10.0}
# Seconds that the imports cost on the machine for which the seconds of COLD were said.
IMPORTS = 0.13


class Row(NamedTuple):
    size: Size
    files: int
    cold: Cost
    imports: float
    nothing: Cost
    command: Cost
    stock: Cost
    edit: Cost
    comment: Cost
    restore: Cost
    copy: Cost


def measured(bench: Bench) -> Row:
    """All measures of one size."""
    bench.prepare()
    bench.loom()  # compiles the byte-code
    cold, imported, bare = by_turns(bench.repeats, bench.cold, bench.imports, bench.interpreter)
    nothing, command, stock = by_turns(5, bench.loom, bench.command, bench.stock_doit)
    edit, comment = bench.edited("depthMetres: int = {}"), bench.edited("depthMetres: int = 10 // and {}")
    restore, copy = by_turns(bench.repeats, bench.restored, bench.copied)
    imports = imported.seconds - bare.seconds
    return Row(bench.size, bench.files(), cold, imports, nothing, command, stock, edit, comment, restore, copy)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown: one column a size, one line a measure."""

    def line(title: str, cells: Sequence[str]) -> str:
        return f"| {title} | {' | '.join(cells)} |"

    yield line("", [f"{row.size.total} aggregates" for row in rows])
    yield line("---", ["---:" for _ in rows])
    yield line("contexts, deployables", [f"{row.size.contexts}, {row.size.deployables}" for row in rows])
    yield line("files written", [f"{row.files:,}" for row in rows])
    yield line("cold `generate` (aim)", [_cold(row) for row in rows])
    yield line("… in imports of the packages (aim)", [_imports(row) for row in rows])
    yield line("… for each aggregate", [_each(row) for row in rows])
    yield line("peak memory of it", [f"{row.cold.mebibytes:.0f} MiB" for row in rows])
    yield line("nothing to do", [_seconds(row.nothing) for row in rows])
    yield line("… of stock doit with as many trivial tasks", [_ratio(row.nothing, row.stock) for row in rows])
    yield line("… as `loom generate`", [_seconds(row.command) for row in rows])
    yield line("one line of one context", [f"{_seconds(row.edit)}, {_percent(row.edit, row.cold)}" for row in rows])
    yield line("one comment", [f"{_seconds(row.comment)}, {_percent(row.comment, row.cold)}" for row in rows])
    yield line("output removed", [f"{_seconds(row.restore)}, {_percent(row.restore, row.cold)}" for row in rows])
    yield line("… less nothing to do, of `cp -r` of the same", [_restore(row) for row in rows])
    if len(rows) > 1:
        yield ""
        yield f"Percentages are of the cold run. An aggregate costs {_growth(rows)}. The imports cost {_range(rows)}."


def aims_table(found: Sequence[Aim]) -> Iterator[str]:
    yield "| measure | found | aim |"
    yield "| --- | ---: | ---: |"
    yield from (f"| {one.measure} | {one.found} | {one.aim} |" for one in found)


def _seconds(spent: Cost) -> str:
    return f"{spent.seconds:.2f} s"


def _cold(row: Row) -> str:
    aim = COLD.get(row.size.total)
    return f"{_seconds(row.cold)} ({aim:g} s)" if aim else _seconds(row.cold)


def _imports(row: Row) -> str:
    found, aim = row.cold.seconds / row.imports, COLD.get(row.size.total)
    return f"{found:.1f} ({aim / IMPORTS:.1f})" if aim else f"{found:.1f}"


def _range(rows: Sequence[Row]) -> str:
    costs = sorted(row.imports for row in rows)
    return f"{costs[0]:.3f} to {costs[-1]:.3f} s"


def _each(row: Row) -> str:
    return f"{row.cold.seconds / row.size.total * 1000:.1f} ms"


def _ratio(one: Cost, other: Cost) -> str:
    return f"{one.seconds / other.seconds:.2f} times"


def _percent(one: Cost, other: Cost) -> str:
    return f"{one.seconds / other.seconds:.0%}"


def _restore(row: Row) -> str:
    return f"{(row.restore.seconds - row.nothing.seconds) / row.copy.seconds:.2f} times"


def _growth(rows: Sequence[Row]) -> str:
    *_, before, last = rows
    growth = (last.cold.seconds / last.size.total) / (before.cold.seconds / before.size.total)
    return f"{growth:.2f} times as much in {last.size.total} as in {before.size.total}"


def main(names: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="loom-bench-") as folder:
        rows = []
        for name in names or list(SIZES):
            place = Path(folder, name)
            place.mkdir()
            rows.append(measured(Bench(place, SIZES[name])))
        text = "\n".join([*table(rows), "", *aims_table(list(aims(Path(folder))))])
    sys.stdout.write(f"{text}\n")
    page = README.read_text(encoding="utf-8")
    marked = re.sub(r"(?s)(<!-- measured -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}{text}\n{found[2]}", page)
    README.write_text(marked, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
