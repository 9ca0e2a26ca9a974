"""Types of query parameters: numbers and flags, read from text as strictly as from JSON."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated

from pydantic import PlainValidator

from app.http.wire import INT32, INT64, decimal_number, flag, integer_between
from app.values.json_values import parse_number

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_FLAGS = {"true": True, "false": False}


def _number(text: object) -> object:
    """What a JSON body would have held in the place of the text."""
    return parse_number(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else text


def query_integer_between(minimum: int, maximum: int) -> Callable[[object], int]:
    """A validator of integers written in decimal digits."""
    validate = integer_between(minimum, maximum)
    return lambda text: validate(_number(text))


def _query_decimal(text: object) -> Decimal:
    return decimal_number(_number(text))


def _query_flag(text: object) -> bool:
    return flag(_FLAGS.get(text, text) if isinstance(text, str) else text)


QueryInt32 = Annotated[int, PlainValidator(query_integer_between(*INT32))]
QueryInt64 = Annotated[int, PlainValidator(query_integer_between(*INT64))]
QueryDecimal = Annotated[Decimal, PlainValidator(_query_decimal)]
QueryFlag = Annotated[bool, PlainValidator(_query_flag)]
