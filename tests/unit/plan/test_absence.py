"""Optional collections."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.expressions import Call, Compare, Comparison, Construct, Domain, FieldValue, Fn, ListLiteral
from loom.ir.places import Places
from loom.ir.program import Function, Property
from loom.ir.types import BOOL, STRING, Ref, ValueObjectType
from loom.plan.context import plan_context
from loom.plan.facts import ContextFacts
from loom.plan.history import History
from loom.plan.model import ContextPlan, SharedPlan
from loom.plan.wire.inputs import property_inputs
from loom.plan.wire.schemas import component_names, input_schema
from tests.kit.build import (
    EMPTY,
    aggregate,
    array,
    compare,
    context,
    field,
    null,
    optional,
    self_type,
    this,
    value_object,
)

LABELS = optional(array(STRING))
EMPTY_LIST = ListLiteral(type=array(STRING), items=())
TAGS = ValueObjectType(ref=Ref(context="Herbarium", name="TagSet"))
SELF = self_type("Herbarium", "PressedSheet")


def planned() -> ContextPlan:
    mine = field(this(SELF), "labels", LABELS)
    is_bare = compare(Comparison.EQ, Domain.NULL, mine, null(LABELS))
    built = Construct(type=TAGS, fields=(FieldValue(name="class", value=null(LABELS)),))
    sheet = aggregate("PressedSheet", Property(name="labels", type=LABELS)).model_copy(
        update={
            "functions": (
                Function(name="isBare", parameters=(), returns=BOOL, body=(st.Return(value=is_bare),)),
                Function(name="tags", parameters=(), returns=TAGS, body=(st.Return(value=built),)),
            )
        }
    )
    model = context("Herbarium", sheet, objects=(value_object("TagSet", Property(name="class", type=LABELS)),))
    plan, problems = plan_context(model, EMPTY, Places(entries=()), ContextFacts(schema_name="herbarium"), History())
    assert problems == ()
    return plan


def returned(name: str) -> object:
    (function,) = [item for item in planned().aggregates[0].functions if item.name == name]
    (step,) = function.body
    assert isinstance(step, st.Return)
    return step.value


def test_a_request_may_leave_it_out_or_say_null() -> None:
    """Its type is that of the contract, a collection; what its absence means is said for every backend."""
    (tags,) = planned().value_objects[0].inputs.inputs
    assert (tags.type, tags.default, tags.required, tags.is_lenient) == (array(STRING), EMPTY_LIST, False, True)
    assert input_schema(tags, component_names(SharedPlan(enums=(), value_objects=(), functions=()), ())) == {
        "type": ["array", "null"],
        "items": {"type": "string", "pattern": "^[^\\u0000]*$"},
    }


def test_a_collection_that_must_be_there_is_never_null() -> None:
    (plain,) = property_inputs((Property(name="class", type=array(STRING), default=EMPTY_LIST),))
    assert (plain.default, plain.is_lenient) == (EMPTY_LIST, False)


def test_the_field_is_a_collection_that_starts_empty() -> None:
    (found,) = planned().aggregates[0].fields
    assert found.type == array(STRING)
    assert found.initial == EMPTY_LIST


def test_equal_to_null_is_having_no_element() -> None:
    value = returned("isBare")
    assert isinstance(value, Compare) and isinstance(value.left, Call)
    assert (value.op, value.domain, value.left.fn) == (Comparison.EQ, Domain.INT, Fn.COUNT)
    assert value.left.arguments[0].type == array(STRING)


def test_null_in_a_construction_is_the_empty_collection() -> None:
    value = returned("tags")
    assert isinstance(value, Construct)
    assert value.fields[0].value == EMPTY_LIST
