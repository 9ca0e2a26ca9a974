"""Types of request members: strict, and refusing with the texts of the contract."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Context, Decimal
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, PlainValidator, ValidatorFunctionWrapHandler
from pydantic_core import PydanticCustomError

from app.values.instants import parse_instant
from app.values.json_values import JsonValue, LongInteger, is_plain

Member = TypeVar("Member", bound=StrEnum)
Checked = TypeVar("Checked")

INT32 = (-(2**31), 2**31 - 1)
INT64 = (-(2**63), 2**63 - 1)
LARGEST_DECIMAL = Decimal("9999999999999999.999999999999")
LARGEST_MONEY = Decimal("999999999999999.9999")

_TWELFTH_PLACE = Decimal("1e-12")
_WIDE = Context(prec=40)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_MONEY = re.compile(r"-?\d+(?:\.\d{1,4})?", re.ASCII)
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class RequestModel(BaseModel):
    """A JSON object in a request: members that the contract does not name are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class EmptyRequest(RequestModel):
    """The body of a request that has nothing to say."""


def refusal(message: str, code: str = "") -> PydanticCustomError:
    """The error that puts exactly `message`, and a code of the author's, into the answer."""
    return PydanticCustomError("refused", "{message}", {"message": message, "code": code})


def field_check(
    holds: Callable[[Checked], bool], message: str, code: str = ""
) -> Callable[[Checked], Checked]:
    """A validator that an author wrote for one field."""

    def validate(value: Checked) -> Checked:
        if not holds(value):
            raise refusal(message, code)
        return value

    return validate


def _present(value: object) -> object:
    if value is None:
        raise refusal("must not be null")
    return value


def empty_if_null(value: object, validate: ValidatorFunctionWrapHandler) -> object:
    """Null as an empty list, whatever is checked of one that is there."""
    return [] if value is None else validate(value)


def integer_between(minimum: int, maximum: int) -> Callable[[object], int]:
    """A validator of integers within bounds, both included."""

    def validate(value: object) -> int:
        number = _integer(_present(value))
        if not minimum <= number <= maximum:
            raise refusal(f"must be between {minimum} and {maximum}")
        return int(number)

    return validate


def _integer(value: object) -> int | Decimal:
    match value:
        case bool():
            raise refusal("must be an integer")
        case int() | LongInteger():
            return value
        case _:
            raise refusal("must be an integer")


def decimal_number(value: object) -> Decimal:
    """A JSON number of at most 12 places."""
    match _present(value):
        case bool():
            raise refusal("must be a number")
        case int() | Decimal() as number:
            amount = _within(LARGEST_DECIMAL, Decimal(number))
        case _:
            raise refusal("must be a number")
    if amount != amount.quantize(_TWELFTH_PLACE, context=_WIDE):
        raise refusal("must have at most 12 decimal places")
    return amount


def money_string(value: object) -> Decimal:
    """An amount of at most 4 places, as text."""
    match _present(value):
        case str() as text if _MONEY.fullmatch(text):
            return _within(LARGEST_MONEY, Decimal(text))
        case _:
            raise refusal("must be a decimal string with at most 4 places")


def _within(largest: Decimal, number: Decimal) -> Decimal:
    if abs(number) > largest:
        raise refusal(f"must be between -{largest} and {largest}")
    return number


def text_string(value: object) -> str:
    """Text that the database can hold."""
    match _present(value):
        case str() as text if not _UNSTORABLE.search(text):
            return text
        case _:
            raise refusal("must be a string")


def flag(value: object) -> bool:
    match _present(value):
        case bool() as truth:
            return truth
        case _:
            raise refusal("must be true or false")


def uuid_string(value: object) -> str:
    """A UUID, in lower case."""
    match _present(value):
        case str() as text if _UUID.fullmatch(text):
            return text.lower()
        case _:
            raise refusal("must be a UUID")


def instant(value: object) -> datetime:
    """A date-time with an offset; anything finer than a millisecond is dropped."""
    match _present(value):
        case str() as text if (parsed := parse_instant(text)) is not None:
            return parsed
        case _:
            raise refusal("must be a date-time with offset")


def json_value(value: object) -> JsonValue:
    """Anything but null, as long as its texts can be stored."""
    return _storable(_present(value))


def _storable(value: object) -> JsonValue:
    match value:
        case dict():
            return {text_string(name): _storable(item) for name, item in value.items()}
        case list():
            return [_storable(item) for item in value]
        case str():
            return text_string(value)
        case Decimal() if not is_plain(value):
            raise refusal("must be a number")
        case bool() | int() | Decimal() | None:
            return value
        case _:
            raise refusal("must be JSON")


def member_of(enum: type[Member]) -> Callable[[object], Member]:
    """A validator of the declared spellings of an enum."""
    by_name = {member.value: member for member in enum}
    names = ", ".join(by_name)

    def validate(value: object) -> Member:
        match _present(value):
            case str() as text if text in by_name:
                return by_name[text]
            case _:
                raise refusal(f"must be one of {{{names}}}")

    return validate


Int32 = Annotated[int, PlainValidator(integer_between(*INT32))]
Int64 = Annotated[int, PlainValidator(integer_between(*INT64))]
DecimalNumber = Annotated[Decimal, PlainValidator(decimal_number)]
Money = Annotated[Decimal, PlainValidator(money_string)]
Text = Annotated[str, PlainValidator(text_string)]
Flag = Annotated[bool, PlainValidator(flag)]
UuidString = PlainValidator(uuid_string)
Guid = Annotated[str, UuidString]
Instant = Annotated[datetime, PlainValidator(instant)]
# pydantic resolves no recursive alias, so what the validator returns is not said again here.
Json = Annotated[Any, PlainValidator(json_value)]
