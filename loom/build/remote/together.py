"""Work on many groups of blobs at once, with bounded threads.

In: a pool, work, groups. Out: what came of each, or the first error, as soon as there is one.
Never: anything still running when it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Group = TypeVar("Group")
Came = TypeVar("Came")


def together(pool: ThreadPoolExecutor, work: Callable[[Group], Came], groups: Iterable[Group]) -> list[Came]:
    """In the order of the groups; a single one needs no other thread."""
    waiting = list(groups)
    if len(waiting) == 1:
        return [work(waiting[0])]
    futures = [pool.submit(work, group) for group in waiting]
    try:
        return [future.result() for future in futures]
    finally:
        for future in futures:
            future.cancel()
        wait(futures)
