"""Mistakes inside expressions: calls, built-ins, builders, templates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity, Whole


class UnknownBuilderType(Diagnostic):
    """`X { … }` where `X` is no value object and no part of this aggregate."""

    message = "`{name}` is nothing that can be built"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class AggregateNotABuilder(Diagnostic):
    """`Agg { … }` is written; aggregates are made with `Agg.create`."""

    message = "aggregate `{name}` cannot be built with braces"
    help = "write `{name}.create(…)` in a workflow"

    name: str


class LegacyVoCall(Diagnostic):
    """A value object is built with call syntax."""

    message = "value object `{name}` is built with braces"
    help = "write `{name} {{ … }}`"

    name: str


class LegacyPartCall(Diagnostic):
    """A part is built with call syntax."""

    message = "part `{name}` is built with braces"
    help = "write `{name} {{ … }}`"

    name: str


class ConstructionMissingField(Diagnostic):
    """A builder leaves out a field that has neither a default nor a `?`."""

    needs_whole: ClassVar[Whole] = "declaration"
    message = "`{type}` needs `{name}`"
    help = "add `{name}: …`"

    type: str
    name: str


class ConstructionFieldType(Diagnostic):
    """A field of a builder or of an `emit` has a value of another type."""

    message = "`{name}` of `{type}` takes {expected}, not {found}"
    help = "{hint}"

    type: str
    name: str
    expected: str
    found: str
    hint: str


class UnknownConstructionField(Diagnostic):
    """A builder names a field that its type does not have."""

    message = "`{type}` has no field `{name}`"
    help = "did you mean `{nearest}`?"

    type: str
    name: str
    nearest: str


class DuplicateConstructionField(Diagnostic):
    """A builder, an `emit` or an object names one field twice."""

    message = "`{name}` is given twice"
    help = "remove one of them"

    name: str


class ObjectLiteralPosition(Diagnostic):
    """`{ name: value }` without a type stands where no record is expected."""

    message = "an object without a type cannot stand here"
    help = "write the type in front of the brace"


class CallArgCount(Diagnostic):
    """A function or operation is called with the wrong number of arguments."""

    message = "`{name}` takes {expected}, not {found}"
    help: ClassVar[Mapping[str, str]] = {
        "some": "its parameters are {parameters}",
        "none": "write `{name}()`",
    }

    case: Literal["some", "none"]
    name: str
    expected: str
    found: int
    parameters: str


class CallArgType(Diagnostic):
    """An argument has a type that its parameter does not take."""

    message = "parameter `{parameter}` of `{name}` takes {expected}, not {found}"
    help = "{hint}"

    name: str
    parameter: str
    expected: str
    found: str
    hint: str


class CallNamedArg(Diagnostic):
    """A function or operation is called with a named argument; only creates and key reads take those."""

    message = "`{name}` takes its arguments by position"
    help = "remove `{argument}:`"

    name: str
    argument: str


class CallUnknown(Diagnostic):
    """Something is called that is no function, operation or built-in."""

    message = "`{name}` is nothing that can be called here"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class MethodCallUnresolvedReceiver(Diagnostic):
    """A method is called on a name that means nothing here."""

    message = "`{name}` means nothing here"
    help = "did you mean `{nearest}`?"

    name: str
    nearest: str


class OperationCallInExpression(Diagnostic):
    """An operation is called inside an expression; it stands alone, or as the whole value of a `let`."""

    message = "operation `{name}` cannot be called inside an expression"
    help = "write the call as a statement of its own"

    name: str


class IntrinsicUnknown(Diagnostic):
    """No built-in member of that name exists on that type.

    - string: length, trim(), toUpper(), toLower(), substring(start, length), startsWith(text), endsWith(text),
      contains(text), replace(text, by), split(separator), matches("pattern")
    - int and long: abs(), min(other), max(other), divTrunc(by)
    - decimal and money: abs(), min(other), max(other), round(places), floor(), ceil()
    - datetime: startOfDay()
    - arrays: count, first, firstOrNull, distinct, any, any(item => …), all(item => …), sum(item => …),
      avg(item => …), min(item => …), max(item => …), where(item => …), map(item => …),
      sortBy(item => …, descending), contains(value), take(n), skip(n), join(separator)
    """

    message = "{type} has no built-in `{name}`"
    help = "did you mean `{nearest}`?"

    type: str
    name: str
    nearest: str


class IntrinsicArity(Diagnostic):
    """A built-in is called with the wrong number of arguments."""

    message = "`{name}` takes {expected}, not {found}"
    help = "its form is `{form}`"

    name: str
    expected: str
    found: int
    form: str


class IntrinsicArgType(Diagnostic):
    """An argument of a built-in has the wrong type."""

    message = "`{name}` takes {expected}, not {found}"
    help = "its form is `{form}`"

    name: str
    expected: str
    found: str
    form: str


class IntrinsicBare(Diagnostic):
    """A built-in operation is named without its call parentheses, or `length` with them."""

    message: ClassVar[dict[str, str]] = {
        "bare": "`{name}` is called with parentheses",
        "called": "`{name}` is read without parentheses",
    }
    help = "write `{form}`"

    case: Literal["bare", "called"]
    name: str
    form: str


class IntrinsicNamedArg(Diagnostic):
    """A built-in is called with a named argument."""

    message = "`{name}` takes its arguments by position"
    help = "remove `{argument}:`"

    name: str
    argument: str


class BareCollectionAccessor(Diagnostic):
    """`.where`, `.map`, `.sum` and the like stand without their lambda."""

    message = "`{name}` needs a lambda"
    help = "write `{form}`"

    name: str
    form: str


class LambdaPosition(Diagnostic):
    """A lambda stands where no collection member takes one."""

    message = "a lambda cannot stand here"
    help = "lambdas are arguments of collection members, as in `items.any(item => …)`"


class AvgNonNumeric(Diagnostic):
    """`sum` or `avg` over something that is no number."""

    message = "`{name}` needs numbers, not {found}"
    help = "project a number, as in `items.{name}(item => item.amount)`"

    name: str
    found: str


class ReductionNonComparable(Diagnostic):
    """`min`, `max` or `sortBy` over something that has no order."""

    message = "`{name}` needs values with an order, not {found}"
    help = "project a number, money, string or datetime"

    name: str
    found: str


class DistinctNonScalar(Diagnostic):
    """`distinct` over parts or other things that are told apart by identity."""

    message = "`distinct` needs scalars or value objects, not {found}"
    help = "map to a scalar first"

    found: str


class JoinNonString(Diagnostic):
    """`join` over a collection that holds no strings."""

    message = "`join` needs strings, not {found}"
    help = "map to `string(…)` first"

    found: str


class DurationArity(Diagnostic):
    """`days`, `hours` and `minutes` take exactly one argument."""

    message = "`{name}` takes one argument, not {found}"
    help = "write `{name}(n)`"

    name: str
    found: int


class DurationArgType(Diagnostic):
    """The argument of `days`, `hours` or `minutes` is not an int."""

    message = "`{name}` takes an int, not {found}"
    help = "whole numbers only"

    name: str
    found: str


class RegexNotLiteral(Diagnostic):
    """`matches` takes a string literal: the pattern is checked when the model is compiled."""

    message = "the pattern of `matches` must be a literal"
    help = "write the pattern in double quotes"


class RegexUnsupported(Diagnostic):
    """A pattern uses what the common subset of all targets does not have.

    Look-around, back references, flags, named groups, possessive quantifiers and `\\p` are outside it.
    """

    message = "the pattern cannot be used on every target: {reason}"
    help = "use literals, classes, groups, `|`, `^`, `$` and plain quantifiers"

    reason: str


class PlainInterpolation(Diagnostic):
    """A text in double quotes holds the name of a value in braces, which is printed as it stands.

    Templates stand in back-ticks: `to {neighbour}`. A message is fixed and holds no value.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[dict[str, str]] = dict.fromkeys(
        ("text", "message"), "`{hole}` stands in double quotes: no value is put in"
    )
    help: ClassVar[Mapping[str, str]] = {
        "text": "write back-ticks for the double quotes",
        "message": "a message is fixed: say it without the value",
    }

    case: Literal["text", "message"]
    hole: str


class InterpFormatUnknown(Diagnostic):
    """A template hole has a format that does not exist."""

    message = "unknown template format `{name}`"
    help = "the formats are number, date, time, plural and select"

    name: str


class InterpHoleType(Diagnostic):
    """A template hole holds something that cannot be printed, or that its format does not take."""

    message = "a template cannot print {found} here"
    help = "{remedy}"

    found: str
    remedy: str


class MatchWithoutElse(Diagnostic):
    """A conditional `match` without `else` has no value when no arm is true."""

    message = "`match` needs an `else`"
    help = "add `else => …`"


class MoneyLiteral(Diagnostic):
    """The text of `money("…")` is no amount."""

    message = "`{literal}` is no amount of money"
    help = 'write digits with at most four decimal places, as in `money("10.50")`'

    literal: str


class SelfReferenceBeforeCreate(Diagnostic):
    """`this` is used where no instance exists."""

    message = "there is no `this` here"
    help = "name a parameter or a local"
