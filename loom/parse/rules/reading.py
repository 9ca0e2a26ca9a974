"""The rules of retrievals, and of reads that lift filters.

In: tokens and what stands inside. Out: retrievals, selections.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.parse.ast import (
    Evaluate,
    Expression,
    Ignoring,
    InlineRetrieval,
    NameRef,
    Parameter,
    Retrieval,
    Selection,
    SortKey,
    TypeRef,
)
from loom.parse.draft import Draft

_DIRECTIONS = ("asc", "desc")


class _Ordering(NamedTuple):
    at: int
    name: str
    keys: tuple[SortKey, ...]


def retrieval(
    d: Draft, keyword: int, token: int, parameters: list[Parameter], of: TypeRef, where: Expression
) -> Retrieval:
    return full_retrieval(d, keyword, token, parameters, of, Selection(where.at, where))


def full_retrieval(
    d: Draft, keyword: int, token: int, parameters: list[Parameter], of: TypeRef, selected: Selection
) -> Retrieval:
    return Retrieval(d.numbers[token], d.texts[token], tuple(parameters), of, selected)


def inline_retrieval(d: Draft, token: int, selected: Selection) -> InlineRetrieval:
    return InlineRetrieval(d.numbers[token], selected)


def selection(d: Draft, token: int, where: Expression, written: list[_Ordering] | None = None) -> Selection:
    if d.texts[token] != "where":
        d.reject(d.numbers[token], f"`{d.texts[token]}:` before `where:`", "write `where: …` first")
    found: dict[str, _Ordering] = {}
    for item in written or ():
        if item.name not in ("sort", "loads"):
            d.reject(item.at, f"unknown clause `{item.name}:`", "expected `sort:` or `loads:`")
        elif item.name in found:
            d.reject(item.at, f"a second `{item.name}:`", "write it once")
        found.setdefault(item.name, item)
    loads = NameRef(found["loads"].at, "loads") if "loads" in found else None
    return Selection(d.numbers[token], where, found["sort"].keys if "sort" in found else (), loads)


def ordering(d: Draft, token: int, keys: list[SortKey] | int, comma: int = 0) -> _Ordering:
    return _Ordering(d.numbers[token], d.texts[token], () if isinstance(keys, int) else tuple(keys))


def sort_key(d: Draft, path: NameRef, direction: int = -1) -> SortKey:
    if direction >= 0 and d.texts[direction] not in _DIRECTIONS:
        d.reject(d.numbers[direction], f"`{d.texts[direction]}` behind a path", "expected `asc` or `desc`")
    return SortKey(path.at, path.name, direction >= 0 and d.texts[direction] == "desc")


def own_path(d: Draft, this: int, token: int) -> NameRef:
    return NameRef(d.numbers[token], d.texts[token])


def listed_path(d: Draft, before: NameRef, token: int) -> NameRef:
    return NameRef(before.at, f"{before.name}[]")


def ignoring(d: Draft, target: Expression, token: int, names: list[NameRef] | int) -> Ignoring:
    """`*` stands for all."""
    listed = names if isinstance(names, list) else [NameRef(d.numbers[names], "*")]
    return Ignoring(d.numbers[token], target, tuple(listed))


def ignoring_call(d: Draft, target: Expression, token: int, names: list[NameRef] | int) -> Evaluate:
    made = ignoring(d, target, token, names)
    return Evaluate(made.at, made)
