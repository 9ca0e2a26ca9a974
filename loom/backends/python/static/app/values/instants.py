"""Instants: aware datetimes in UTC with millisecond precision."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from app.errors import DomainError

_RFC_3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_LONGEST = timedelta(days=3_652_059)


def to_millisecond(instant: datetime) -> datetime:
    """The instant in UTC, anything finer than a millisecond dropped."""
    utc = instant.astimezone(UTC)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def current_instant() -> datetime:
    return to_millisecond(datetime.now(UTC))


def parse_instant(text: str) -> datetime | None:
    """The instant that an RFC 3339 text with an offset names, or None."""
    match = _RFC_3339.fullmatch(text)
    if match is None:
        return None
    seconds, fraction, offset = match.groups()
    milliseconds = ((fraction or "") + "000")[:3]
    try:
        return datetime.fromisoformat(f"{seconds}.{milliseconds}{offset}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def instant_text(instant: datetime) -> str:
    """ISO 8601 in UTC, without trailing zeros in the fraction."""
    text = instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds")
    return text.rstrip("0").rstrip(".") + "Z" if "." in text else text + "Z"


def start_of_day(instant: datetime) -> datetime:
    """Midnight, UTC."""
    return instant.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def checked(duration: timedelta) -> timedelta:
    """`duration`, which must not be longer than the years 1 to 9999."""
    if abs(duration) > _LONGEST:
        raise DomainError("arithmetic overflow")
    return duration


def duration(*, days: int = 0, hours: int = 0, minutes: int = 0) -> timedelta:
    try:
        return checked(timedelta(days=days, hours=hours, minutes=minutes))
    except OverflowError as error:
        raise DomainError("arithmetic overflow") from error


def multiplied(duration: timedelta, factor: int) -> timedelta:
    try:
        return checked(duration * factor)
    except OverflowError as error:
        raise DomainError("arithmetic overflow") from error


def later(instant: datetime, duration: timedelta) -> datetime:
    """The instant after a duration, which must lie in the years 1 to 9999."""
    try:
        return instant + duration
    except OverflowError as error:
        raise DomainError("arithmetic overflow") from error


def earlier(instant: datetime, duration: timedelta) -> datetime:
    return later(instant, -duration)
