"""What end-to-end tests may get wrong about the routes that they call."""

from __future__ import annotations

from typing import ClassVar, Literal

from loom.base import Diagnostic, Severity


class E2eUnknownMember(Diagnostic):
    """An end-to-end test reads a member that the answer does not have.

    An answer has the members that `openapi.json` shows; a page has `items`, a collection `count` and `first`, the
    answer of a create is an `id`, and an operation without a result answers nothing.
    """

    message: ClassVar[dict[str, str]] = {
        "named": "{owner} has no member `{name}`",
        "near": "{owner} has no member `{name}`",
        "none": "{owner} has no members, so there is no `{name}`",
        "nothing": "the call answers nothing, so there is no `{name}`",
    }
    help: ClassVar[dict[str, str]] = {
        "near": "did you mean `{known}`?",
        "named": "it has {known}",
        "none": "use it as it is",
        "nothing": "call `getById` and read it there",
    }

    case: Literal["near", "named", "none", "nothing"]
    owner: str
    name: str
    known: str


class E2eUnknownField(Diagnostic):
    """An end-to-end test sends a member that the route does not take.

    A service ignores such a member: a warning, since a test may be about just that.
    """

    severity: ClassVar[Severity] = Severity.WARNING
    message: ClassVar[str] = "{owner} takes no `{name}`"
    help: ClassVar[dict[str, str]] = {
        "near": "did you mean `{known}`?",
        "named": "it takes {known}",
        "none": "it takes nothing: remove it",
    }

    case: Literal["near", "named", "none"]
    owner: str
    name: str
    known: str


class E2eMissingField(Diagnostic):
    """An end-to-end test leaves out what the route requires, and does not expect to be refused.

    A test of the refusal itself says so: `expect api.….create({}).toThrow(422)`. A member whose name is misspelt is
    left out as well: the service ignores it and refuses the request.
    """

    message: ClassVar[dict[str, str]] = {
        "left out": "{owner} needs {names}",
        "misspelt": "{owner} needs {names} and takes no `{written}`",
    }
    help: ClassVar[dict[str, str]] = {
        "left out": "give them a value, or expect the refusal with `toThrow(422)`",
        "misspelt": "did you mean {names}?",
    }

    case: Literal["left out", "misspelt"]
    owner: str
    names: str
    written: str


class E2eEnumValue(Diagnostic):
    """An end-to-end test sends or expects a text that is no value of the enum."""

    message: ClassVar[str] = "`{enum}` has no value `{name}`"
    help: ClassVar[dict[str, str]] = {
        "near": "did you mean `{known}`?",
        "named": "it has {known}",
        "none": "give the enum a value first",
    }

    case: Literal["near", "named", "none"]
    enum: str
    name: str
    known: str


class E2eValueType(Diagnostic):
    """An end-to-end test sends a value of another kind than the route takes, and does not expect to be refused.

    On the wire, money, datetimes, ids and enum values are texts; `int`, `long` and `decimal` are numbers.
    """

    message: ClassVar[str] = "`{name}` takes {expected}, not {found}"
    help: ClassVar[str] = "write {expected}, or expect the refusal with `toThrow(422)`"

    name: str
    expected: str
    found: str


class E2eExpectedType(Diagnostic):
    """An end-to-end test compares kinds of JSON that are never equal, or what has no order or is no instant.

    On the wire, money, datetimes, ids and enum values are texts; `int`, `long` and `decimal` are numbers. Texts are
    ordered by code point, but those of money by their amounts and those of datetimes by their instants.
    """

    message: ClassVar[dict[str, str]] = {
        "kinds": "{actual} is never {expected}",
        "order": "{expected} has no order",
        "money": "`{expected}` is no amount of money",
        "instant": "{expected} is no datetime",
    }
    help: ClassVar[dict[str, str]] = {
        "kinds": "expect {actual}",
        "order": "compare numbers or texts, or use `toBe`",
        "money": 'write an amount, such as `"12.50"`',
        "instant": "compare datetimes with `toBeSameInstant`, and all else with `toBe`",
    }

    case: Literal["kinds", "order", "money", "instant"]
    actual: str
    expected: str
