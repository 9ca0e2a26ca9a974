"""Integers that do not wrap: results outside 32 or 64 bits are errors."""

from __future__ import annotations

from app.errors import DomainError


def int32(value: int) -> int:
    """`value`, which must fit 32 bits."""
    if -(2**31) <= value < 2**31:
        return value
    raise DomainError("arithmetic overflow")


def int64(value: int) -> int:
    """`value`, which must fit 64 bits."""
    if -(2**63) <= value < 2**63:
        return value
    raise DomainError("arithmetic overflow")


def truncated_quotient(dividend: int, divisor: int) -> int:
    """The quotient rounded toward zero."""
    if divisor == 0:
        raise DomainError("division by zero")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def remainder(dividend: int, divisor: int) -> int:
    """What is left of the dividend, with its sign."""
    if divisor == 0:
        raise DomainError("division by zero")
    rest = abs(dividend) % abs(divisor)
    return -rest if dividend < 0 else rest
