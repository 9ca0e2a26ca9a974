"""What several kinds of declarations have: parameters, gates, tests."""

from __future__ import annotations

from loom.base import Value
from loom.ir.expressions import Expr
from loom.ir.statements import Statement
from loom.ir.types import Type


class Parameter(Value):
    name: str
    type: Type
    default: Expr | None = None


class Test(Value):
    """A unit test. Names bound in it are locals; aggregates are made with CreateInstance.

    `verifies` is a test case, or empty.
    """

    sparse = ("verifies",)

    name: str
    body: tuple[Statement, ...]
    verifies: str = ""


class Gate(Value):
    condition: Expr
    source: str
