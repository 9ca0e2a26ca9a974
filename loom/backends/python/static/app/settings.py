"""Configuration, read from the environment once at start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from app import service
from app.log import Level

_FLAGS = {"true": True, "false": False}
_DIGITS = re.compile("[0-9]{1,15}")


def _whole(text: object) -> int:
    if not isinstance(text, str) or not _DIGITS.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _flag(text: object) -> bool:
    if not isinstance(text, str) or text not in _FLAGS:
        raise ValueError(text)
    return _FLAGS[text]


Whole = Annotated[int, BeforeValidator(_whole)]
Flag = Annotated[bool, BeforeValidator(_flag)]


class SettingsError(Exception):
    """An environment that the service cannot start with: what is wrong, by variable."""

    def __init__(self, refusals: Mapping[str, str]) -> None:
        super().__init__("; ".join(refusals.values()))
        self.refusals = refusals


class Settings(BaseModel):
    """Every environment variable that the service reads; a description says what it must be."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    database_url: str = Field(default="", validation_alias="DATABASE_URL")
    database_url_file: Path | None = Field(default=None, validation_alias="DATABASE_URL_FILE")
    port: Whole = Field(
        default=8000,
        ge=0,
        le=65535,
        validation_alias="PORT",
        description="a whole number from 0 to 65535",
    )
    log_level: Level = Field(
        default="info",
        validation_alias="LOG_LEVEL",
        description="debug, info, warn or error",
    )
    cors_origin: str = Field(default="*", validation_alias="CORS_ORIGIN")
    openapi_ui: Flag = Field(
        default=True,
        validation_alias="LOOM_OPENAPI_UI",
        description="true or false",
    )
    drain_seconds: Whole = Field(
        default=service.DRAIN_SECONDS,
        ge=0,
        validation_alias="LOOM_DRAIN_SECONDS",
        description="a whole number from 0",
    )
    grace_seconds: Whole = Field(
        default=service.GRACE_SECONDS,
        ge=1,
        validation_alias="LOOM_GRACE_SECONDS",
        description="a whole number from 1",
    )
    body_limit: Whole = Field(
        default=service.BODY_BYTES,
        ge=1,
        validation_alias="LOOM_BODY_LIMIT",
        description="a whole number from 1",
    )
    request_seconds: Whole = Field(
        default=service.REQUEST_SECONDS,
        ge=1,
        validation_alias="LOOM_REQUEST_SECONDS",
        description="a whole number from 1",
    )
    database_connections: Whole = Field(
        default=service.DATABASE_CONNECTIONS,
        ge=1,
        validation_alias="LOOM_DATABASE_CONNECTIONS",
        description="a whole number from 1",
    )
    database_seconds: Whole = Field(
        default=service.DATABASE_SECONDS,
        ge=1,
        validation_alias="LOOM_DATABASE_SECONDS",
        description="a whole number from 1",
    )

    def database(self) -> str:
        """The address of the database, or what the file that holds it says."""
        address = self.database_url
        if not address and self.database_url_file is not None:
            address = _content(self.database_url_file)
        if not address.startswith("postgresql://"):
            refusal = "DATABASE_URL or DATABASE_URL_FILE must give a postgresql:// address"
            raise SettingsError({"DATABASE_URL": refusal})
        return address

    def cors_origins(self) -> list[str]:
        return [origin.strip() for origin in self.cors_origin.split(",")]


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Spaces around a value do not count, and an empty one is not given; no origin is one, too."""
    given = {name: value.strip() for name, value in environment.items()}
    given = {name: value for name, value in given.items() if value or name == "CORS_ORIGIN"}
    try:
        settings = Settings.model_validate(given)
    except ValidationError as error:
        raise SettingsError(_refusals(error)) from error
    settings.database()
    return settings


def _content(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        refusal = "DATABASE_URL_FILE must name a file that can be read"
        raise SettingsError({"DATABASE_URL_FILE": refusal}) from error


def _refusals(error: ValidationError) -> dict[str, str]:
    """What is wrong with the environment, by variable."""
    allowed = {each.validation_alias: each.description for each in Settings.model_fields.values()}
    names = [str(fault["loc"][0]) for fault in error.errors()]
    return {name: f"{name} must be {allowed[name]}" for name in names}
