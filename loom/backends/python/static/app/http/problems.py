"""Every answer that is not a success, as problem+json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from app.errors import DomainError, ServiceError
from app.http.json_route import NULL_BODY
from app.http.paths import sent_path
from app.log import Level, log
from app.metrics import domain_faults
from app.persistence.faults import conflict_of
from app.values.json_values import JsonValue, json_text

_PAGING = (("query", "page"), ("query", "pageSize"), ("query", "sort"), ("query", "dir"))


def problem(
    status: int,
    title: str,
    detail: str,
    instance: str,
    errors: Sequence[JsonValue] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The problem document; its members are always in this order."""
    members: dict[str, JsonValue] = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": detail,
        "instance": instance,
    }
    if errors is not None:
        members["errors"] = errors
    return Response(json_text(members), status, headers, media_type="application/problem+json")


def fault(level: Level, kind: str, detail: str) -> None:
    """Records a refused or failed request."""
    domain_faults.labels(kind).inc()
    log(level, kind, detail=detail)


async def _service_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ServiceError)
    fault("warn", error.event, error.detail)
    return problem(error.status, error.title, error.detail, sent_path(request.scope))


async def _database_error(request: Request, error: Exception) -> Response:
    conflict = conflict_of(error) if isinstance(error, DBAPIError) else None
    if conflict is None:
        raise error
    return await _service_error(request, conflict)


async def _recursion_error(request: Request, error: Exception) -> Response:
    """A function of the model that calls itself more often than this process can follow."""
    return await _service_error(request, DomainError("recursion too deep"))


async def _invalid_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    detail = "One or more fields are invalid."
    fault("warn", "client_error", detail)
    errors = [_field_error(item) for item in sorted(error.errors(), key=_place)]
    return problem(422, "Validation failed", detail, sent_path(request.scope), errors)


def _place(error: Mapping[str, Any]) -> int:
    """The framework looks at paging first, which stands behind a find's own parameters."""
    location = tuple(error["loc"])
    return _PAGING.index(location) + 1 if location in _PAGING else 0


def _field_error(error: Mapping[str, Any]) -> JsonValue:
    members = {"pointer": _pointer(error["loc"]), "message": _message(error)}
    code = error.get("ctx", {}).get("code")
    return {**members, "code": code} if code else members


async def _routing_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        detail = f"{request.method} is not allowed here"
        headers = {"Allow": ", ".join(_allowed_methods(request))}
    else:
        detail, headers = "no such route", {}
    fault("warn", "client_error", detail)
    return problem(error.status_code, title, detail, sent_path(request.scope), headers=headers)


def _allowed_methods(request: Request) -> list[str]:
    """The methods of all routes of this path; the framework names those of the first alone."""
    routers: Sequence[APIRouter] = request.app.state.routers
    routes = [route for router in routers for route in router.routes]
    matching = [route for route in routes if route.matches(request.scope)[0] != Match.NONE]
    return sorted({method for route in matching for method in getattr(route, "methods", ())})


def _pointer(location: Sequence[str | int]) -> str:
    """RFC 6901, relative to the body; path and query members stand at the top."""
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in location[1:])
    return "".join(f"/{part}" for part in parts)


def _message(error: Mapping[str, Any]) -> str:
    match error["type"]:
        case "refused":
            return str(error["msg"])
        case "missing":
            return "is required"
        case _ if error["input"] in (None, NULL_BODY):
            return "must not be null"
        case "list_type":
            return "must be an array"
        case _:
            return "must be an object"


def install_problem_handlers(app: FastAPI) -> None:
    app.add_exception_handler(ServiceError, _service_error)
    app.add_exception_handler(DBAPIError, _database_error)
    app.add_exception_handler(RecursionError, _recursion_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _routing_error)
