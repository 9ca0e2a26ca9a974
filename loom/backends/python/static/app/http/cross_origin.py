"""What scripts of other origins may ask of the service."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi.middleware.cors import CORSMiddleware
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp

from app.http.middleware import REQUEST_ID

PREFLIGHT = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
METHODS = ("DELETE", "GET", "HEAD", "POST")


class CrossOriginMiddleware(CORSMiddleware):
    """A preflight is answered without a body: the browser refuses what its headers leave out."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=METHODS,
            allow_headers=["*"],
            expose_headers=["ETag", REQUEST_ID],
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        answer = super().preflight_response(request_headers)
        of_the_body = ("content-length", "content-type")
        headers = {name: value for name, value in answer.headers.items() if name not in of_the_body}
        return Response(status_code=204, headers={**headers, "vary": PREFLIGHT})
