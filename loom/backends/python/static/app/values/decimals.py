"""Decimals: exact arithmetic, rounded half-even to 12 places, below 10^16."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from app.errors import DomainError

Number = int | Decimal

PLACES = 12
_LIMIT = Decimal(10) ** 16
_MONEY_LIMIT = Decimal(10) ** 15
_STEP = Decimal(1).scaleb(-PLACES)
_CENT_OF_CENT = Decimal("0.0001")
# Wide enough for the exact product of two decimals.
_EXACT = Context(prec=80, rounding=ROUND_HALF_EVEN)


def decimal(value: Number) -> Decimal:
    """`value` rounded half-even to 12 places."""
    exact = Decimal(value)
    if abs(exact) >= _LIMIT:
        raise DomainError("arithmetic overflow")
    return exact.quantize(_STEP, context=_EXACT)


def add(left: Number, right: Number) -> Decimal:
    return decimal(_EXACT.add(left, right))


def subtract(left: Number, right: Number) -> Decimal:
    return decimal(_EXACT.subtract(left, right))


def negated(value: Decimal) -> Decimal:
    return decimal(-value)


def multiply(left: Number, right: Number) -> Decimal:
    return decimal(_EXACT.multiply(left, right))


def divide(dividend: Number, divisor: Number) -> Decimal:
    """The exact quotient, rounded half-even to 12 places."""
    if divisor == 0:
        raise DomainError("division by zero")
    steps = round(Fraction(dividend) / Fraction(divisor) * 10**PLACES)
    return decimal(Decimal(steps).scaleb(-PLACES, _EXACT))


def remainder(dividend: Number, divisor: Number) -> Decimal:
    """What is left of the dividend, with its sign."""
    if divisor == 0:
        raise DomainError("division by zero")
    return decimal(_EXACT.remainder(dividend, divisor))


def round_half_away(value: Decimal, places: int = 0) -> Decimal:
    """`value` rounded to `places`, halves away from zero."""
    step = Decimal(1).scaleb(-max(min(places, PLACES), -20))
    return decimal(value.quantize(step, ROUND_HALF_UP, _EXACT))


def floor(value: Decimal) -> Decimal:
    return decimal(value.to_integral_value(ROUND_FLOOR))


def ceil(value: Decimal) -> Decimal:
    return decimal(value.to_integral_value(ROUND_CEILING))


def money(value: Decimal) -> Decimal:
    """`value` as it is stored and sent: 4 places, halves away from zero, below 10^15."""
    amount = value.quantize(_CENT_OF_CENT, ROUND_HALF_UP, _EXACT)
    if abs(amount) >= _MONEY_LIMIT:
        raise DomainError("arithmetic overflow")
    return amount


def money_text(value: Decimal) -> str:
    """Exactly four places, and no minus before zero."""
    amount = money(value)
    return format(amount if amount else abs(amount), "f")


def decimal_text(value: Decimal) -> str:
    """Plain digits: no exponent, no trailing zeros, no minus before zero."""
    text = format(value, "f") if value else "0"
    return text.rstrip("0").rstrip(".") if "." in text else text
