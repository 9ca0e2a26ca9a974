"""What other languages call the built-in members that there are.

In: an unknown name, and the members that are known. Out: the one that is meant.
"""

from __future__ import annotations

from collections.abc import Collection

from loom.base import nearest

_ELSEWHERE = {
    **dict.fromkeys(("len", "length", "size"), ("count", "length")),
    **dict.fromkeys(("filter", "findAll"), ("where",)),
    **dict.fromkeys(("collect", "select"), ("map",)),
    **dict.fromkeys(("every",), ("all",)),
    **dict.fromkeys(("exists", "some"), ("any",)),
    **dict.fromkeys(("has", "includes"), ("contains",)),
    **dict.fromkeys(("average", "mean"), ("avg",)),
    **dict.fromkeys(("order", "orderBy", "sort", "sorted"), ("sortBy",)),
    **dict.fromkeys(("unique", "uniq", "toSet"), ("distinct",)),
    **dict.fromkeys(("limit",), ("take",)),
    **dict.fromkeys(("drop", "offset"), ("skip",)),
    **dict.fromkeys(("find", "firstOrDefault"), ("firstOrNull",)),
    **dict.fromkeys(("lower", "lowercase", "toLowerCase", "downcase"), ("toLower",)),
    **dict.fromkeys(("upper", "uppercase", "toUpperCase", "upcase"), ("toUpper",)),
    **dict.fromkeys(("slice", "substr"), ("substring",)),
    **dict.fromkeys(("match", "test"), ("matches",)),
    **dict.fromkeys(("replaceAll", "gsub"), ("replace",)),
    **dict.fromkeys(("strip",), ("trim",)),
    **dict.fromkeys(("ceiling",), ("ceil",)),
}
_CHANGES = {
    **dict.fromkeys(("add", "append", "insert", "push"), "+="),
    **dict.fromkeys(("delete", "remove"), "-="),
}


def built_in(name: str, known: Collection[str]) -> str:
    """Which of the `known` members is meant by `name`, or the operator that changes a collection; else empty."""
    meant = next((item for item in _ELSEWHERE.get(name, ()) if item in known), "")
    if not meant and "count" in known:
        meant = _CHANGES.get(name, "")
    return meant or nearest(name, known)
