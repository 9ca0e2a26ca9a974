"""The donor: a small second aggregate, which workflows read and change beside the lot."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import Domain
from loom.ir.members import Parameter
from loom.ir.program import Access, Aggregate, Create, Find, Operation, Property
from loom.ir.types import INT, NOTHING, STRING
from tests.kit.build import add, field, integer, local
from tests.kit.seed_vault.names import DONOR_SELF


def donor() -> Aggregate:
    count = field(DONOR_SELF, "lotCount", INT)
    return Aggregate(
        name="Donor",
        properties=(
            Property(name="fullName", type=STRING),
            Property(name="lotCount", type=INT, access=Access.MANAGED, default=integer(0)),
        ),
        containments=(),
        parts=(),
        derived=(),
        invariants=(),
        uniques=(("fullName",),),
        functions=(),
        operations=(
            Operation(
                name="credit",
                parameters=(),
                returns=NOTHING,
                private=False,
                requires=(),
                when=None,
                body=(st.Assign(path=("lotCount",), type=INT, value=add(INT, Domain.INT, count, integer(1))),),
                mutates=True,
            ),
        ),
        create=Create(
            parameters=(Parameter(name="fullName", type=STRING),),
            requires=(),
            body=(st.Assign(path=("fullName",), type=STRING, value=local("fullName", STRING)),),
        ),
        destroy=None,
        repository="Donors",
        finds=(Find(name="all", parameters=(), cardinality=st.Cardinality.MANY, requires=(), where=None),),
        tests=(),
    )
