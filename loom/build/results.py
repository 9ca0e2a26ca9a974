"""The result store: what a key gave, as one JSON file each, written only after all that it names.

In: a key and a JSON object. Out: the same object, or nothing when there is no sound one.
Never: a failed result, or an entry whose own key differs from its name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeAlias

from loom.build.store import ContentStore

SCHEMA = "loom.result/1"
Json: TypeAlias = "str | int | bool | None | list[Json] | dict[str, Json]"


class ResultStore:
    """`root/ac/<key>.json` beside the content that it names."""

    def __init__(self, content: ContentStore) -> None:
        self.content = content
        self._folder = str(content.root / "ac")

    def path(self, key: str) -> Path:
        return Path(f"{self._folder}/{key}.json")

    def read(self, key: str) -> dict[str, Json] | None:
        """None for a missing, garbled or foreign entry: each is simply a miss."""
        try:
            with open(f"{self._folder}/{key}.json", "rb") as stream:
                entry = json.loads(stream.read())
        except (OSError, ValueError):
            return None
        if not isinstance(entry, dict) or entry.get("schema") != SCHEMA or entry.get("key") != key:
            return None
        return entry

    def write(self, key: str, fields: dict[str, Json]) -> None:
        entry = {"schema": SCHEMA, "key": key, **fields}
        self.content.write_file(f"{self._folder}/{key}.json", canonical_json(entry))

    def forget(self, key: str) -> None:
        self.path(key).unlink(missing_ok=True)


def canonical_json(data: Json) -> bytes:
    """The one spelling of `data`: sorted keys, no blanks, UTF-8."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
