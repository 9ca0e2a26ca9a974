"""Connections to the database."""

from __future__ import annotations

from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from app import service
from app.settings import Settings
from app.values.json_values import json_text, parse_json


def open_engine(settings: Settings) -> AsyncEngine:
    """Sessions speak UTC, so that instants read back as they were written."""
    return create_async_engine(
        make_url(settings.database()).set(drivername="postgresql+psycopg"),
        pool_size=settings.database_connections,
        max_overflow=0,
        pool_pre_ping=True,
        json_serializer=json_text,
        json_deserializer=parse_json,
        connect_args={"connect_timeout": 5, "options": service.SESSION_OPTIONS},
    )
