"""What the two sides of an expectation are compared by: their JSON, or the amounts or instants that texts write.

In: an expectation, the shapes of its sides. Out: a word of the script.
Never: whether such sides can be compared at all (`expectations.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from loom.ir.scenarios import Json, JsonText
from loom.ir.statements import Matcher
from loom.ir.types import DATETIME, MONEY, OptionalType
from loom.plan.scenarios.shapes import Shape

Side = tuple[Json, Shape]
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})")
_AMOUNT = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class By(StrEnum):
    JSON = "json"
    AMOUNT = "amount"
    INSTANT = "instant"


def compared_by(matcher: Matcher, sides: Iterable[Side]) -> By:
    """Texts of equal amounts can differ, and the texts of two instants are not in the order of these."""
    present = [(value, _present(shape)) for value, shape in sides]
    shapes = [shape for _, shape in present]
    if MONEY in shapes:
        return By.AMOUNT
    if matcher is Matcher.TO_BE_SAME_INSTANT:
        return By.INSTANT
    is_order = matcher is not Matcher.TO_BE and DATETIME in shapes
    return (
        By.INSTANT if is_order and all(shape == DATETIME or is_instant(value) for value, shape in present) else By.JSON
    )


def is_amount(value: Json) -> bool:
    return isinstance(value, JsonText) and _AMOUNT.fullmatch(value.text) is not None


def is_instant(value: Json) -> bool:
    """Whether it writes a time with an offset, not the beginning of one."""
    return isinstance(value, JsonText) and _INSTANT.fullmatch(value.text) is not None


def _present(shape: Shape) -> Shape:
    return shape.of if isinstance(shape, OptionalType) else shape
