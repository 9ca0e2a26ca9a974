"""What `keep:` of loom.yaml may say.

In: YAML. Out: a checked model. Never: a size without its unit.
"""

from __future__ import annotations

from pydantic import ValidationInfo, field_validator

from loom.build.housekeeping.limits import amount, keep_of
from loom.build.settings import Settings


class KeepYaml(Settings):
    """What the store may hold at most: `size` in all, `age` since the last use, leaving `free` on the disk."""

    size: str = ""
    age: str = ""
    free: str = ""

    @field_validator("size", "age", "free")
    @classmethod
    def is_sound(cls, value: str, info: ValidationInfo) -> str:
        if value:
            amount(info.field_name or "", value)
        return value

    def plain(self) -> tuple[int, ...]:
        """The fields of `Keep`, in its order."""
        return tuple(keep_of({"size": self.size, "age": self.age, "free": self.free}))
