"""What routes that change an aggregate do, step by step."""

from __future__ import annotations

from loom.plan.http import RouteStep
from tests.kit.planned import context_of

MODEL = """
context ClockWorks {
    valueobject DialFace { hours: int check hours > 0 }
    aggregate TurretClock {
        end: int
        create(end: int) { end := end }
        operation wind(class: int) { end := class }
        operation look(): int { return end }
        operation replaceDial(face: DialFace) requires end > 0 { end := face.hours }
        DESTROY
    }
}
"""


def steps(destroy: str = "destroy { }") -> dict[str, tuple[RouteStep, ...]]:
    (aggregate,) = context_of(MODEL.replace("DESTROY", destroy)).aggregates
    return {route.member or route.kind.value: route.steps for route in aggregate.routes if route.steps}


def test_an_operation_checks_the_version_before_it_saves() -> None:
    assert steps()["wind"] == (RouteStep.LOAD, RouteStep.CALL, RouteStep.CHECK_VERSION, RouteStep.SAVE)


def test_what_changes_nothing_saves_nothing() -> None:
    assert steps()["look"] == (RouteStep.LOAD, RouteStep.CALL, RouteStep.CHECK_VERSION)


def test_gates_come_before_values_that_have_rules() -> None:
    assert steps()["replaceDial"][:3] == (RouteStep.LOAD, RouteStep.ADMIT, RouteStep.CALL)


def test_a_delete_calls_what_has_something_to_do() -> None:
    assert steps()["destroy"] == (RouteStep.LOAD, RouteStep.CHECK_VERSION, RouteStep.DELETE)
    guarded = steps("destroy { precondition end > 0 }")["destroy"]
    assert guarded == (RouteStep.LOAD, RouteStep.CALL, RouteStep.CHECK_VERSION, RouteStep.DELETE)


def test_a_route_that_only_reads_has_no_steps_of_a_change() -> None:
    assert set(steps()) == {"wind", "look", "replaceDial", "destroy"}
