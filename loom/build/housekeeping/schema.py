"""What `keep:` of loom.yaml may say.

In: YAML. Out: a checked model. Never: a size without its unit.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.build.housekeeping.limits import amount, keep_of
from loom.build.shapes import Settings, Wrong


class KeepYaml(Settings):
    """What the store may hold at most: `size` in all, `age` since the last use, leaving `free` on the disk."""

    size: str = ""
    age: str = ""
    free: str = ""

    def wrong(self) -> Iterator[Wrong]:
        for name, value in self._said().items():
            try:
                amount(name, value)
            except ValueError as error:
                yield Wrong((name,), str(error))

    def plain(self) -> tuple[int, ...]:
        """The fields of `Keep`, in its order."""
        return tuple(keep_of(self._said()))

    def _said(self) -> dict[str, str]:
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name))}
