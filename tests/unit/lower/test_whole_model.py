"""One model with every construct that Loom understands is lowered, validated and planned without a word."""

from __future__ import annotations

from pathlib import Path

from loom.base import Value
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.expressions import Arithmetics, Conditional, Convert, Domain
from loom.ir.types import DECIMAL, MONEY
from loom.parse import parse
from tests.kit.lowering import Lowered, lower_files
from tests.kit.planned import lowered as planning
from tests.kit.planned import planned

MODEL = Path(__file__).parent / "observatory.ddd"


def lowered() -> Lowered:
    result = parse(MODEL.name, MODEL.read_bytes())
    assert result.diagnostics == ()
    return lower_files({MODEL.name: result.ast})


def telescope() -> ir.Aggregate:
    return next(item for item in lowered().context("Observing").context.aggregates if item.name == "Telescope")


def operation(name: str) -> ir.Operation:
    return next(item for item in telescope().operations if item.name == name)


def test_nothing_is_reported() -> None:
    model = lowered()
    assert [problem.text() for problem in (*model.diagnostics(), *model.validated())] == []


def test_nothing_is_reported_of_its_plan() -> None:
    """Its end-to-end test sends and reads objects, parts, collections, optionals and ids."""
    assert [problem.text() for problem in planned(planning({MODEL.name: MODEL.read_bytes()})).diagnostics] == []


def test_what_was_lowered_reads_back_equal() -> None:
    for lowered_context in lowered().contexts:
        for value in (lowered_context.context, lowered_context.places, lowered_context.uses):
            assert Value.from_canonical(value.canonical()) == value


def test_crudish_expands_to_a_create_an_update_and_a_destroy() -> None:
    aggregate = telescope()
    assert aggregate.create is not None and aggregate.destroy is not None
    created = [item.name for item in aggregate.create.parameters]
    updated = [item.name for item in operation("update").parameters]
    assert "serialNumber" in created and "mount" in created and "state" not in created
    assert "serialNumber" not in updated and "pin" in updated and "note" not in updated
    assert all(item.default is None for item in operation("update").parameters)


def test_the_leading_requires_join_the_header_and_leave_the_body() -> None:
    reserve = operation("reserve")
    assert [gate.source for gate in reserve.requires] == ["isRemote || !isRemote", "apertureMm > 0"]
    assert not any(isinstance(item, st.Requires) for item in reserve.body)
    assert reserve.when is not None and reserve.when.source == "state == Idle"


def test_money_times_a_number_takes_the_number_as_decimal() -> None:
    earnings = next(item.value for item in telescope().derived if item.name == "earnings")
    assert isinstance(earnings, Arithmetics) and earnings.domain is Domain.MONEY
    product = earnings.operands[0]
    assert isinstance(product, Arithmetics)
    assert [operand.type for operand in product.operands] == [MONEY, DECIMAL]
    assert isinstance(product.operands[1], Convert)


def test_a_null_guard_makes_the_branch_certain() -> None:
    retired = next(item.value for item in telescope().derived if item.name == "retired")
    assert isinstance(retired, Conditional)
    assert retired.then.type == retired.type == retired.otherwise.type


def test_an_operation_without_an_effect_does_not_mutate() -> None:
    assert {item.name for item in telescope().operations if not item.mutates} == {"hoursLeft"}


def test_a_sibling_that_mutates_makes_its_caller_mutate() -> None:
    calls = [item for item in operation("reserve").body if isinstance(item, st.Invoke)]
    assert [(item.receiver, item.operation, item.mutates) for item in calls] == [("", "touch", True)]


def test_factory_calls_give_every_input_in_order() -> None:
    context = lowered().context("Observing").context
    ticket = next(item for item in context.aggregates if item.name == "MaintenanceTicket")
    workflow = next(item for item in context.workflows if item.name == "openTicket")
    made = [item for create in workflow.creates for item in walk(create.body) if isinstance(item, st.CreateInstance)]
    assert ticket.create is not None
    inputs = [item.name for item in ticket.create.parameters]
    assert len(made) == 2 and all([given.name for given in item.arguments] == inputs for item in made)


def walk(body: tuple[st.Statement, ...]) -> list[st.Statement]:
    found: list[st.Statement] = []
    for item in body:
        found.append(item)
        if isinstance(item, st.ForEach):
            found += walk(item.body)
    return found


def test_a_bare_not_found_names_the_lookup() -> None:
    context = lowered().context("Observing").context
    workflow = next(item for item in context.workflows if item.name == "openTicket")
    misses = [item for item in workflow.creates[1].body if isinstance(item, st.IfLet)]
    assert [item.otherwise for item in misses] == [
        (st.NotFound(detail="Telescope not found"),),
        (st.NotFound(detail="no such serial"),),
    ]
