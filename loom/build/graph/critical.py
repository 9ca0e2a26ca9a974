"""The critical path: the chain of tasks that a run cannot be shorter than.

In: what each task needs, and what each costs. Out: names. Never: a cycle, which doit refuses before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def critical_path(needs: Mapping[str, Iterable[str]], cost: Mapping[str, int]) -> tuple[str, ...]:
    """The dearest chain, first task first; without those at its ends that cost nothing."""
    best: dict[str, tuple[int, str]] = {}
    for name in needed_first(needs):
        before = max(((best[need][0], need) for need in needs[name] if need in best), default=(0, ""))
        best[name] = before[0] + cost.get(name, 0), before[1]
    name = max(best, key=lambda task: best[task][0], default="")
    way: list[str] = []
    while name:
        way.append(name)
        name = best[name][1]
    priced = [at for at, task in enumerate(way) if cost.get(task, 0)]
    return tuple(reversed(way[priced[0] : priced[-1] + 1])) if priced else ()


def needed_first(needs: Mapping[str, Iterable[str]]) -> list[str]:
    """Every task after all that it needs; names that are no tasks are left out."""
    found: dict[str, None] = {}
    for start in needs:
        waiting = [(start, False)]
        while waiting:
            name, is_met = waiting.pop()
            if is_met:
                found[name] = None
            elif name in needs and name not in found:
                waiting.append((name, True))
                waiting += [(need, False) for need in needs[name] if need not in found]
    return list(found)
