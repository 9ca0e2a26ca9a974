"""Whether steps need what is called by a name."""

from __future__ import annotations

import pytest

from loom.ir import statements as st
from loom.ir.types import BOOL, AggregateType, Ref
from loom.plan.code.walk import mentions
from loom.plan.steps import DeleteStep, Guard, IfStep, Save, Step, Track, Tracked
from tests.kit.build import local

KILN = Ref(context="GlassWorks", name="LeadKiln")
YES = local("isLit", BOOL)
READ = st.Return(value=local("class", AggregateType(ref=KILN)))


def invoked(receiver: str) -> Step:
    return st.Invoke(receiver=receiver, aggregate=KILN, operation="fire", arguments=(), bind="", mutates=True)


@pytest.mark.parametrize(
    "step",
    [
        READ,
        IfStep(condition=YES, then=(), otherwise=(READ,)),
        Save(name="class", aggregate=KILN),
        DeleteStep(name="class", aggregate=KILN),
        invoked("class"),
    ],
)
def test_reading_changing_and_storing_mention_a_name(step: Step) -> None:
    assert mentions([Guard(condition=YES, detail="no"), step], "class")
    assert not mentions([step], "end")


def test_a_note_alone_does_not() -> None:
    assert not mentions([Track(name="class", state=Tracked.BOUND)], "class")
    assert not mentions([invoked("end")], "class")
