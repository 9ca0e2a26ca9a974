"""What a type checker believes of enums and truths where an expression stands.

In: conditions that hold or do not, values that are assigned. Out: the values that are left, by the text of what has
them. A checker refuses a comparison of values that cannot be equal; a backend spells those so that it looks away, and
says by a subclass where its checker concludes otherwise.
Kept by tests/conformance/test_expressions.py, which asks the checkers themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, cast

from loom.ir import expressions as ir
from loom.ir.expressions import Comparison, Expr, Logic
from loom.ir.types import BOOL, EnumType, OptionalType, Ref, Type

T = TypeVar("T")

Values = frozenset[str]
Known = Mapping[str, Values]
NULL = "null"
NOWHERE: Known = {"": frozenset()}  # what is known where the checker believes that nothing ever comes
_OPPOSITES = {"true": "false", "false": "true"}
_TRUTHS = frozenset(_OPPOSITES)


class Narrowing:
    """`enums` are the values of each enum, `spelled` is how the renderer writes a reference.

    What a part of an expression has, and what follows from it, is wanted for both of its truths and by all around it.
    So what was found is kept until the question that asked for it is answered: each part is then looked at once, where
    it would be looked at twice as often with each condition in a condition.
    """

    def __init__(self, enums: Mapping[Ref, Values], spelled: Callable[[Expr], str]) -> None:
        self.enums = enums
        self.spelled = spelled
        # By the question, and by the identity of its expression and of what is known, which are held lest they go.
        self._found: dict[tuple[str, int, int], tuple[object, Expr, Known]] = {}
        self._is_asked = False

    def _once(self, question: str, e: Expr, known: Known, answer: Callable[[Expr, Known], T]) -> T:
        key = (question, id(e), id(known))
        if self._is_asked:
            if key not in self._found:
                self._found[key] = (answer(e, known), e, known)
            return cast(T, self._found[key][0])
        self._is_asked = True
        try:
            return answer(e, known)
        finally:
            self._is_asked = False
            self._found.clear()

    def all_of(self, kind: Type) -> Values | None:
        """All values of an enum or a truth; nothing of other types."""
        match kind:
            case OptionalType(of=inner):
                values = self.all_of(inner)
                return None if values is None else values | {NULL}
            case EnumType(ref=ref):
                return self.enums.get(ref)
            case _:
                return _TRUTHS if kind == BOOL else None

    def values(self, e: Expr, known: Known) -> Values | None:
        """Those that `e` may have."""
        return self._once("values", e, known, self.found_values)

    def found_values(self, e: Expr, known: Known) -> Values | None:
        match taken(e):
            case ir.EnumLiteral(value=value) | ir.Literal(text=value, type=EnumType()):
                return frozenset({value})
            case ir.Literal(text=text):
                return frozenset({text}) if e.type == BOOL else None
            case ir.Null():
                return frozenset({NULL})
            case ir.Conditional() as choice:
                return self.chosen(choice, known)
            case ir.Convert(operand=operand):
                return self.values(operand, known)
            case ir.Not(operand=operand):
                return frozenset(_OPPOSITES[value] for value in self.values(operand, known) or _TRUTHS)
            case ir.Logical() as chain:
                return self.outcomes(chain, known)
            case _:
                return known.get(self.reference(e)) or self.all_of(e.type)

    def chosen(self, e: ir.Conditional, known: Known) -> Values | None:
        """What the branches that may be taken give."""
        found = frozenset[str]()
        for branch, way in self.ways(e, known):
            values = self.values(branch, way)
            if values is None:
                return None
            found |= values
        return found

    def ways(self, e: ir.Conditional, known: Known) -> list[tuple[Expr, Known]]:
        """The branches that may be taken, and what is known in each."""
        both = ((e.then, self.given(e.condition, True, known)), (e.otherwise, self.given(e.condition, False, known)))
        return [(branch, way) for branch, way in both if "" not in way]

    def outcomes(self, e: ir.Logical, known: Known) -> Values:
        """What a chain may give: an operand that ends it, or the last one."""
        ending, found = "false" if e.op is Logic.AND else "true", frozenset[str]()
        for operand in e.operands:
            values = self.values(operand, known) or _TRUTHS
            known = self.given(operand, e.op is Logic.AND, known)
            found = (found & {ending}) | values
            if values == {ending}:
                break
        return found

    def reference(self, e: Expr) -> str:
        """How what the checker follows is spelled: a name, a field of it."""
        inner = e
        while isinstance(inner, ir.Field):
            inner = inner.receiver
        return self.spelled(e) if isinstance(inner, ir.Local | ir.This) and not isinstance(e, ir.This) else ""

    def is_decided(self, e: ir.Compare, known: Known) -> bool:
        """Whether no value of one side can be a value of the other."""
        left, right = self.values(e.left, known), self.values(e.right, known)
        return left is not None and right is not None and not left & right

    def given(self, e: Expr, truth: bool, known: Known) -> Known:
        """What is known where `e` has that truth."""
        return self._once(f"given {truth}", e, known, lambda e, known: self.found_given(e, truth, known))

    def found_given(self, e: Expr, truth: bool, known: Known) -> Known:
        match e:
            case ir.Not(operand=operand):
                return self.given(operand, not truth, known)
            case ir.Logical(op=op, operands=operands):
                return self.chain(operands, truth, known, is_all=op is Logic.AND)
            case ir.Compare(op=Comparison.EQ | Comparison.NE):
                return self.compared(e, truth is (e.op is Comparison.EQ), known)
            case ir.Local() | ir.Field() if e.type == BOOL:
                return self.narrowed(e, frozenset({"true" if truth else "false"}), known)
            case ir.Conditional(condition=test, then=then, otherwise=otherwise):
                first = self.given(then, truth, self.given(test, True, known))
                return either(first, self.given(otherwise, truth, self.given(test, False, known)))
            case _:
                return known

    def chain(self, operands: Sequence[Expr], truth: bool, known: Known, *, is_all: bool) -> Known:
        """A chain that holds as a whole, or that any operand ends."""
        *others, last = operands
        found = NOWHERE
        for operand in others:
            if truth is not is_all:
                found = either(found, self.given(operand, truth, known))
            known = self.given(operand, is_all, known)
        return either(found, self.given(last, truth, known))

    def compared(self, e: ir.Compare, equal: bool, known: Known) -> Known:
        left, right = self.values(e.left, known), self.values(e.right, known)
        if left is None or right is None or not left & right:
            return known
        if equal:
            return self.narrowed(e.right, left & right, self.narrowed(e.left, left & right, known))
        known = self.narrowed(e.left, left - right, known) if len(right) == 1 else known
        return self.narrowed(e.right, right - left, known) if len(left) == 1 else known

    def assigned(self, reference: str, value: Expr | None, known: Known) -> Known:
        """What is known behind an assignment; without a value, of something inside of what is referred to."""
        values = None if value is None else self.values(value, known)
        kept = {name: item for name, item in known.items() if not f"{name}.".startswith(f"{reference}.")}
        return kept if values is None else {**kept, reference: values}

    def narrowed(self, e: Expr, values: Values, known: Known) -> Known:
        reference = self.reference(e)
        return {**known, reference: values} if reference and values else known


def taken(e: Expr) -> Expr:
    """`e`, or of a conditional that is decided the branch that is left of it."""
    while isinstance(e, ir.Conditional) and isinstance(e.condition, ir.Literal):
        e = e.then if e.condition.text == "true" else e.otherwise
    return e


def joined(first: Known | None, second: Known | None) -> Known:
    """What is known behind two ways, of which those that end the body lead nowhere."""
    if first is None or second is None:
        return first or second or {}
    return either(first, second)


def either(first: Known, second: Known) -> Known:
    """What is known after one of two ways."""
    if "" in first or "" in second:
        return second if "" in first else first
    return {name: values | second[name] for name, values in first.items() if name in second}
