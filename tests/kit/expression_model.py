"""What random and tabled expressions are about: a model with an enum and a value object, and locals.

In: nothing. Out: its source, its types, and typed locals whose names some language has taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from loom.ir.expressions import Domain
from loom.ir.types import (
    BOOL,
    DATETIME,
    DECIMAL,
    DURATION,
    INT,
    LONG,
    MONEY,
    STRING,
    ArrayType,
    EnumType,
    OptionalType,
    Ref,
    Scalar,
    Type,
    ValueObjectType,
)

SOURCE = """
enum ShutterState { Open HalfOpen None }
valueobject SkyPoint { label: string  from: decimal  class: int?  seenAt: datetime  cost: money }

system Observatory {
    storage primaryDatabase { type: postgres }
    resource dutyState { for: Duty, kind: state, use: primaryDatabase }
    context Duty { aggregate Roster { title: string  shutter: ShutterState  target: SkyPoint } }
    deployable Service { platform: PLATFORM, contexts: [Duty], dataSources: [dutyState], port: 8100 }
}
"""

STATE = EnumType(ref=Ref(context="", name="ShutterState"))
STATE_VALUES = ("Open", "HalfOpen", "None")
POINT = ValueObjectType(ref=Ref(context="", name="SkyPoint"))
POINT_FIELDS: tuple[tuple[str, Type], ...] = (
    ("label", STRING),
    ("from", DECIMAL),
    ("class", OptionalType(of=INT)),
    ("seenAt", DATETIME),
    ("cost", MONEY),
)
DOMAINS: Mapping[Type, Domain] = {
    INT: Domain.INT,
    LONG: Domain.LONG,
    DECIMAL: Domain.DECIMAL,
    MONEY: Domain.MONEY,
    STRING: Domain.STRING,
    BOOL: Domain.BOOL,
    DATETIME: Domain.DATETIME,
    DURATION: Domain.DURATION,
    STATE: Domain.ENUM,
    POINT: Domain.STRUCTURE,
}

_DAWN = 1_700_000_000_123
NOW_VALUE = 1_764_460_800_007
_ZENITH = {"label": "ζ", "from": Fraction("2.5"), "class": None, "seenAt": _DAWN, "cost": Fraction("0.00005")}
_NADIR = {"label": "", "from": Fraction(-1), "class": 4, "seenAt": -1, "cost": Fraction(19)}


def _list(of: Type) -> ArrayType:
    return ArrayType(of=of)


def _maybe(of: Type) -> OptionalType:
    return OptionalType(of=of)


LOCALS: Mapping[str, tuple[Type, Any]] = {
    "class": (INT, 7),
    "unitCount": (INT, -3),
    "largestInt": (INT, 2**31 - 1),
    "from": (LONG, 9007199254740993),
    "serialNumberOfTheVeryLongInstrumentNameThatNeverFitsOnOneLine": (LONG, -(2**63)),
    "HTTPRatio": (DECIMAL, Fraction("2.5")),
    "lambda": (DECIMAL, Fraction("-0.000000000001")),
    "end": (MONEY, Fraction("10.005")),
    "unitPrice": (MONEY, Fraction("-1234.5678")),
    "def": (STRING, "  Straße 🜁 ΑΣ\t"),
    "emptyText": (STRING, ""),
    "isOpen": (BOOL, True),
    "new": (BOOL, False),
    "now": (DATETIME, _DAWN),
    "beforeTheEpoch": (DATETIME, -1),
    "state": (STATE, "HalfOpen"),
    "with": (POINT, _ZENITH),
    "nadir": (POINT, _NADIR),
    "decimals": (_list(INT), (3, -1, 3)),
    "emptyCounts": (_list(INT), ()),
    "yield": (_list(LONG), (2**62, 2**62, -1)),
    "ratios": (_list(DECIMAL), (Fraction("0.1"), Fraction("0.10"), Fraction(-2))),
    "purchasePricesOfAllTheInstrumentsThatWereEverCommissioned": (_list(MONEY), (Fraction("0.00005"), Fraction(2))),
    "split": (_list(STRING), ("b", "", "a🜁")),
    "instants": (_list(DATETIME), (_DAWN, -1, _DAWN)),
    "states": (_list(STATE), ("None", "Open", "None")),
    "points": (_list(POINT), (_NADIR, _ZENITH, _NADIR)),
    "absentCount": (_maybe(INT), None),
    "default": (_maybe(INT), 5),
    "switch": (_maybe(LONG), 1),
    "except": (_maybe(DECIMAL), Fraction("1.5")),
    "in": (_maybe(MONEY), Fraction("99.99")),
    "noLabel": (_maybe(STRING), None),
    "is": (_maybe(STRING), "xy"),
    "finally": (_maybe(DATETIME), _DAWN),
    "maybeState": (_maybe(STATE), None),
}


def type_text(type_: Type) -> str:
    """The type as a model spells it."""
    match type_:
        case OptionalType(of=inner):
            return f"{type_text(inner)}?"
        case ArrayType(of=element):
            return f"{type_text(element)}[]"
        case EnumType(ref=ref) | ValueObjectType(ref=ref):
            return ref.name
        case Scalar(kind=kind):
            return kind.value
    raise TypeError(type_)
