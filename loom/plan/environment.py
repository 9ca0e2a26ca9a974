"""What operators set in the environment of a service, whatever it is written in, and how its page tells them.

In: the limits of a service, the port that its backend listens on. Out: settings, in the order of the page.
Never: how a target reads them.
"""

from __future__ import annotations

from loom.base import Value
from loom.plan.limits import LimitsPlan


class SettingPlan(Value):
    """Variables that say one thing, any one of them enough; `meaning` is Markdown, with the default."""

    variables: tuple[str, ...]
    meaning: str


def settings(limits: LimitsPlan, port: int) -> tuple[SettingPlan, ...]:
    """All that a service reads."""
    meanings = {
        ("DATABASE_URL", "DATABASE_URL_FILE"): "address of the database, or a file that holds it",
        ("PORT",): f"port to listen on, {port} by default",
        ("LOG_LEVEL",): "`debug`, `info` (default), `warn` or `error`",
        ("CORS_ORIGIN",): "allowed origins, separated by commas; `*`, any, by default",
        ("LOOM_OPENAPI_UI",): "`true` (default), or `false` for no `/docs`",
        ("LOOM_BODY_LIMIT",): f"largest request body in bytes, {limits.body_bytes} by default",
        ("LOOM_REQUEST_SECONDS",): "for how long the head of a request, and then its body, may arrive; "
        f"{limits.request_seconds} by default",
        ("LOOM_DATABASE_CONNECTIONS",): "how many connections to the database it holds at most, "
        f"{limits.database_connections} by default",
        ("LOOM_DATABASE_SECONDS",): "for how long a request waits for a connection that others use, "
        f"{limits.database_seconds} by default",
        ("LOOM_DRAIN_SECONDS",): "for how long it still takes requests, unready, once it is told to stop; "
        f"{limits.drain_seconds} by default",
        ("LOOM_GRACE_SECONDS",): "for how long, after that, it waits for the answers that are due; "
        f"{limits.grace_seconds} by default",
    }
    return tuple(SettingPlan(variables=names, meaning=meaning) for names, meaning in meanings.items())
