"""What holds of every read and every save of an aggregate, and how its rows are laid out."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.expressions import Expr
from loom.ir.types import Type


class Shape(StrEnum):
    """How the rows of an aggregate are laid out: in tables, with a JSON column for each containment, or as one."""

    RELATIONAL = "relational"
    EMBEDDED = "embedded"
    DOCUMENT = "document"


class Filter(Value):
    """A condition of every read, in the queryable subset; `capability` is empty for one of the aggregate's own."""

    capability: str
    condition: Expr


class Stamp(Value):
    """An assignment of every save, on insert alone where `once`.

    Most stamps are written out in the bodies of what saves; these read the instance, so that it matters how
    often they run.
    """

    once: bool
    path: tuple[str, ...]
    type: Type
    value: Expr
