"""The context of the seed vault, put together."""

from __future__ import annotations

from loom.ir.program import Context, Enum, Event, Property, Record
from loom.ir.types import DATETIME, INT, STRING
from tests.kit.build import integer
from tests.kit.seed_vault.donor import donor
from tests.kit.seed_vault.lot import lot
from tests.kit.seed_vault.names import CONTEXT, DONOR_ID, LOT_ID
from tests.kit.seed_vault.values import climate_reading, storage_spot
from tests.kit.seed_vault.workflows import workflows


def seed_vault() -> Context:
    return Context(
        name=CONTEXT,
        enums=(Enum(name="LotState", values=("Open", "Sealed", "True")),),
        value_objects=(storage_spot(), climate_reading()),
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
        aggregates=(lot(), donor()),
        workflows=workflows(),
    )
