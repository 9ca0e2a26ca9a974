"""JSON without floating point: numbers are read and written as the digits that were sent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, InvalidOperation
from typing import TypeAlias

from app.values.decimals import decimal_text

JsonValue: TypeAlias = (
    "Mapping[str, JsonValue] | Sequence[JsonValue] | str | int | Decimal | bool | None"
)

MAXIMUM_DEPTH = 64
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', re.DOTALL)
_INTEGER_DIGITS = 40
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


class LongInteger(Decimal):
    """An integer of more digits than any of ours: reading it as an integer takes quadratic time."""


def parse_json(text: str | bytes) -> object:
    """The value of a JSON text; the last of duplicate members wins. ValueError when it is none."""
    text = text if isinstance(text, str) else text.decode("utf-8")
    if _depth(text) > MAXIMUM_DEPTH:
        raise ValueError(f"nested deeper than {MAXIMUM_DEPTH} levels")
    return json.loads(
        text,
        parse_int=parse_number,
        parse_float=parse_number,
        parse_constant=_refuse_constant,
    )


def parse_number(digits: str) -> int | Decimal:
    """A JSON number, exactly."""
    if digits.lstrip("-").isdigit():
        return int(digits) if len(digits) <= _INTEGER_DIGITS else LongInteger(digits)
    try:
        return Decimal(digits)
    except InvalidOperation:  # an exponent that no decimal holds
        return Decimal("Infinity")


def is_plain(number: Decimal) -> bool:
    """Whether `number` can be written without an exponent, in the digits that any double has."""
    if not number.is_finite():
        return False
    least = number.normalize(_EXACT).as_tuple().exponent
    return number.is_zero() or (number.adjusted() <= 308 and int(least) >= -340)


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
