"""What bodies ask of repositories besides finds: criteria and retrievals."""

from __future__ import annotations

from loom.base import Value
from loom.ir.expressions import Expr
from loom.ir.members import Parameter
from loom.ir.statements import SortKey


class Criterion(Value):
    """A condition by which bodies read instances of `aggregate`; `where` as that of a find."""

    name: str
    aggregate: str
    parameters: tuple[Parameter, ...]
    where: Expr


class Retrieval(Value):
    """A named read of instances of `aggregate`; `where` as that of a find."""

    name: str
    aggregate: str
    parameters: tuple[Parameter, ...]
    where: Expr
    sort: tuple[SortKey, ...]
