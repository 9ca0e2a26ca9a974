"""The nodes that every other kind uses: references, types, and what is not understood yet."""

from __future__ import annotations

from typing import dataclass_transform

import msgspec


@dataclass_transform(frozen_default=True)
class Node(msgspec.Struct, frozen=True, omit_defaults=True, tag=True, tag_field=""):
    """What an author wrote; nodes are equal when all that they hold is. As JSON each says its kind."""


class NameRef(Node):
    """A bare name that refers to a declaration: `from Billing`, `serves: BillingApi`."""

    at: int
    name: str


class Unsupported(Node):
    """A construct that is legal but not understood yet; `feature` is a noun, `name` may be empty."""

    at: int
    feature: str
    name: str


class TypeRef(Node):
    """`X`, `X id`, `X[]`, `X?`; `carriers` holds `paged`, `envelope` or `option`, `others` what `or` adds."""

    at: int
    name: str
    is_id: bool = False
    is_list: bool = False
    is_optional: bool = False
    carriers: tuple[str, ...] = ()
    others: tuple[TypeRef, ...] = ()
