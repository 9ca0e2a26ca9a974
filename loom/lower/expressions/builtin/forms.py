"""The functions that every model has, by name, each in the form in which it is called."""

from __future__ import annotations

from collections.abc import Mapping

FORMS: Mapping[str, str] = {
    "string": "string(x)",
    "long": "long(x)",
    "decimal": "decimal(x)",
    "money": "money(x)",
    "days": "days(n)",
    "hours": "hours(n)",
    "minutes": "minutes(n)",
    "now": "now()",
    "isBlank": "isBlank(s)",
    "isPresent": "isPresent(s)",
    "truncate": "truncate(s, n)",
    "clamp": "clamp(x, low, high)",
    "percentOf": "percentOf(part, whole)",
    "roundTo": "roundTo(x, places)",
    "isOverdue": "isOverdue(t)",
    "isPast": "isPast(t)",
    "isFuture": "isFuture(t)",
}
