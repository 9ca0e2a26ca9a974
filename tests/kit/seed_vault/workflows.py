"""The workflows of the seed vault: a command record, reads by key and by find, a loop, a not-found, a deletion."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import Comparison, Domain, FieldKind, FunctionCall, FunctionScope
from loom.ir.members import Parameter
from loom.ir.program import Function, Workflow, WorkflowCreate
from loom.ir.types import INT, LONG, NOTHING, STRING, RecordType, Ref
from tests.kit.build import add, compare, field, integer, literal, local, text, value
from tests.kit.seed_vault.names import CONTEXT, DONOR, DONOR_ID, DONOR_TYPE, LOT, LOT_ID, LOT_TYPE, RECEIVED, RECORD
from tests.kit.seed_vault.operations import seal
from tests.kit.seed_vault.properties import sample_inputs, values_of


def workflows() -> tuple[Workflow, ...]:
    return (
        Workflow(
            name="ReceiveSeedLot", transactional=True, isolation=None, functions=(_slack(),), creates=(_receive(),)
        ),
        Workflow(
            name="SealRoom", transactional=False, isolation=None, functions=(), creates=(_seal_room(), _seal_one())
        ),
    )


def _slack() -> Function:
    days = local("days", INT)
    doubled = FunctionCall(
        type=INT,
        scope=FunctionScope.ROOT,
        owner=Ref(context="", name="doubled"),
        name="doubled",
        receiver=None,
        arguments=(days,),
    )
    body = (st.Return(value=add(INT, Domain.INT, doubled, integer(1))),)
    return Function(name="slack", parameters=(Parameter(name="days", type=INT),), returns=INT, body=body)


def _receive() -> WorkflowCreate:
    """A command record, a read by key, a fresh aggregate, a mutated one, an event and a result."""
    command = local("command", RecordType(ref=RECORD))
    tag = field(command, "RFIDTag", STRING)
    lot, donor = local("lot", LOT_TYPE), local("donor", DONOR_TYPE)
    order = FunctionCall(
        type=INT,
        scope=FunctionScope.WORKFLOW,
        owner=Ref(context=CONTEXT, name="ReceiveSeedLot"),
        name="slack",
        receiver=None,
        arguments=(field(command, "order", INT),),
    )
    donor_id = field(donor, "id", DONOR_ID, FieldKind.ID)
    arguments = dict(sample_inputs()) | {"RFIDTag": tag, "order": order, "mainDonor": donor_id}
    key = st.Read(
        kind=st.ReadKind.BY_KEY,
        aggregate=DONOR,
        cardinality=st.Cardinality.ONE,
        key=("fullName",),
        arguments=(field(command, "donorName", STRING),),
    )
    return WorkflowCreate(
        name="",
        parameters=(Parameter(name="command", type=RecordType(ref=RECORD)),),
        record=RECORD,
        returns=LOT_ID,
        requires=(),
        body=(
            st.Precondition(
                condition=compare(Comparison.NE, Domain.STRING, tag, text("")),
                message="a lot needs its tag",
                source='command.RFIDTag != ""',
            ),
            st.Load(name="donor", read=key),
            st.CreateInstance(name="lot", aggregate=LOT, arguments=values_of(arguments)),
            st.Invoke(receiver="donor", aggregate=DONOR, operation="credit", arguments=(), bind="", mutates=True),
            st.Emit(event=RECEIVED, fields=(value("RFIDTag", tag), value("donor", donor_id))),
            st.Return(value=field(lot, "id", LOT_ID, FieldKind.ID)),
        ),
    )


def _seal_room() -> WorkflowCreate:
    """A loop over a find, with a save an iteration."""
    read = st.Read(
        kind=st.ReadKind.FIND,
        aggregate=LOT,
        cardinality=st.Cardinality.MANY,
        name="inRoom",
        arguments=(local("room", STRING), local("from", DONOR_ID)),
    )
    return WorkflowCreate(
        name="",
        parameters=(Parameter(name="room", type=STRING), Parameter(name="from", type=DONOR_ID)),
        record=None,
        returns=NOTHING,
        requires=(),
        body=(st.ForEach(name="lot", source=None, read=read, body=(seal("lot"),)),),
    )


def _seal_one() -> WorkflowCreate:
    """An optional find, a not-found, and a deletion in a branch."""
    read = st.Read(
        kind=st.ReadKind.FIND,
        aggregate=LOT,
        cardinality=st.Cardinality.OPTIONAL,
        name="byTag",
        arguments=(local("RFIDTag", STRING),),
    )
    empty = compare(Comparison.EQ, Domain.LONG, field(local("lot", LOT_TYPE), "seedCount", LONG), literal(LONG, "0"))
    remove = st.Delete(name="lot", aggregate=LOT)
    return WorkflowCreate(
        name="single",
        parameters=(Parameter(name="RFIDTag", type=STRING),),
        record=None,
        returns=NOTHING,
        requires=(),
        body=(
            st.IfLet(
                name="lot",
                source=None,
                read=read,
                then=(st.If(condition=empty, then=(remove,), otherwise=(seal("lot"),)),),
                otherwise=(st.NotFound(detail="SeedLot not found"),),
            ),
        ),
    )
