"""What changes a seed lot: its create and its operations."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import Comparison, Domain, FieldKind, Fn, Now
from loom.ir.members import Gate, Parameter
from loom.ir.program import Access, Create, Operation, Property
from loom.ir.types import BOOL, DATETIME, INT, LONG, NOTHING, STRING, IdType
from tests.kit.build import (
    call,
    compare,
    construct,
    enum_value,
    field,
    integer,
    literal,
    local,
    null,
    optional,
    text,
    truth,
    value,
)
from tests.kit.seed_vault.names import LOT, LOT_ID, LOT_SELF, SEALED, STATE, TRIAL, has_state, mine, mine_trials
from tests.kit.seed_vault.properties import writable


def _assignments(properties: tuple[Property, ...]) -> tuple[st.Statement, ...]:
    return tuple(st.Assign(path=(item.name,), type=item.type, value=local(item.name, item.type)) for item in properties)


def lot_create(properties: tuple[Property, ...]) -> Create:
    inputs = writable(properties, Access.EDITABLE, Access.IMMUTABLE, Access.SECRET)
    return Create(
        parameters=tuple(Parameter(name=item.name, type=item.type, default=item.default) for item in inputs),
        requires=(),
        body=_assignments(inputs),
    )


def lot_operations(properties: tuple[Property, ...]) -> tuple[Operation, ...]:
    drop = Operation(
        name="dropTrial",
        parameters=(Parameter(name="trial", type=IdType(aggregate=LOT, part="GerminationTrial")),),
        returns=NOTHING,
        private=False,
        requires=(),
        when=None,
        body=(
            st.Remove(
                field="trials", element=TRIAL, value=local("trial", IdType(aggregate=LOT, part="GerminationTrial"))
            ),
        ),
        mutates=True,
    )
    return (_lot_update(properties), _lot_seal(), _lot_add_trial(), drop)


def _lot_update(properties: tuple[Property, ...]) -> Operation:
    inputs = writable(properties, Access.EDITABLE, Access.SECRET)
    return Operation(
        name="update",
        parameters=tuple(Parameter(name=item.name, type=item.type) for item in inputs),
        returns=NOTHING,
        private=False,
        requires=(),
        when=None,
        body=_assignments(inputs),
        mutates=True,
    )


def _lot_seal() -> Operation:
    group = mine("group", optional(STRING))
    note = local("closingNote", STRING)
    return Operation(
        name="seal",
        parameters=(
            Parameter(name="closingNote", type=STRING),
            Parameter(name="await", type=BOOL, default=truth(False)),
        ),
        returns=NOTHING,
        private=False,
        requires=(
            Gate(
                condition=compare(Comparison.NE, Domain.STRING, mine("RFIDTag", STRING), text("void")),
                source='RFIDTag != "void"',
            ),
        ),
        when=Gate(condition=has_state("Open"), source="state == Open"),
        body=(
            st.Precondition(
                condition=compare(Comparison.GT, Domain.LONG, mine("seedCount", LONG), literal(LONG, "0")),
                message="",
                source="seedCount > 0",
            ),
            st.Assign(path=("state",), type=STATE, value=enum_value(STATE, "Sealed")),
            st.Assign(path=("spot", "order"), type=optional(INT), value=integer(1)),
            st.Append(field="labels", element=STRING, value=note),
            st.If(
                condition=compare(Comparison.EQ, Domain.NULL, group, null(optional(STRING))),
                then=(st.Assign(path=("group",), type=optional(STRING), value=text("sealed")),),
                otherwise=(),
            ),
            st.Emit(
                event=SEALED,
                fields=(
                    value("lot", field(LOT_SELF, "id", LOT_ID, FieldKind.ID)),
                    value("closingNote", note),
                    value("end", Now(type=DATETIME)),
                ),
            ),
        ),
        mutates=True,
    )


def _lot_add_trial() -> Operation:
    given = local("seedsSown", INT)
    trial = construct(
        TRIAL,
        seedsSown=given,
        **{"class": null(optional(STRING))},
        medium=text("agar"),
    )
    return Operation(
        name="addTrial",
        parameters=(Parameter(name="seedsSown", type=INT),),
        returns=INT,
        private=False,
        requires=(),
        when=None,
        body=(
            st.Append(field="trials", element=TRIAL, value=trial),
            st.Return(value=call(INT, Fn.COUNT, mine_trials())),
        ),
        mutates=True,
    )


def seal(name: str) -> st.Statement:
    return st.Invoke(
        receiver=name,
        aggregate=LOT,
        operation="seal",
        arguments=(text("room closed"), truth(False)),
        bind="",
        mutates=True,
    )
