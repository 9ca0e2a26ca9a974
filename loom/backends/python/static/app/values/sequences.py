"""Functions over collections that the language of the domain has and Python has not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import TypeVar

from app.errors import DomainError
from app.values import decimals, integers

Item = TypeVar("Item")
Result = TypeVar("Result")


def folded(
    step: Callable[[Result, Item], Result], first: Result, *later: Callable[[], Item]
) -> Result:
    """What so many steps make of the first value; each other value is asked for at its step."""
    result = first
    for value in later:
        result = step(result, value())
    return result


def int32_sum(values: Iterable[int]) -> int:
    """The sum, 0 for nothing; every step must fit 32 bits."""
    total = 0
    for value in values:
        total = integers.int32(total + value)
    return total


def int64_sum(values: Iterable[int]) -> int:
    """The sum, 0 for nothing; every step must fit 64 bits."""
    total = 0
    for value in values:
        total = integers.int64(total + value)
    return total


def decimal_sum(values: Iterable[Decimal]) -> Decimal:
    """The sum, 0 for nothing."""
    total = Decimal(0)
    for value in values:
        total = decimals.add(total, value)
    return total


def average(values: Iterable[Decimal]) -> Decimal | None:
    """The mean, None for nothing."""
    total, count = Decimal(0), 0
    for value in values:
        total = decimals.add(total, value)
        count += 1
    return decimals.divide(total, count) if count else None


def first(items: Sequence[Item]) -> Item:
    if not items:
        raise DomainError("empty collection")
    return items[0]


def contains(items: Sequence[Item], item: Item) -> bool:
    return item in items


def distinct(items: Iterable[Item]) -> list[Item]:
    """Each item once, where it first stood; an item that holds a list cannot be hashed."""
    found: list[Item] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found


def take(items: Sequence[Item], count: int) -> list[Item]:
    return list(items[: max(count, 0)])


def skip(items: Sequence[Item], count: int) -> list[Item]:
    return list(items[max(count, 0) :])
