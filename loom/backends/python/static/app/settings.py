"""Configuration, read from the environment once at start."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.log import Level


class Settings(BaseModel):
    """Every environment variable that the service reads; a description says what it must be."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    database_url: str = Field(default="", validation_alias="DATABASE_URL")
    database_url_file: Path | None = Field(default=None, validation_alias="DATABASE_URL_FILE")
    port: int = Field(
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
    openapi_ui: bool = Field(
        default=True,
        validation_alias="LOOM_OPENAPI_UI",
        description="true or false",
    )
    drain_seconds: int = Field(
        default=5,
        ge=0,
        validation_alias="LOOM_DRAIN_SECONDS",
        description="a whole number from 0",
    )
    body_limit: int = Field(
        default=1_048_576,
        ge=1,
        validation_alias="LOOM_BODY_LIMIT",
        description="a whole number from 1",
    )

    def database(self) -> str:
        """The address of the database, or what the file that holds it says."""
        address = self.database_url
        if not address and self.database_url_file is not None:
            address = self.database_url_file.read_text(encoding="utf-8").strip()
        if not address.startswith("postgresql://"):
            raise ValueError("DATABASE_URL or DATABASE_URL_FILE must give a postgresql:// address")
        return address

    def cors_origins(self) -> list[str]:
        return [origin.strip() for origin in self.cors_origin.split(",")]


def refusals(error: ValidationError) -> dict[str, str]:
    """What is wrong with the environment, by variable."""
    allowed = {each.validation_alias: each.description for each in Settings.model_fields.values()}
    names = [str(fault["loc"][0]) for fault in error.errors()]
    return {name: f"{name} must be {allowed[name]}" for name in names}
