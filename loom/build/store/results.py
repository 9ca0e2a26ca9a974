"""The result store: what a key gave, as one JSON file each, written only after all that it names.

In: a key and a JSON object. Out: the same object, or nothing when there is no sound one.
Never: a failed result, or an entry whose own key differs from its name.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

from loom.build.store.atomic import LOST, AtomicWriter, Json, canonical_json

SCHEMA = "loom.result/1"
_LONG_AGO = time.time() - 3600


class ResultStore:
    """`root/ac/<key>.json`, beside the content store of the same root.

    `believed` is asked of each entry; one that is not believed is a miss.
    """

    def __init__(self, root: Path, believed: Callable[[dict[str, Json]], bool] = lambda entry: True) -> None:
        self._folder = f"{root}/ac"
        self._believed = believed
        self._writer = AtomicWriter(root)

    def path(self, key: str) -> str:
        return f"{self._folder}/{key}.json"

    def has(self, key: str) -> bool:
        return os.path.exists(self.path(key))

    def read(self, key: str) -> dict[str, Json] | None:
        """None for a missing, garbled or foreign entry: each is simply a miss."""
        try:
            with open(self.path(key), "rb") as stream:
                data = stream.read()
                if os.fstat(stream.fileno()).st_mtime < _LONG_AGO:
                    _touch(stream.fileno())
            entry = json.loads(data)
        except OSError as error:
            if error.errno in LOST:
                return None
            raise
        except (ValueError, RecursionError):
            return None
        if not isinstance(entry, dict) or entry.get("schema") != SCHEMA or entry.get("key") != key:
            return None
        return entry if self._believed(entry) else None

    def write(self, key: str, fields: dict[str, Json]) -> None:
        self._writer.write(self.path(key), canonical_json({"schema": SCHEMA, "key": key, **fields}))

    def forget(self, key: str) -> None:
        Path(self.path(key)).unlink(missing_ok=True)


def _touch(handle: int) -> None:
    """In use, for whoever tidies the store; somebody else's file says nothing."""
    with contextlib.suppress(OSError):
        os.utime(handle)
