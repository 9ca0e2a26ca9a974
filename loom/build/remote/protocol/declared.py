"""What a result from elsewhere must look like, said by whoever asks for it.

In: an action, or a stage. Out: a check of entries. Never: an output that was not declared, or a missing one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args, get_type_hints

from loom.base import Digest
from loom.build.actions.action import Action, ActionResult
from loom.build.actions.entry import result_from_entry
from loom.build.remote.protocol.entry import Declared, Needed
from loom.build.store.atomic import Json
from loom.build.store.entries import DIAGNOSTICS, WHOLE, BadEntry, digest, number, rows, text
from loom.build.store.tree import TreeFile


def of_action(action: Action) -> Declared:
    """The files of exactly the declared outputs; their trees are made here, from the files."""

    def check(key: str, entry: dict[str, Json]) -> Needed:
        result = result_from_entry(key, entry)
        if [item.name for item in result.trees] != [output.name for output in action.outputs]:
            raise BadEntry("has other outputs than were declared")
        folders = {path.path.partition("/")[0] for path in result.entries}
        if undeclared := folders - {item.name for item in result.trees}:
            raise BadEntry(f"has files of an output that was not declared: {min(undeclared)}")
        texts = tuple(digest(entry, name) for name in ("stdout", "stderr", "preimage"))
        files = tuple(item.content for item in result.entries if isinstance(item, TreeFile))
        return Needed((*files, *texts), _trees(result))

    return check


def _trees(result: ActionResult) -> tuple[bytes, ...]:
    made = []
    for item in result.trees:
        data = result.tree(item.name).canonical()
        if Digest.of(data) != item.tree:
            raise BadEntry(f"has files that do not make up its output {item.name}")
        made.append(data)
    return tuple(made)


def of_step(run: Callable[..., object]) -> Declared:
    """A bundle that holds the parts that the stage says it gives, its diagnostics if any, and the preimage."""

    def check(key: str, entry: dict[str, Json]) -> Needed:
        output = get_args(get_type_hints(run)["return"])[0]
        names = list(getattr(output, "_fields", (WHOLE,)))
        parts = rows(entry, "outputs")
        if [text(row, "path") for row in parts] not in (names, [*names, DIAGNOSTICS]):
            raise BadEntry("has other outputs than were declared")
        sizes = [number(row, "size") for row in parts]
        bundle = digest(entry, "bundle")
        if min(sizes) < 0 or bundle.size != sum(sizes) + digest(entry, "preimage").size:
            raise BadEntry("has a bundle that does not hold its outputs")
        for name in ("errors", "warnings"):
            number(entry.get("meta"), name)
        return Needed((bundle,))

    return check
