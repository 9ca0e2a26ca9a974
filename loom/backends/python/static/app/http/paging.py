"""Pages of lists: the query parameters and the answer around the items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query
from pydantic import PlainValidator

from app.http.query import query_integer_between
from app.http.wire import Text, refusal, text_string
from app.values.json_values import JsonValue

PageNumber = Annotated[int, PlainValidator(query_integer_between(1, 1_000_000))]
PageSize = Annotated[int, PlainValidator(query_integer_between(1, 500))]


@dataclass(frozen=True)
class PageRequest:
    """Which page of how many items, and in which direction."""

    page: int
    page_size: int
    descending: bool

    def offset(self) -> int:
        return (self.page - 1) * self.page_size

    def answer(self, items: Sequence[JsonValue], total: int) -> JsonValue:
        return {
            "items": items,
            "page": self.page,
            "pageSize": self.page_size,
            "total": total,
            "totalPages": -(-total // self.page_size),
        }


def _page_request(
    page: Annotated[PageNumber, Query()] = 1,
    page_size: Annotated[PageSize, Query(alias="pageSize")] = 20,
    direction: Annotated[Text, Query(alias="dir")] = "asc",
) -> PageRequest:
    return PageRequest(page, page_size, direction == "desc")


PageParameters = Annotated[PageRequest, Depends(_page_request)]


def sort_field(*names: str) -> Callable[[object], str]:
    """A validator of the fields that a list can be sorted by."""

    def validate(value: object) -> str:
        name = text_string(value)
        if name not in names:
            raise refusal(f"must be one of {{{', '.join(names)}}}")
        return name

    return validate
