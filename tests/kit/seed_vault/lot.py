"""The seed lot: an aggregate with every kind of member."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import Comparison, Domain, Fn
from loom.ir.members import Parameter, Test
from loom.ir.program import Aggregate, Containment, Derived, Destroy, Find, Function, Invariant, Part, Property
from loom.ir.types import BOOL, INT, LONG, STRING
from tests.kit.build import (
    array,
    both,
    call,
    compare,
    each,
    enum_value,
    field,
    integer,
    literal,
    local,
    optional,
    text,
    this,
)
from tests.kit.seed_vault.names import DONOR_ID, LOT, LOT_TYPE, SPOT, STATE, TRIAL, has_state, mine, mine_trials
from tests.kit.seed_vault.operations import lot_create, lot_operations, seal
from tests.kit.seed_vault.properties import lot_properties, sample_inputs, values_of


def lot() -> Aggregate:
    properties = lot_properties()
    sown = each("trial", TRIAL, field(local("trial", TRIAL), "seedsSown", INT))
    tag_known = compare(Comparison.NE, Domain.STRING, mine("RFIDTag", STRING), text(""))
    return Aggregate(
        name="SeedLot",
        properties=properties,
        containments=(Containment(name="trials", part="GerminationTrial", many=True, optional=False),),
        parts=parts(),
        derived=(
            Derived(name="seedsTried", type=INT, value=call(INT, Fn.SUM, mine_trials(), sown)),
            Derived(name="display", type=STRING, value=mine("RFIDTag", STRING)),
        ),
        invariants=(
            Invariant(
                condition=compare(Comparison.GE, Domain.LONG, mine("seedCount", LONG), literal(LONG, "0")),
                when=has_state("Open"),
                message="",
                source="seedCount >= 0",
                private=False,
            ),
        ),
        uniques=(("RFIDTag",),),
        functions=(Function(name="isTagged", parameters=(), returns=BOOL, body=(st.Return(value=tag_known),)),),
        operations=lot_operations(properties),
        create=lot_create(properties),
        destroy=Destroy(requires=(), body=()),
        repository="SeedLots",
        finds=_lot_finds(),
        tests=(_lot_test(),),
    )


def _lot_finds() -> tuple[Find, ...]:
    tag = compare(Comparison.EQ, Domain.STRING, mine("RFIDTag", STRING), local("RFIDTag", STRING))
    roomy = both(
        compare(Comparison.EQ, Domain.STRING, field(mine("spot", SPOT), "room", STRING), local("room", STRING)),
        call(BOOL, Fn.CONTAINS, mine("donors", array(DONOR_ID)), local("donor", DONOR_ID)),
    )
    return (
        Find(
            name="byTag",
            parameters=(Parameter(name="RFIDTag", type=STRING),),
            cardinality=st.Cardinality.OPTIONAL,
            requires=(),
            where=tag,
        ),
        Find(
            name="inRoom",
            parameters=(Parameter(name="room", type=STRING), Parameter(name="donor", type=DONOR_ID)),
            cardinality=st.Cardinality.MANY,
            requires=(),
            where=roomy,
        ),
        Find(
            name="sealed",
            parameters=(),
            cardinality=st.Cardinality.PAGE,
            requires=(),
            where=has_state("Sealed"),
        ),
    )


def parts() -> tuple[Part, ...]:
    sown = field(this(TRIAL), "seedsSown", INT)
    positive = compare(Comparison.GT, Domain.INT, sown, integer(0))
    return (
        Part(
            name="GerminationTrial",
            properties=(
                Property(name="seedsSown", type=INT),
                Property(name="class", type=optional(STRING)),
                Property(name="medium", type=STRING, default=text("agar")),
            ),
            containments=(Containment(name="dayCounts", part="DayCount", many=True, optional=False),),
            derived=(Derived(name="isLarge", type=BOOL, value=compare(Comparison.GT, Domain.INT, sown, integer(100))),),
            invariants=(
                Invariant(
                    condition=positive, when=None, message="a trial needs seeds", source="seedsSown > 0", private=False
                ),
            ),
            functions=(),
        ),
        Part(
            name="DayCount",
            properties=(Property(name="day", type=INT), Property(name="sprouted", type=LONG)),
            containments=(),
            derived=(),
            invariants=(),
            functions=(),
        ),
    )


def _lot_test() -> Test:
    return Test(
        name="a sealed lot cannot be sealed again",
        body=(
            st.CreateInstance(name="lot", aggregate=LOT, arguments=values_of(sample_inputs())),
            seal("lot"),
            st.Expect(
                actual=field(local("lot", LOT_TYPE), "state", STATE),
                matcher=st.Matcher.TO_BE,
                expected=enum_value(STATE, "Sealed"),
                negated=False,
            ),
            st.ExpectThrow(attempt=seal("lot")),
        ),
    )
