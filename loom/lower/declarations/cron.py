"""Cron expressions of five fields: minute, hour, day of the month, month, day of the week.

In: a text. Out: whether every runner reads it in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_RANGE = re.compile(r"(\*|[0-9a-z]+(?:-[0-9a-z]+)?)(?:/([0-9]+))?")


class Field(NamedTuple):
    """The numbers that may stand there, and the names that stand for some."""

    least: int
    most: int
    names: Mapping[str, int]


_FIELDS = (
    Field(0, 59, {}),
    Field(0, 23, {}),
    Field(1, 31, {}),
    Field(1, 12, {name: index for index, name in enumerate(_MONTHS, 1)}),
    Field(0, 7, {name: index for index, name in enumerate(_DAYS)}),
)


def is_cron(text: str) -> bool:
    fields = text.lower().split()
    return len(fields) == len(_FIELDS) and all(map(_is_field, fields, _FIELDS))


def _is_field(text: str, field: Field) -> bool:
    return all(_is_range(item, field) for item in text.split(","))


def _is_range(text: str, field: Field) -> bool:
    found = _RANGE.fullmatch(text)
    if found is None or (found[2] is not None and not 1 <= int(found[2]) <= field.most):
        return False
    if found[1] == "*":
        return True
    ends = [_number(item, field) for item in found[1].split("-")]
    return all(field.least <= item <= field.most for item in ends) and ends == sorted(ends)


def _number(text: str, field: Field) -> int:
    """What an end of a range stands for; -1 for nothing."""
    return int(text) if text.isdecimal() else field.names.get(text, -1)
