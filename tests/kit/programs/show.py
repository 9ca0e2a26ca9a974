"""Runs inside a generated Python service: prints what the functions of the module `batch` give, as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum

from app.errors import DomainError
from app.request_frame import RequestFrame, current_frame
from batch import CASES, NOW

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
CLASSES = {
    "int": int,
    "long": int,
    "decimal": Decimal,
    "money": Decimal,
    "string": str,
    "bool": bool,
    "datetime": datetime,
    "duration": timedelta,
}


def show(value: object, kind: object) -> object:
    match kind, value:
        case ["optional", _], None:
            return None
        case ["optional", inner], _:
            return show(value, inner)
        case ["list", element], list():
            return [show(item, element) for item in value]
        case ["object", members], _ if is_dataclass(value):
            return {name: show(getattr(value, spelled), inner) for name, spelled, inner in members}
        case "enum", StrEnum():
            return str(value)
        case str(), _ if type(value) is CLASSES.get(kind):
            return SHOWN.get(kind, str)(value)
    raise TypeError(f"{type(value).__name__} where {kind} was expected")


def decimal(value: Decimal) -> str:
    text = format(value, "f") if value else "0"
    return text.rstrip("0").rstrip(".") if "." in text else text


def milliseconds(value: timedelta) -> str:
    count, rest = divmod(value, MILLISECOND)
    if rest:
        raise ValueError(f"{value} is finer than a millisecond")
    return str(count)


SHOWN: dict[str, Callable[..., object]] = {
    "decimal": decimal,
    "money": decimal,
    "bool": bool,
    "duration": milliseconds,
    "datetime": lambda value: milliseconds(value - EPOCH),
}


def outcome(function: Callable[[], object], kind: object) -> object:
    try:
        return show(function(), kind)
    except DomainError as refusal:
        return {"refusal": refusal.detail}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


current_frame.set(RequestFrame("request", EPOCH + NOW * MILLISECOND))
print(json.dumps([outcome(function, kind) for function, kind in CASES]))  # noqa: T201 - that is what it is for
