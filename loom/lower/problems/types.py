"""Mistakes about types: where they may stand, and what fits what."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Whole


class BareAggregateInType(Diagnostic):
    """An aggregate is used as a value type; other aggregates are referred to by id."""

    message = "aggregate `{name}` cannot be a value here"
    help = "write `{name} id`"

    name: str


class AmbiguousPartRef(Diagnostic):
    """`Part id` where several aggregates of the context own a part of that name."""

    message = "several aggregates own a part `{name}`: {owners}"
    help = "rename one of the parts"

    name: str
    owners: str


class CrossAggregateEntityPart(Diagnostic):
    """A part of another aggregate is referred to; a part is reached through its root only."""

    message = "`{name}` is a part of aggregate `{owner}`"
    help = "refer to `{owner} id`"

    name: str
    owner: str


class EntityFieldOptionalCollection(Diagnostic):
    """A collection of parts is also optional: an empty collection already says that there is none."""

    message = "a collection of parts cannot be optional"
    help = "remove the `?`"


class EntityFieldModifier(Diagnostic):
    """A containment carries a modifier, default, check or mask of a value field."""

    message = "`{name}` holds parts: it takes no modifier, default or check"
    help = "write `contains {name}: {part}`"

    name: str
    part: str


class UnionPosition(Diagnostic):
    """An `or` type, or the name of one, stands outside the results of finds, operations and handlers and the fields
    of records."""

    message = "an `or` type cannot stand here"
    help = "name one type"


class UnionDuplicateVariant(Diagnostic):
    """A union names one type twice: nobody could tell which of the two a value is."""

    message = "`{variant}` is in the union already"
    help = "remove one of the two"

    variant: str


class UnionVariantNotCarrier(Diagnostic):
    """A variant of a union is told by the name of its type; a list, an optional, a page and a file have none."""

    message = "`{variant}` cannot be a variant of a union"
    help = "put it into a record, and name that"

    variant: str


class GenericPosition(Diagnostic):
    """`paged`, `envelope` or `option` stands where no transport shape is legal."""

    message = "`{carrier}` cannot stand here"
    help = "`{carrier}` belongs to the result of a find, or to a field of a record"

    carrier: str


class GenericArgNotCarrier(Diagnostic):
    """`paged`, `envelope` and `option` hold one plain value each: no other of them, no list, no optional."""

    message = "`{carrier}` cannot stand beside `{other}`"
    help = "keep one of the two"

    carrier: str
    other: str


class TypeNotAllowed(Diagnostic):
    """A type that exists cannot be used in this position, such as an event as a stored field."""

    message = "{found} cannot be the type of {where}"
    help = "use a scalar, enum, value object or id"

    found: str
    where: str


class DurationNotStorable(Diagnostic):
    """`duration` lives in expressions only; it is no type of a declaration."""

    message = "`duration` cannot be declared"
    help = "store a number of minutes, or two datetimes"


class AssignmentType(Diagnostic):
    """A value does not fit the place that takes it."""

    message = "`{target}` takes {expected}, not {found}"
    help = "{hint}"

    target: str
    expected: str
    found: str
    hint: str


class NullToRequired(Diagnostic):
    """`null` is given to something that is not optional."""

    message = "`{target}` is not optional and cannot be null"
    help = "declare it as `{expected}?`, or give it a value"

    target: str
    expected: str


class ConditionNotBool(Diagnostic):
    """A guard, invariant, check or `if` needs a bool."""

    message = "{what} needs a bool, not {found}"
    help = "compare it with something"

    what: str
    found: str


class OperandTypes(Diagnostic):
    """An operator is applied to types that it does not take together."""

    message = "`{operator}` does not take {left} and {right}"
    help = "{hint}"

    operator: str
    left: str
    right: str
    hint: str


class OperandType(Diagnostic):
    """A prefix operator is applied to a type that it does not take."""

    message = "`{operator}` does not take {found}"
    help = "it takes {expected}"

    operator: str
    found: str
    expected: str


class ConversionType(Diagnostic):
    """`string(x)`, `long(x)`, `decimal(x)` or `money(x)` of a type that has no such conversion."""

    message = "`{function}` does not convert {found}"
    help = "it converts {expected}"

    function: str
    found: str
    expected: str


class LiteralOutOfRange(Diagnostic):
    """A number literal is outside what its type can hold."""

    message = "`{literal}` is out of the range of {type}"
    help = "{hint}"

    literal: str
    type: str
    hint: str


class ListElementType(Diagnostic):
    """The elements of a list literal have no common type."""

    message = "a list of {first} cannot hold {found}"
    help = "give all elements one type"

    first: str
    found: str


class TernaryCondition(Diagnostic):
    """The condition of `c ? a : b` or of a `match` arm is not a bool."""

    message = "the condition is {found}, not a bool"
    help = "compare it with something"

    found: str


class TernaryBranches(Diagnostic):
    """The branches of `c ? a : b`, or the arms of a `match`, have no common type."""

    message = "one branch is {left}, the other {right}"
    help = "convert one of them"

    left: str
    right: str


class TypeUnknownHere(Diagnostic):
    """The type of `null` or `[]` cannot be told from its surroundings."""

    needs_whole: ClassVar[Whole] = "system"
    message = "the type of `{literal}` cannot be told here"
    help = "put it where a type is expected"

    literal: str


class OptionalAccess(Diagnostic):
    """A member of something that may be absent is read or called without a guard.

    Two things guard: the condition of `? :`, for what stands before its `:`, and `if let`. A comparison with null
    anywhere else guards nothing: not on the left of `&&` or `||`, not in `if`, `when` or `precondition`, not in a check
    that returns. Write `note != null ? note.length > 2 : false` for `note != null && note.length > 2`, and
    `note != null ? note.length > 2 : true` for `note == null || note.length > 2`.
    """

    message: ClassVar[dict[str, str]] = {
        "name": "`{name}` may be null here",
        "value": "this value may be null",
    }
    help = "{hint}"

    case: Literal["name", "value"]
    name: str
    hint: str
