"""A seed vault: one small context with every construct that a backend must emit, as IR, without a parser."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import (
    Comparison,
    Domain,
    Expr,
    FieldKind,
    FieldValue,
    Fn,
    FunctionCall,
    FunctionScope,
    ListLiteral,
    Now,
)
from loom.ir.program import (
    Access,
    Aggregate,
    Check,
    Containment,
    Context,
    Create,
    Derived,
    Destroy,
    Enum,
    Event,
    Find,
    Function,
    Gate,
    Invariant,
    Operation,
    Parameter,
    Part,
    Property,
    Record,
    Shared,
    Test,
    ValueObject,
    Workflow,
    WorkflowCreate,
)
from loom.ir.types import (
    BOOL,
    DATETIME,
    DECIMAL,
    GUID,
    INT,
    JSON,
    LONG,
    MONEY,
    NOTHING,
    STRING,
    EnumType,
    IdType,
    PartType,
    RecordType,
    Ref,
    Type,
    ValueObjectType,
)
from tests.kit.build import (
    add,
    array,
    both,
    call,
    compare,
    construct,
    each,
    enum_value,
    field,
    integer,
    literal,
    local,
    null,
    optional,
    self_type,
    text,
    this,
    truth,
    value,
)

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


def has_state(name: str) -> Expr:
    return compare(Comparison.EQ, Domain.ENUM, mine("state", STATE), enum_value(STATE, name))


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


def _storage_spot() -> ValueObject:
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


def _climate_reading() -> ValueObject:
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


def _parts() -> tuple[Part, ...]:
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


def _lot_properties() -> tuple[Property, ...]:
    tag = mine("RFIDTag", STRING)
    length = compare(Comparison.GE, Domain.INT, call(INT, Fn.LENGTH, tag), integer(4))
    return (
        Property(
            name="RFIDTag",
            type=STRING,
            access=Access.IMMUTABLE,
            check=Check(
                condition=length,
                message="a tag has at least 4 characters",
                source="RFIDTag.length >= 4",
                projected=True,
            ),
        ),
        Property(name="order", type=INT, default=integer(10)),
        Property(name="group", type=optional(STRING)),
        Property(name="class", type=ORIGIN),
        Property(name="from", type=DATETIME, default=Now(type=DATETIME)),
        Property(name="state", type=STATE, access=Access.MANAGED, default=enum_value(STATE, "Open")),
        Property(name="seedCount", type=LONG),
        Property(name="moisture", type=DECIMAL),
        Property(name="insuredValue", type=optional(MONEY)),
        Property(name="isOrganic", type=BOOL),
        Property(name="batchKey", type=optional(GUID)),
        Property(name="metadata", type=optional(JSON)),
        Property(name="spot", type=SPOT),
        Property(name="span", type=optional(SPAN)),
        Property(name="readings", type=array(READING)),
        Property(name="labels", type=array(STRING)),
        Property(name="donors", type=array(DONOR_ID)),
        Property(name="mainDonor", type=optional(DONOR_ID)),
        Property(name="lockCode", type=optional(STRING), access=Access.SECRET),
        Property(name="auditNote", type=optional(STRING), access=Access.INTERNAL),
    )


def _writable(properties: tuple[Property, ...], *access: Access) -> tuple[Property, ...]:
    return tuple(item for item in properties if item.access in access)


def _assignments(properties: tuple[Property, ...]) -> tuple[st.Statement, ...]:
    return tuple(st.Assign(path=(item.name,), type=item.type, value=local(item.name, item.type)) for item in properties)


def _lot_create(properties: tuple[Property, ...]) -> Create:
    inputs = _writable(properties, Access.EDITABLE, Access.IMMUTABLE, Access.SECRET)
    return Create(
        parameters=tuple(Parameter(name=item.name, type=item.type, default=item.default) for item in inputs),
        requires=(),
        body=_assignments(inputs),
    )


def _lot_update(properties: tuple[Property, ...]) -> Operation:
    inputs = _writable(properties, Access.EDITABLE, Access.SECRET)
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


def mine_trials() -> Expr:
    return field(LOT_SELF, "trials", array(TRIAL), FieldKind.CONTAINMENT)


def _lot_operations(properties: tuple[Property, ...]) -> tuple[Operation, ...]:
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


def _lot() -> Aggregate:
    properties = _lot_properties()
    sown = each("trial", TRIAL, field(local("trial", TRIAL), "seedsSown", INT))
    tag_known = compare(Comparison.NE, Domain.STRING, mine("RFIDTag", STRING), text(""))
    return Aggregate(
        name="SeedLot",
        properties=properties,
        containments=(Containment(name="trials", part="GerminationTrial", many=True, optional=False),),
        parts=_parts(),
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
        operations=_lot_operations(properties),
        create=_lot_create(properties),
        destroy=Destroy(requires=(), body=()),
        repository="SeedLots",
        finds=_lot_finds(),
        tests=(_lot_test(),),
    )


def sample_inputs() -> dict[str, Expr]:
    """A value for every input of a seed lot's create."""
    return {
        "RFIDTag": text("R-0001"),
        "class": enum_value(ORIGIN, "Wild"),
        "seedCount": literal(LONG, "5"),
        "order": integer(10),
        "group": null(optional(STRING)),
        "from": Now(type=DATETIME),
        "moisture": literal(DECIMAL, "0.5"),
        "insuredValue": literal(MONEY, "12.5"),
        "isOrganic": truth(False),
        "batchKey": null(optional(GUID)),
        "metadata": null(optional(JSON)),
        "spot": construct(SPOT, room=text("North"), shelf=integer(1), order=null(optional(INT))),
        "span": null(optional(SPAN)),
        "readings": _empty(array(READING)),
        "labels": _empty(array(STRING)),
        "donors": _empty(array(DONOR_ID)),
        "mainDonor": null(optional(DONOR_ID)),
        "lockCode": null(optional(STRING)),
    }


def _values(given: dict[str, Expr]) -> tuple[FieldValue, ...]:
    inputs = _writable(_lot_properties(), Access.EDITABLE, Access.IMMUTABLE, Access.SECRET)
    return tuple(value(item.name, given[item.name]) for item in inputs)


def _lot_test() -> Test:
    return Test(
        name="a sealed lot cannot be sealed again",
        body=(
            st.CreateInstance(name="lot", aggregate=LOT, arguments=_values(sample_inputs())),
            _seal("lot"),
            st.Expect(
                actual=field(local("lot", LOT_TYPE), "state", STATE),
                matcher=st.Matcher.TO_BE,
                expected=enum_value(STATE, "Sealed"),
                negated=False,
            ),
            st.ExpectThrow(attempt=_seal("lot")),
        ),
    )


def _empty(kind: Type) -> Expr:
    return ListLiteral(type=kind, items=())


def _donor() -> Aggregate:
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


def _workflows() -> tuple[Workflow, ...]:
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
            st.CreateInstance(name="lot", aggregate=LOT, arguments=_values(arguments)),
            st.Invoke(receiver="donor", aggregate=DONOR, operation="credit", arguments=(), bind="", mutates=True),
            st.Emit(event=RECEIVED, fields=(value("RFIDTag", tag), value("donor", donor_id))),
            st.Return(value=field(lot, "id", LOT_ID, FieldKind.ID)),
        ),
    )


def _seal(name: str) -> st.Statement:
    return st.Invoke(
        receiver=name,
        aggregate=LOT,
        operation="seal",
        arguments=(text("room closed"), truth(False)),
        bind="",
        mutates=True,
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
        body=(st.ForEach(name="lot", source=None, read=read, body=(_seal("lot"),)),),
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
                then=(st.If(condition=empty, then=(remove,), otherwise=(_seal("lot"),)),),
                otherwise=(st.NotFound(detail="SeedLot not found"),),
            ),
        ),
    )


def seed_vault() -> Context:
    return Context(
        name=CONTEXT,
        enums=(Enum(name="LotState", values=("Open", "Sealed", "True")),),
        value_objects=(_storage_spot(), _climate_reading()),
        events=(
            Event(
                name="LotSealed",
                fields=(
                    Property(name="lot", type=LOT_ID),
                    Property(name="closingNote", type=STRING),
                    Property(name="end", type=DATETIME),
                ),
            ),
            Event(
                name="LotReceived",
                fields=(Property(name="RFIDTag", type=STRING), Property(name="donor", type=DONOR_ID)),
            ),
        ),
        records=(
            Record(
                name="ReceiveLot",
                fields=(
                    Property(name="RFIDTag", type=STRING),
                    Property(name="donorName", type=STRING),
                    Property(name="order", type=INT, default=integer(1)),
                ),
            ),
        ),
        aggregates=(_lot(), _donor()),
        workflows=_workflows(),
    )
