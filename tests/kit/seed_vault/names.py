"""The types of the seed vault, and short ways to speak of a seed lot."""

from __future__ import annotations

from loom.ir.expressions import Comparison, Domain, Expr, FieldKind
from loom.ir.types import EnumType, IdType, PartType, Ref, Type, ValueObjectType
from tests.kit.build import array, compare, enum_value, field, self_type, this

CONTEXT = "SeedVault"
LOT, DONOR = Ref(context=CONTEXT, name="SeedLot"), Ref(context=CONTEXT, name="Donor")
SEALED = Ref(context=CONTEXT, name="LotSealed")
RECEIVED = Ref(context=CONTEXT, name="LotReceived")
RECORD = Ref(context=CONTEXT, name="ReceiveLot")
STATE: Type = EnumType(ref=Ref(context=CONTEXT, name="LotState"))
ORIGIN: Type = EnumType(ref=Ref(context="", name="OriginClass"))
SPOT = ValueObjectType(ref=Ref(context=CONTEXT, name="StorageSpot"))
READING = ValueObjectType(ref=Ref(context=CONTEXT, name="ClimateReading"))
SPAN = ValueObjectType(ref=Ref(context="", name="TimeSpan"))
TRIAL = PartType(aggregate=LOT, name="GerminationTrial")
LOT_ID, DONOR_ID = IdType(aggregate=LOT), IdType(aggregate=DONOR)
LOT_TYPE, DONOR_TYPE = self_type(CONTEXT, "SeedLot"), self_type(CONTEXT, "Donor")
LOT_SELF, DONOR_SELF = this(LOT_TYPE), this(DONOR_TYPE)


def mine(name: str, kind: Type) -> Expr:
    """A property of the seed lot at hand."""
    return field(LOT_SELF, name, kind)


def mine_trials() -> Expr:
    return field(LOT_SELF, "trials", array(TRIAL), FieldKind.CONTAINMENT)


def has_state(name: str) -> Expr:
    return compare(Comparison.EQ, Domain.ENUM, mine("state", STATE), enum_value(STATE, name))
