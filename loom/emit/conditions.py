"""Conditions of finds for a query builder: one recursion, and a method for each kind.

In: conditions of the Plan. Out: texts of the target. Never: a query that is run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import assert_never

from loom.ir.expressions import Domain, Expr, Fn
from loom.plan.queries import (
    AllOf,
    AnyOf,
    ArrayHolds,
    ColumnOperand,
    Compared,
    Condition,
    Fixed,
    IsNull,
    IsTrue,
    MappedOperand,
    NotTrue,
    Operand,
    RowHolds,
    TextTest,
    WidenedOperand,
)


class Conditions(ABC):
    """What a method is given of a condition's own parts is spelled already, but for values."""

    def truth(self, e: Condition) -> str:  # noqa: C901 - one arm a kind
        match e:
            case Fixed(value=value):
                return self.fixed(value)
            case AllOf(conditions=conditions):
                return self.all_of([self.truth(item) for item in conditions])
            case AnyOf(conditions=conditions):
                return self.any_of([self.truth(item) for item in conditions])
            case NotTrue(condition=condition):
                return self.not_true(self.truth(condition))
            case IsTrue(operand=operand):
                return self.is_true(self.operand(operand))
            case IsNull(operand=operand, negated=negated):
                return self.is_null(self.operand(operand), negated=negated)
            case Compared():
                return self.compared(e)
            case TextTest(fn=fn, operand=operand, value=value):
                return self.text_test(fn, self.operand(operand), value)
            case ArrayHolds(operand=operand, value=value):
                return self.array_holds(self.operand(operand), value)
            case RowHolds(field=field, value=value):
                return self.row_holds(field, value)
        assert_never(e)

    def operand(self, e: Operand) -> str:
        match e:
            case ColumnOperand(column=name):
                return self.column(name)
            case MappedOperand(fn=fn, of=inner):
                return self.mapped(fn, self.operand(inner))
            case WidenedOperand(domain=domain, of=inner):
                return self.widened(domain, self.operand(inner))
        assert_never(e)

    @abstractmethod
    def fixed(self, value: Expr) -> str: ...
    @abstractmethod
    def all_of(self, truths: Sequence[str]) -> str: ...
    @abstractmethod
    def any_of(self, truths: Sequence[str]) -> str: ...
    @abstractmethod
    def not_true(self, truth: str) -> str: ...
    @abstractmethod
    def is_true(self, operand: str) -> str: ...
    @abstractmethod
    def is_null(self, operand: str, *, negated: bool) -> str: ...
    @abstractmethod
    def compared(self, e: Compared) -> str: ...
    @abstractmethod
    def text_test(self, fn: Fn, operand: str, value: Expr) -> str: ...
    @abstractmethod
    def array_holds(self, operand: str, value: Expr) -> str: ...
    @abstractmethod
    def row_holds(self, field: str, value: Expr) -> str: ...
    @abstractmethod
    def column(self, name: str) -> str: ...
    @abstractmethod
    def mapped(self, fn: Fn, operand: str) -> str: ...
    @abstractmethod
    def widened(self, domain: Domain, operand: str) -> str: ...
