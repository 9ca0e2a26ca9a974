"""The properties of a seed lot, one of each type and access, and a value for each input of its create."""

from __future__ import annotations

from loom.ir.expressions import Comparison, Domain, Expr, FieldValue, Fn, ListLiteral, Now
from loom.ir.program import Access, Check, Property
from loom.ir.types import BOOL, DATETIME, DECIMAL, GUID, INT, JSON, LONG, MONEY, STRING, Type
from tests.kit.build import (
    array,
    call,
    compare,
    construct,
    enum_value,
    integer,
    literal,
    null,
    optional,
    text,
    truth,
    value,
)
from tests.kit.seed_vault.names import DONOR_ID, ORIGIN, READING, SPAN, SPOT, STATE, mine


def lot_properties() -> tuple[Property, ...]:
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


def writable(properties: tuple[Property, ...], *access: Access) -> tuple[Property, ...]:
    return tuple(item for item in properties if item.access in access)


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


def values_of(given: dict[str, Expr]) -> tuple[FieldValue, ...]:
    inputs = writable(lot_properties(), Access.EDITABLE, Access.IMMUTABLE, Access.SECRET)
    return tuple(value(item.name, given[item.name]) for item in inputs)


def _empty(kind: Type) -> Expr:
    return ListLiteral(type=kind, items=())
