"""Results of actions as entries of the result store, and back.

In: a result, digests of its texts. Out: JSON fields, and the result again. Never: trust in what is read.
"""

from __future__ import annotations

from loom.base import Digest
from loom.build.actions.action import ActionInput, ActionResult
from loom.build.store.atomic import Json
from loom.build.store.entries import number, rows, text
from loom.build.store.tree import Tree, TreeEntry, TreeFile, TreeLink


def to_entry(result: ActionResult, stdout: Digest, stderr: Digest, preimage: Digest, spent: int) -> dict[str, Json]:
    """All of them succeeded: nothing else is stored."""
    return {
        "exit": 0,
        "outputs": [_entry_row(entry) for entry in result.entries],
        "trees": [{"name": item.name, "sha256": item.sha256, "size": item.size} for item in result.trees],
        "stdout": list(stdout),
        "stderr": list(stderr),
        "preimage": list(preimage),
        "meta": {"milliseconds": spent},
    }


def _entry_row(entry: TreeEntry) -> Json:
    match entry:
        case TreeFile():
            return {"path": entry.path, "sha256": entry.sha256, "size": entry.size, "exec": entry.executable}
        case TreeLink():
            return {"path": entry.path, "link": entry.target}


def result_from_entry(key: str, entry: dict[str, Json]) -> ActionResult:
    """BadEntry or TreeError for anything that no action of ours can have left."""
    entries = tuple(_row_entry(row) for row in rows(entry, "outputs"))
    trees = tuple(
        ActionInput(name=text(row, "name"), sha256=text(row, "sha256"), size=number(row, "size"))
        for row in rows(entry, "trees")
    )
    return ActionResult(key=key, entries=Tree(entries=entries).entries, trees=trees)


def _row_entry(row: Json) -> TreeEntry:
    path = text(row, "path")
    if isinstance(row, dict) and "link" in row:
        return TreeLink(path=path, target=text(row, "link"))
    executable = isinstance(row, dict) and row.get("exec") is True
    return TreeFile(path=path, sha256=text(row, "sha256"), size=number(row, "size"), executable=executable)
