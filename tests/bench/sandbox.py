"""What a sandbox adds to a command: the same program in the same root, by hand and through Loom, by the clock.

In: nothing. Out: milliseconds for an action that does nothing, and a share of one that computes for half a second.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from loom.build.sandbox.image import remembered_image
from tests.bench.measure import Aim
from tests.engine.world.world_kit import Kind, python, the_root

WORK = "sum(index * index for index in range(8_000_000))"


def sandbox_aims(pairs: int = 11) -> Iterator[Aim]:
    """Medians over pairs of runs: what the machine does besides falls on both of a pair alike."""
    kinds: tuple[tuple[Kind, int], ...] = (("bubblewrap", 20), ("docker", 400))
    for kind, aim in kinds:
        by_hand, in_sandbox = _commands(kind, "pass")
        added = median(spent(in_sandbox) - spent(by_hand) for _ in range(pairs)) * 1000
        yield Aim(f"an action in {kind}, over the same by hand", f"{added:+.0f} ms", f"{aim} ms")
    by_hand, in_sandbox = _commands("bubblewrap", WORK)
    share = median(ratio(by_hand, in_sandbox, turned=bool(number % 2)) for number in range(pairs)) - 1
    yield Aim("a command of half a second in bubblewrap, over the same by hand", f"{share:+.1%}", "")


def _commands(kind: Kind, code: str) -> tuple[Callable[[], None], Callable[[], None]]:
    """The program by hand and through Loom; both have run once."""

    def in_sandbox() -> None:
        assert python(kind, code).worked

    in_sandbox()
    argv = [*_by_hand(kind, the_root().folder), "/usr/bin/python3", "-c", code]

    def by_hand() -> None:
        environment: dict[str, str] | None = {} if kind == "bubblewrap" else None
        subprocess.run(argv, env=environment, check=True, stdout=subprocess.DEVNULL)

    by_hand()
    return by_hand, in_sandbox


def _by_hand(kind: str, root: Path) -> list[str]:
    if kind == "docker":
        return ["docker", "run", "--rm", "--network", "none", remembered_image(root)]
    bind = ["--ro-bind", str(root), "/", "--proc", "/proc", "--dev", "/dev"]
    return ["bwrap", "--unshare-all", *bind, "--"]


def ratio(one: Callable[[], None], other: Callable[[], None], *, turned: bool) -> float:
    """How many times as long `other` takes, right after `one` or, `turned`, right before it."""
    if turned:
        return 1 / ratio(other, one, turned=False)
    before = spent(one)
    return spent(other) / before


def spent(run: Callable[[], None]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun
