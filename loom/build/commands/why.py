"""`loom why`: from a task back to what changed first.

In: a task, the graph of its project. Out: the chain, a line each, and the root causes.
Never: a guess: where no earlier key is kept, that is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from loom.build.commands.causes import FORGOTTEN, Cause, Chain, Keys, Place, at_present
from loom.build.commands.preimages import Stored
from loom.build.commands.unchanged import is_rearranged, never_done, rearranged, unchanged
from loom.build.graph.inputs import Inputs
from loom.build.state import Known
from loom.build.work.actions import ActionWork
from loom.build.work.stages import StageWork
from loom.build.work.work import Work

_LOST = f"({FORGOTTEN})"
_UNKNOWN = f"no root cause is known: {FORGOTTEN}\n"


def why(inputs: Inputs, stored: Stored, work: Work, due: Callable[[], str]) -> str:
    """The chain from a task to its root causes.

    `due` says why doit would run it, empty when it would not; to be asked once stages ran.
    """
    last = inputs.workspace.last
    ran = last.ran.get(work.name) if last else None
    if last is None or ran is None:
        return never_done(work)
    if is_other(work, ran):
        chain, head = Chain(inputs, stored, now=True), f"{work.name} would run"
    elif reason := due():
        return unchanged(work, ran, reason)
    elif work.name in last.previous:
        chain, head = Chain(inputs, stored, now=False), f"{work.name} is up to date; when it last changed"
    else:
        return unchanged(work, ran, "")
    told = _told(chain, _starts(inputs, work))
    return f"{head}:\n{''.join(told.lines)}{_ended(inputs, chain, told)}" if told.lines else rearranged(work)


class Told(NamedTuple):
    """Lines of a chain, and the root causes that they lead to, each with its parts."""

    lines: list[str]
    roots: dict[str, tuple[str, ...]]


def is_other(work: Work, ran: Known) -> bool:
    """Whether its key is other than that of its last run; pure stages run to say so."""
    now = at_present(work)
    if now is None or dict(now.entries) != dict(ran.entries):
        return True
    return is_rearranged(work, ran)


def _ended(inputs: Inputs, chain: Chain, told: Told) -> str:
    roots = told.roots or _files_changed(chain, told.lines)
    lines = [line for root in by_age(inputs, list(roots)) for line in (f"root cause: {root}", *_parts(roots[root]))]
    return "".join(f"{line}\n" for line in lines) or _UNKNOWN


def _parts(within: tuple[str, ...]) -> Iterable[str]:
    return (f"  {part}" for part in within)


def _starts(inputs: Inputs, work: Work) -> list[Place]:
    match work:
        case StageWork():
            return list(work.units())
        case ActionWork():
            return [work.name]
        case _:
            needs = [inputs.graph.nodes[name].work for name in inputs.graph.nodes[work.name].needs]
            return [place for needed in needs if needed is not None for place in _starts(inputs, needed)]


def _told(chain: Chain, starts: Iterable[Place]) -> Told:
    lines: list[str] = []
    roots: dict[str, tuple[str, ...]] = {}
    seen: set[Place] = set()

    def tell(place: Place, keys: Keys, depth: int) -> None:
        for cause in chain.of(place, keys):
            lines.append("  " * depth + _line(cause, seen))
            if cause.is_root and cause.place is None:
                roots[cause.text] = tuple(dict.fromkeys((*roots.get(cause.text, ()), *cause.within)))
            if cause.place is not None and cause.place not in seen:
                seen.add(cause.place)
                tell(cause.place, cause.keys or chain.keys(cause.place, cause.seen), depth + 1)

    for place in starts:
        keys = chain.last_two(place)
        if place not in seen and chain.of(place, keys):
            seen.add(place)
            lines.append(f"  {place if isinstance(place, str) else '/'.join(place)} changed\n")
            tell(place, keys, 2)
    return Told(lines, roots)


def _files_changed(chain: Chain, lines: list[str]) -> dict[str, tuple[str, ...]]:
    """Where a trail ends at what is there no more. Where it is lost, the last change of a file need not be the one."""
    if any(line.strip() == _LOST for line in lines):
        return {}
    return {cause.text: cause.within for cause in chain.of_files() if cause.place is None and cause.is_root}


def _line(cause: Cause, seen: set[Place]) -> str:
    if cause.place is None:
        return f"because of {cause.text}\n" if cause.is_root else f"({cause.text})\n"
    return f"because {cause.text}{' (as above)' if cause.place in seen else ''}\n"


def by_age(inputs: Inputs, roots: list[str]) -> list[str]:
    """Files come first, the one that was changed first at the top."""
    places = {root: inputs.workspace.project.root / root for root in roots}
    times = {root: place.stat().st_mtime for root, place in places.items() if place.exists()}
    return sorted(roots, key=lambda root: times.get(root, float("inf")))
