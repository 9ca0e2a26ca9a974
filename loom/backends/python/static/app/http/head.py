"""HEAD, which the framework leaves to its user."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.routing import APIRoute


def answer_head(router: APIRouter) -> None:
    """Lets what answers GET answer HEAD; the server leaves out the body."""
    for route in router.routes:
        if isinstance(route, APIRoute) and route.methods is not None and "GET" in route.methods:
            route.methods.add("HEAD")
