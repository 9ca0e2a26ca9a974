"""Answers as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from app.values.json_values import JsonValue, json_text


def json_response(
    value: JsonValue, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(json_text(value), status, headers, media_type="application/json")
