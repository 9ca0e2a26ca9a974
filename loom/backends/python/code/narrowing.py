"""What mypy believes of enums where an expression stands, which is more and less than other checkers do.

In: conditions that hold or do not, values that are assigned. Out: the values that are left.
A written value that is assigned narrows nothing, a narrowed one does; `in` a written list narrows; what cannot be is
not checked at all. Kept by tests/conformance/test_expressions.py and tests/unit/backends/python/test_narrowing.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.emit.narrowing import NOWHERE, NULL, Known, Narrowing, Values, either, taken
from loom.ir import expressions as ir
from loom.ir.expressions import Domain, Expr, Fn
from loom.ir.types import EnumType, OptionalType, Type, bare
from loom.plan.code.refusable import order_matters

_PRESENT = frozenset({"present"})  # whatever an optional has that is no enum
_ABSENT = frozenset({NULL})


class PythonNarrowing(Narrowing):
    """What is known where mypy sees that nothing comes is NOWHERE, and stays so.

    `refused` are, in a loop, the sides of comparisons that mypy refuses in any of the rounds in which it reads it.
    """

    refused: set[tuple[Expr, Expr]] | None = None

    def all_of(self, kind: Type) -> Values | None:
        values = super().all_of(kind)
        return _PRESENT | _ABSENT if values is None and isinstance(kind, OptionalType) else values

    def is_decided(self, e: ir.Compare, known: Known) -> bool:
        """None may be compared with anything, and truths with each other."""
        if self.refused and (e.left, e.right) in self.refused:
            return True
        left, right = self.values(e.left, known), self.values(e.right, known)
        if e.domain is Domain.BOOL or left is None or right is None:
            return False
        left, right = left - _ABSENT, right - _ABSENT
        return bool(left) and bool(right) and not left & right

    def is_narrowed(self, e: Expr, known: Known) -> bool:
        """Whether `e` is for mypy of a type that has some of the values alone, and keeps it where it is assigned."""
        match taken(e):
            case ir.Conditional() as choice:
                return any(self.is_narrowed(branch, way) for branch, way in self.ways(choice, known))
            case ir.Convert(operand=operand):
                return self.is_narrowed(operand, known)
            case left:
                values = known.get(self.reference(left))
                return values is not None and values != self.all_of(left.type)

    def found_given(self, e: Expr, truth: bool, known: Known) -> Known:
        match e:
            case ir.Literal(text=text):
                return known if (text == "true") is truth else NOWHERE
            case ir.Conditional():
                return known
            case ir.Local() | ir.Field():
                return self.narrowed(e, (self.values(e, known) or frozenset()) & {"true" if truth else "false"}, known)
            case ir.Call(fn=Fn.CONTAINS, arguments=(ir.ListLiteral(items=items), value) as both):
                return known if order_matters(both) else self.among(value, items, truth, known)
            case _:
                return super().found_given(e, truth, known)

    def among(self, e: Expr, items: Sequence[Expr], truth: bool, known: Known) -> Known:
        """`e in [...]` is for mypy `==` with one after the other, but says nothing of what stands in the list."""
        found = NOWHERE
        for item in items:
            left, right = self.values(e, known), self.values(item, {})
            if left is None or right is None:
                return known
            found = either(found, self.narrowed(e, left & right, known))
            known = self.narrowed(e, left - right, known) if len(right) == 1 else known
        return found if truth else known

    def compared(self, e: ir.Compare, equal: bool, known: Known) -> Known:
        left, right = self.values(e.left, known), self.values(e.right, known)
        if e.domain is Domain.BOOL or left is None or right is None or left & right & _PRESENT:
            return known
        if self.is_decided(e, known):
            return known
        if not left & right:
            return NOWHERE if equal else known
        return super().compared(e, equal, known)

    def assigned(self, reference: str, value: Expr | None, known: Known) -> Known:
        kept = super().assigned(reference, None, known)
        return kept if value is None else {**kept, reference: self.left_by(value, known)}

    def bound(self, reference: str, value: Expr | None, known: Known) -> Known:
        """What is known behind what makes a local, which is spelled so that its type has every value of an enum."""
        kept = super().assigned(reference, None, known)
        if value is None:
            return kept
        values = self.left_by(value, known)
        every = self.all_of(bare(value.type)) or frozenset()
        return {**kept, reference: values | every if self.has_lost_values(value, known) else values}

    def has_lost_values(self, e: Expr, known: Known) -> bool:
        """Whether `e` is of an enum, and for mypy of a type that lacks values of it."""
        every = self.all_of(bare(e.type)) if isinstance(bare(e.type), EnumType) else None
        return every is not None and self.is_narrowed(e, known) and bool(every - (self.values(e, known) or every))

    def left_by(self, e: Expr, known: Known) -> Values:
        """What mypy believes of what `e` has been assigned to."""
        if self.is_narrowed(e, known):
            return self.values(e, known) or _PRESENT
        match taken(e):
            case ir.Null():
                return _ABSENT
            case ir.Conditional() as choice:
                return frozenset[str]().union(*(self.left_by(branch, way) for branch, way in self.ways(choice, known)))
            case left:
                return self.all_of(left.type) or _PRESENT

    def narrowed(self, e: Expr, values: Values, known: Known) -> Known:
        reference = self.reference(e)
        if not reference:
            return known
        return {**known, reference: values} if values else NOWHERE
