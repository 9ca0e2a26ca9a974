"""The service routes what its description promises."""

from __future__ import annotations

import json
from pathlib import Path

from app.application import create_application
from app.persistence.database import Database
from app.settings import Settings

DESCRIPTION = Path(__file__).resolve().parents[1] / "openapi.json"


def test_every_described_operation_has_a_route() -> None:
    settings = Settings.model_validate({"DATABASE_URL": "postgresql://localhost/unused"})
    app = create_application(settings, Database(settings))
    routed = {
        (method.lower(), route.path)
        for router in app.state.routers
        for route in router.routes
        for method in route.methods
    }
    described = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"]
    assert {(method, path) for path, methods in described.items() for method in methods} <= routed
