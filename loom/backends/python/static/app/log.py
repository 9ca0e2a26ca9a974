"""JSON-line logs: one object a line, with the id of the request that caused it."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

from app.request_frame import current_frame

Level = Literal["debug", "info", "warn", "error"]

_LEVELS: dict[Level, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
}
_NAMES = {number: name for name, number in _LEVELS.items()}

_logger = logging.getLogger("app")


class JsonLineFormatter(logging.Formatter):
    """Prints a record as `{"level", "event", …fields, "request_id", "time"}`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {"level": _NAMES.get(record.levelno, "error")}
        if record.name == _logger.name:
            line["event"] = record.getMessage()
            line.update(getattr(record, "fields", {}))
        else:
            line |= {"event": "internal_error", "error": record.getMessage().strip()}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        frame = current_frame.get()
        if frame is not None:
            line["request_id"] = frame.request_id
        instant = datetime.fromtimestamp(record.created, UTC)
        line["time"] = instant.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return json.dumps(line, ensure_ascii=False, default=str)


def configure_logging(level: Level) -> None:
    """Sends everything to standard output; libraries are heard when something failed."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonLineFormatter())
    logging.basicConfig(level=logging.ERROR, handlers=[handler], force=True)
    _logger.setLevel(_LEVELS[level])


def log(level: Level, event: str, **fields: object) -> None:
    """Writes one event of the catalog."""
    _logger.log(_LEVELS[level], event, extra={"fields": fields})


def log_exception(event: str) -> None:
    """Writes the exception that is being handled; its text never leaves the log."""
    _logger.error(event, exc_info=True)
