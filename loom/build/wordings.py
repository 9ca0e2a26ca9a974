"""What a library has against a value of a settings file, in our words.

In: what pydantic found. Out: what is wrong with the value, and what to write. Never: pydantic's own sentences.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic_core import ErrorDetails

from loom.base import nearest

_LIST = ("must be a list", "write it as in `[one, two]`")
_KEYS = ("must be keys with values", "write them as in `{key: value}`, or one a line, indented")
_WHOLE = ("must be a whole number", "write digits alone")
_TEXT = ("must be a text", "put it into double quotes")
_EMPTY = ("must not be empty", "name at least one")
_KINDS: Mapping[str, tuple[str, str]] = {
    "string_type": _TEXT,
    "dict_type": _KEYS,
    "model_type": _KEYS,
    "model_attributes_type": _KEYS,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "bool_type": ("must be `true` or `false`", "write one of them"),
    "bool_parsing": ("must be `true` or `false`", "write one of them"),
    "too_short": _EMPTY,
    "string_too_short": _EMPTY,
}
_BOUNDS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def worded(problem: ErrorDetails) -> tuple[str, str]:
    """What the value must be, and a hint, which is empty where the first says all."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in _KINDS:
        return _KINDS[kind]
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {context[name]}", "write another number"
    if kind in ("literal_error", "enum"):
        return _choice(str(problem["input"]), re.findall(r"'([^']*)'", str(context["expected"])))
    if kind == "string_pattern_mismatch":
        return f"must be of the form `{context['pattern']}`", ""
    text = problem["msg"].removeprefix("Value error, ")
    return text if kind == "value_error" else text[:1].lower() + text[1:], ""


def _choice(found: str, allowed: list[str]) -> tuple[str, str]:
    near = nearest(found, allowed)
    words = ", ".join(allowed)
    return f"`{found}` is not one of {words}", f"did you mean `{near}`?" if near else f"write one of {words}"
