"""What a change in one context can reach: signatures and the contexts that a context names."""

from __future__ import annotations

from loom.lower import ContextSignature, lower_context, lower_shared, named_contexts, shown, signature
from loom.parse import ast, parse
from tests.kit.lowering import contexts_of

FIELD = """
context DeepField {
  aggregate RoverUnit with crudish {
    className: string
    station: BaseStation id
    operation drive(to: int) { precondition to > LIMIT }
    derived display: string = className
  }
  repository RoverUnits for RoverUnit { find bySerial(className: string): RoverUnit? }
}
"""
GROUND = """
context GroundControl { aggregate BaseStation { HTTPAddress: string } enum SignalKind { Radio None } }
context LunarControl { aggregate OrbitStation { order: int } }
"""


def contexts(text: str) -> dict[str, ast.Context]:
    result = parse("model.ddd", text.encode())
    assert result.diagnostics == ()
    return {item.name: item for item in contexts_of(result.ast)}


def field(limit: str) -> ast.Context:
    return contexts(FIELD.replace("LIMIT", limit))["DeepField"]


def ground() -> list[ContextSignature]:
    return [signature(item) for item in contexts(GROUND).values()]


def test_a_body_is_no_part_of_a_signature() -> None:
    assert signature(field("1")) == signature(field("2"))
    assert signature(field("1")).digest() == signature(field("2")).digest()


def test_a_new_operation_changes_a_signature() -> None:
    wider = FIELD.replace("derived display", "operation stop() { className := className }\n    derived display")
    assert signature(contexts(wider.replace("LIMIT", "1"))["DeepField"]) != signature(field("1"))


def test_a_context_names_those_whose_aggregates_it_refers_to() -> None:
    assert named_contexts(field("1"), shown([signature(field("1")), *ground()])) == ("GroundControl",)


def test_all_who_declare_a_name_are_named() -> None:
    twin = signature(contexts("context SouthControl { aggregate BaseStation { end: int } }")["SouthControl"])
    assert named_contexts(field("1"), shown([*ground(), twin])) == ("GroundControl", "SouthControl")
    assert shown([]).declaring("BaseStation") == shown(ground()).declaring("ZenithStation") == ()


def test_a_name_that_is_declared_at_home_names_nobody_else() -> None:
    own = FIELD.replace("context DeepField {", "context DeepField { aggregate BaseStation { order: int }")
    assert named_contexts(contexts(own.replace("LIMIT", "1"))["DeepField"], shown(ground())) == ()


def test_a_context_lowers_against_the_signatures_of_those_that_it_names() -> None:
    all_signatures = ground()
    shared = lower_shared([], all_signatures).signature
    named = named_contexts(field("1"), shown(all_signatures))
    few = lower_context(field("1"), "model.ddd", shared, [item for item in all_signatures if item.name in named])
    many = lower_context(field("1"), "model.ddd", shared, all_signatures)
    assert few.diagnostics == () and few == many


EVENTS = """
context CraneYard { aggregate YardCrane { class: string } }
context YardOffice {
  event CraneHired { HTTPCrane: YardCrane id, order: int }
  aggregate CraneHire with crudish { order: int  operation hire() { ORDER } }
}
context YardBilling {
  workflow billing { crane: YardCrane id  create(hired: CraneHired) by hired.HTTPCrane { requires hired.order > 0 } }
}
"""


def test_who_hears_an_event_names_those_too_whose_ids_it_holds() -> None:
    declared = contexts(EVENTS.replace("crane: YardCrane id", "total: int").replace("ORDER", ""))
    known = shown([signature(item) for item in declared.values()])
    assert named_contexts(declared["YardBilling"], known) == ("CraneYard", "YardOffice")


def test_an_event_of_another_context_has_the_fields_that_it_has_there() -> None:
    declared = contexts(EVENTS.replace("ORDER", ""))
    signatures = [signature(item) for item in declared.values()]
    shared = lower_shared([], signatures).signature
    assert lower_context(declared["YardBilling"], "model.ddd", shared, signatures).diagnostics == ()


def test_of_bodies_a_signature_tells_the_events_alone() -> None:
    emit = "emit CraneHired { HTTPCrane: crane, order: 1 }"
    quiet, busy, telling = (
        signature(contexts(EVENTS.replace("ORDER", body))["YardOffice"]) for body in ("", "order := 2", emit)
    )
    assert quiet == busy != telling
    assert (quiet.emitted, telling.emitted) == ((), ("CraneHired",))


def test_the_signature_of_the_root_holds_no_function_body() -> None:
    one, two = (
        lower_shared([("root.ddd", parse("root.ddd", text.encode()).ast)], [])
        for text in ("function half(x: int): decimal = x / 2", "function half(x: int): decimal = x / 3")
    )
    assert one.shared != two.shared
    assert one.signature == two.signature
