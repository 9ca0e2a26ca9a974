"""All measures that have an aim and belong to no size.

In: a folder for their projects. Out: what was found, beside what it should be.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tests.bench.blobs import blob_aims
from tests.bench.measure import Aim, Cost, by_turns, least
from tests.bench.monorepo import Absent, tools, workspace
from tests.bench.project import Bench
from tests.bench.sandbox import sandbox_aims
from tests.bench.scan import scan
from tests.bench.synth import FIFTY_TASKS, SIZES, THOUSAND_TASKS
from tests.kit.places import STORE


def aims(folder: Path) -> Iterator[Aim]:
    for name, measure in (
        ("thousand", many_aims),
        ("lost", restore_aims),
        ("gate", gate_aims),
        ("fifty", monorepo_aims),
    ):
        place = folder / name
        place.mkdir()
        yield from measure(place)
    yield from sandbox_aims()
    yield from blob_aims()


def many_aims(place: Path) -> Iterator[Aim]:
    """Nothing to do in a thousand tasks, beside stock doit; and what it costs just to look at each file."""
    bench = Bench(place, THOUSAND_TASKS)
    bench.prepare()
    bench.loom()
    bench.loom()
    doit, command, stock, bare = by_turns(5, bench.loom, bench.command, bench.stock_doit, lambda: scan(bench.project))
    title = f"nothing to do in {bench.size.tasks:,} tasks with {bench.files():,} files"
    yield Aim(f"{title}, of stock doit: `loom generate`", _times(command, stock), "1.30 times")
    yield Aim("… `doit generate`", _times(doit, stock), "1.30 times")
    yield Aim("… a bare scan of these files, and nothing else", _times(bare, stock), "")


def restore_aims(place: Path) -> Iterator[Aim]:
    """The output put back from the store, beside a copy of as many files."""
    bench = Bench(place, FIFTY_TASKS)
    bench.prepare()
    bench.loom()
    nothing, restored, copied = by_turns(7, bench.loom, bench.restored, bench.copied)
    found = (restored.seconds - nothing.seconds) / copied.seconds
    title = f"{bench.files():,} files put back less nothing to do, of `cp -r` of the same"
    yield Aim(title, f"{found:.2f} times", "3.00 times")


def gate_aims(place: Path) -> Iterator[Aim]:
    """A gate that is in the store; the machine's own, which has the toolchain."""
    bench = Bench(place, SIZES["12"], store=STORE)
    bench.prepare()
    state = bench.project / ".loom"

    def lost(*places: Path) -> Cost:
        bench.lose(bench.project / "out", *places)
        return bench.loom("generate", "gate:python")

    lost()
    kept, without_database, without_state = by_turns(
        5, lambda: bench.loom("generate", "gate:python"), lambda: lost(state / "doit.sqlite"), lambda: lost(state)
    )
    title = "`generate gate:python` over nothing to do, without the output and"
    yield Aim(f"{title} doit's database", _added(without_database, kept), "0.50 s")
    yield Aim("… and all of `.loom`", _added(without_state, kept), "0.50 s")


def monorepo_aims(place: Path) -> Iterator[Aim]:
    """`loom generate` beside the builders of workspaces of JavaScript; the first run of each fills its cache."""
    bench = Bench(place / "loom", FIFTY_TASKS)
    bench.prepare()
    bench.loom()
    bench.command()
    own = least(5, bench.command)
    title = f"nothing to do in {bench.size.tasks} tasks, by the clock (CPU)"
    try:
        others = workspace(place / "others")
    except Absent as absent:
        yield Aim(f"{title}: `loom generate`", _clock(own), f"Turborepo's, which cannot be had: {absent}")
        return
    found = {}
    for tool in tools(others.folder):
        others.run(tool)
        own, found[tool.name] = by_turns(7, bench.command, partial(others.run, tool))
    yield Aim(f"{title}: `loom generate`", _clock(own), f"{found['Turborepo'].clock * 1000:.0f} ms")
    yield from (Aim(f"… {tool.name} {tool.version}", _clock(found[tool.name]), "") for tool in tools(others.folder))


def _added(one: Cost, other: Cost) -> str:
    return f"{one.seconds - other.seconds:+.2f} s"


def _times(one: Cost, other: Cost) -> str:
    return f"{one.seconds / other.seconds:.2f} times"


def _clock(spent: Cost) -> str:
    return f"{spent.clock * 1000:.0f} ms ({spent.seconds * 1000:.0f} ms)"
