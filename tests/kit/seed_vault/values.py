"""The value objects of the seed vault."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import Comparison, Domain
from loom.ir.members import Test
from loom.ir.program import Derived, Invariant, Property, ValueObject
from loom.ir.types import DATETIME, DECIMAL, INT, STRING
from tests.kit.build import add, compare, construct, field, integer, null, optional, text, this
from tests.kit.seed_vault.names import SPOT


def storage_spot() -> ValueObject:
    shelf = compare(Comparison.GE, Domain.INT, field(this(SPOT), "shelf", INT), integer(0))
    label = add(STRING, Domain.STRING, field(this(SPOT), "room", STRING), text("/"))
    made = st.Let(name="spot", value=construct(SPOT, room=text("North"), shelf=integer(-1), order=null(optional(INT))))
    return ValueObject(
        name="StorageSpot",
        properties=(
            Property(name="room", type=STRING),
            Property(name="shelf", type=INT, default=integer(1)),
            Property(name="order", type=optional(INT)),
        ),
        derived=(Derived(name="roomLabel", type=STRING, value=label),),
        invariants=(Invariant(condition=shelf, when=None, message="", source="shelf >= 0", private=False),),
        functions=(),
        tests=(Test(name="a shelf is never below the floor", body=(st.ExpectThrow(attempt=made),)),),
    )


def climate_reading() -> ValueObject:
    return ValueObject(
        name="ClimateReading",
        properties=(
            Property(name="takenAt", type=DATETIME),
            Property(name="relativeHumidity", type=DECIMAL),
            Property(name="spot", type=optional(SPOT)),
        ),
        derived=(),
        invariants=(),
        functions=(),
        tests=(),
    )
