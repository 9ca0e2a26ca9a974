"""JSON without floating point: numbers are read and written as the digits that were sent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from starlette.responses import Response

from app.errors import MalformedJsonError
from app.values.decimals import decimal_text
from app.values.json_values import JsonValue

MAXIMUM_DEPTH = 64
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)
# Longer integers are kept as decimals: reading them as integers takes quadratic time.
_INTEGER_DIGITS = 40


def parse_json(body: bytes) -> object:
    """The value of a JSON text; the last of duplicate members wins."""
    try:
        text = body.decode("utf-8")
        if _depth(text) > MAXIMUM_DEPTH:
            raise MalformedJsonError
        return json.loads(
            text,
            parse_int=parse_number,
            parse_float=parse_number,
            parse_constant=_refuse_constant,
        )
    except ValueError as error:
        raise MalformedJsonError from error


def parse_number(digits: str) -> int | Decimal:
    """A JSON number, exactly."""
    if digits.lstrip("-").isdigit() and len(digits) <= _INTEGER_DIGITS:
        return int(digits)
    try:
        return Decimal(digits)
    except InvalidOperation:  # an exponent that no decimal holds
        return Decimal("Infinity")


def json_text(value: JsonValue) -> str:
    """The shortest JSON text of a value."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case Decimal():
            return decimal_text(value)
        case Mapping():
            members = (f"{json_text(key)}:{json_text(item)}" for key, item in value.items())
            return "{" + ",".join(members) + "}"
        case Sequence():
            return "[" + ",".join(map(json_text, value)) + "]"
        case _:
            return json.dumps(value)


def json_response(
    value: JsonValue, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(json_text(value), status, headers, media_type="application/json")


def _depth(text: str) -> int:
    depth = deepest = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        match token[0][0]:
            case "[" | "{":
                depth += 1
                deepest = max(deepest, depth)
            case "]" | "}":
                depth -= 1
    return deepest


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")
