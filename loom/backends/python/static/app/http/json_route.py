"""Reads JSON bodies strictly, before the framework looks at them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect

from app.errors import BodyTooLargeError, MalformedJsonError, MediaTypeError, RequestTimeoutError
from app.settings import Settings
from app.values.json_values import parse_json

_CONTENT_TYPE = b"content-type"
NULL_BODY = object()
"""A body of `null`, which the framework would take for no body."""


class JsonRequest(Request):
    """A request whose body was read as JSON; no body counts as an empty object."""

    def __init__(self, request: Request, value: object) -> None:
        headers = [item for item in request.scope["headers"] if item[0] != _CONTENT_TYPE]
        headers.append((_CONTENT_TYPE, b"application/json"))
        super().__init__({**request.scope, "headers": headers}, request.receive)
        self._value = value

    async def body(self) -> bytes:
        return b"{}"

    async def json(self) -> object:
        return self._value


class JsonRoute(APIRoute):
    """A route whose body, when it takes one, is JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle

        async def handle_json(request: Request) -> Response:
            body = await _body_in_time(request)
            return await handle(JsonRequest(request, _value(request, body) if body else {}))

        return handle_json


async def _body_in_time(request: Request) -> bytes:
    settings: Settings = request.app.state.settings
    try:
        async with asyncio.timeout(settings.request_seconds):
            return await _body_within_limit(request, settings.body_limit)
    except ClientDisconnect as error:
        raise MalformedJsonError from error
    except TimeoutError as error:
        raise RequestTimeoutError(settings.request_seconds) from error


async def _body_within_limit(request: Request, limit: int) -> bytes:
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared) > limit:
        raise BodyTooLargeError(limit)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise BodyTooLargeError(limit)
    return bytes(body)


def _value(request: Request, body: bytes) -> object:
    declared = ", ".join(request.headers.getlist("content-type"))
    media_type = declared.partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise MediaTypeError
    try:
        value = parse_json(body)
    except ValueError as error:
        raise MalformedJsonError from error
    return NULL_BODY if value is None else value
