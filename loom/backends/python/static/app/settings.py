"""Configuration, read from the environment once at start."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """Every environment variable that the service reads, but for the level of its log."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    database_url: str = Field(default="", validation_alias="DATABASE_URL")
    database_url_file: Path | None = Field(default=None, validation_alias="DATABASE_URL_FILE")
    port: int = Field(default=8000, ge=0, le=65535, validation_alias="PORT")
    cors_origin: str = Field(default="*", validation_alias="CORS_ORIGIN")
    openapi_ui: bool = Field(default=True, validation_alias="LOOM_OPENAPI_UI")
    drain_seconds: int = Field(default=5, ge=0, validation_alias="LOOM_DRAIN_SECONDS")
    body_limit: int = Field(default=1_048_576, ge=1, validation_alias="LOOM_BODY_LIMIT")

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
