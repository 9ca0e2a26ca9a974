"""What operators ask a service: health, readiness, metrics, and its description."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4
from sqlalchemy.exc import SQLAlchemyError

from app.http.responses import json_response
from app.log import log
from app.metrics import exposition
from app.persistence.database import DatabaseDependency
from app.persistence.faults import log_fields
from app.persistence.turns import PoolExhaustedError

_DOCS = Path(__file__).with_name("docs.html")

router = APIRouter()
docs_router = APIRouter()


@router.get("/health")
async def health() -> Response:
    return json_response({"status": "ok"})


@router.get("/ready")
async def ready(request: Request, database: DatabaseDependency) -> Response:
    if request.app.state.is_stopping:
        return json_response({"status": "unavailable"}, 503)
    try:
        await database.ping()
    except (SQLAlchemyError, OSError, PoolExhaustedError) as error:
        request.app.state.is_degraded = True
        log("warn", "health_degraded", **log_fields(error))
        return json_response({"status": "unavailable"}, 503)
    if request.app.state.is_degraded:
        request.app.state.is_degraded = False
        log("info", "health_ok")
    return json_response({"status": "ready"})


@router.get("/metrics")
async def metrics() -> Response:
    return Response(exposition(), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})


@router.get("/openapi.json")
async def openapi(request: Request) -> Response:
    description: bytes = request.app.state.openapi
    return Response(description, media_type="application/json")


@docs_router.get("/docs")
async def docs() -> Response:
    return Response(_DOCS.read_bytes(), media_type="text/html; charset=utf-8")
