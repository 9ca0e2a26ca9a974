"""What the seed vault's model declares at its root: an enum, a value object and a function for all contexts."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import Domain
from loom.ir.members import Parameter
from loom.ir.program import Enum, Function, Property, Shared, ValueObject
from loom.ir.types import DATETIME, INT
from tests.kit.build import add, local, optional


def seed_vault_shared() -> Shared:
    days = local("days", INT)
    return Shared(
        enums=(Enum(name="OriginClass", values=("Wild", "None", "class")),),
        value_objects=(
            ValueObject(
                name="TimeSpan",
                properties=(Property(name="from", type=DATETIME), Property(name="end", type=optional(DATETIME))),
                derived=(),
                invariants=(),
                functions=(),
                tests=(),
            ),
        ),
        functions=(
            Function(
                name="doubled",
                parameters=(Parameter(name="days", type=INT),),
                returns=INT,
                body=(st.Return(value=add(INT, Domain.INT, days, days)),),
            ),
        ),
    )
