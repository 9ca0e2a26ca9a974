"""What `remote:` of loom.yaml may say.

In: YAML. Out: a checked model. Never: a secret; files that hold one are named.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from loom.build.remote.settings import Remote, mistake
from loom.build.settings import Settings


def _item(text: str) -> str:
    if not text.strip() or "," in text:
        raise ValueError("must not be empty or hold a comma")
    return text


Item = Annotated[str, AfterValidator(_item)]


class RemoteYaml(Settings):
    """One shared cache, one executor. Files are relative to loom.yaml."""

    cache: str = ""
    policy: str = "auto"
    upload: str = "ci"
    token_file: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""
    trust: tuple[Item, ...] = ()
    signing_key_file: str = ""
    namespace: str = ""
    also_read: tuple[Item, ...] = ()
    executor: str = ""
    execution: str = "off"
    jobs: Annotated[int, Field(ge=1, le=999)] = 4
    platform: dict[Item, Item] = Field(default_factory=lambda: dict(Remote().properties))

    @field_validator("cache", "policy", "upload", "namespace", "executor", "execution")
    @classmethod
    def is_sound(cls, value: str, info: ValidationInfo) -> str:
        if wrong := mistake(info.field_name or "", value):
            raise ValueError(wrong)
        return value

    @field_validator("also_read")
    @classmethod
    def are_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := mistake("also_read", ",".join(value)):
            raise ValueError(wrong)
        return value

    @field_validator("platform")
    @classmethod
    def are_properties(cls, value: dict[str, str]) -> dict[str, str]:
        if wrong := mistake("platform", _pairs(value)):
            raise ValueError(wrong)
        return value

    def plain(self) -> tuple[str, ...]:
        """The fields of `Remote`, in its order."""
        return tuple(_plain(getattr(self, name)) for name in Remote._fields)


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
