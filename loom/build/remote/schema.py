"""What `remote:` of loom.yaml may say.

In: YAML. Out: a checked model. Never: a secret; files that hold one are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta, field

from loom.build.remote.settings import Remote, mistake
from loom.build.shapes import KEY, Location, Settings, Wrong


class RemoteYaml(Settings):
    """One shared cache, one executor. Files are relative to loom.yaml."""

    cache: str = ""
    policy: str = "auto"
    upload: str = "ci"
    token_file: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""
    trust: tuple[str, ...] = ()
    signing_key_file: str = ""
    namespace: str = ""
    also_read: tuple[str, ...] = ()
    executor: str = ""
    execution: str = "off"
    jobs: Annotated[int, Meta(ge=1, le=999)] = 4
    platform: dict[str, str] = field(default_factory=lambda: dict(Remote().properties))

    def wrong(self) -> Iterator[Wrong]:
        found = [Wrong(at, "must not be empty or hold a comma") for at, item in self._items() if not _is_item(item)]
        said = zip(Remote._fields, self.plain(), strict=True)
        yield from found or (Wrong((name,), what) for name, text in said if text and (what := mistake(name, text)))

    def _items(self) -> Iterator[tuple[Location, str]]:
        """What is written into one text with commas between, and where it stands."""
        for name, items in (("trust", self.trust), ("also_read", self.also_read)):
            yield from (((name, number), item) for number, item in enumerate(items))
        for name, item in self.platform.items():
            yield from ((("platform", name, KEY), name), (("platform", name), item))

    def plain(self) -> tuple[str, ...]:
        """The fields of `Remote`, in its order."""
        return tuple(_plain(getattr(self, name)) for name in Remote._fields)


def _is_item(text: str) -> bool:
    return bool(text.strip()) and "," not in text


def _pairs(value: dict[str, str]) -> str:
    return ",".join(f"{name}={said}" for name, said in sorted(value.items()))


def _plain(value: str | int | tuple[str, ...] | dict[str, str]) -> str:
    match value:
        case dict():
            return _pairs(value)
        case tuple():
            return ",".join(value)
        case _:
            return str(value)
