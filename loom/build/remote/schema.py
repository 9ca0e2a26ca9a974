"""What `remote:` of loom.yaml may say.

In: YAML. Out: a checked model. Never: a secret; files that hold one are named.
"""

from __future__ import annotations

from pydantic import ValidationInfo, field_validator

from loom.build.remote.settings import mistake
from loom.build.settings import Settings


class RemoteYaml(Settings):
    """One shared cache. Files are relative to loom.yaml."""

    cache: str = ""
    policy: str = "auto"
    upload: str = "ci"
    token_file: str = ""
    ca: str = ""
    certificate: str = ""
    key: str = ""

    @field_validator("cache", "policy", "upload")
    @classmethod
    def is_sound(cls, value: str, info: ValidationInfo) -> str:
        if wrong := mistake(info.field_name or "", value):
            raise ValueError(wrong)
        return value

    def plain(self) -> tuple[str, ...]:
        """The fields of `Remote`, in its order."""
        return self.cache, self.policy, self.upload, self.token_file, self.ca, self.certificate, self.key
