"""The nodes that every other kind uses: references, types, and what is not understood yet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NameRef:
    """A bare name that refers to a declaration: `from Billing`, `serves: BillingApi`."""

    at: int
    name: str


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A construct that is legal but not understood yet; `feature` is a noun, `name` may be empty."""

    at: int
    feature: str
    name: str


@dataclass(frozen=True, slots=True)
class TypeRef:
    """`X`, `X id`, `X[]`, `X?`; `carriers` holds `paged`, `envelope` or `option`, `others` what `or` adds."""

    at: int
    name: str
    is_id: bool = False
    is_list: bool = False
    is_optional: bool = False
    carriers: tuple[str, ...] = ()
    others: tuple[TypeRef, ...] = ()
