"""The driver's script: requests are filled from what was bound, and a broken expectation is one clear line."""

from __future__ import annotations

import pytest

from loom.e2e.driver.script import Answer, ScenarioFailure, Step, run_scenario


class Recorder:
    """A service that answers what it is told, and remembers what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str, bytes | None]] = []

    def __call__(self, method: str, path: str, body: bytes | None) -> Answer:
        self.asked.append((method, path, body))
        return self.answers.pop(0)


CREATE: Step = {
    "send": {"method": "POST", "path": ["/api/a"], "body": ["object", [["n", ["number", "2.60"]]]]},
    "bind": "dish",
}
READ: Step = {"send": {"method": "GET", "path": ["/api/a/", ["path", "dish", []], ""]}, "bind": "seen"}


def expectation(
    actual: list[object], expected: list[object], matcher: str = "toBe", by: str = "json", *, negated: bool = False
) -> Step:
    return {"expect": actual, "matcher": matcher, "by": by, "expected": expected, "negated": negated}


def test_a_handle_stands_for_its_id_and_numbers_keep_their_digits() -> None:
    service = Recorder((201, b'{"id": "x y"}'), (200, b"{}"))
    run_scenario([CREATE, READ], service)
    assert service.asked == [("POST", "/api/a", b'{"n": 2.60}'), ("GET", "/api/a/x%20y", None)]


def test_a_find_sends_its_members_as_a_query() -> None:
    call = {
        "method": "GET",
        "path": ["/api/a/in"],
        "query": ["object", [["order", ["number", "1"]], ["gone", ["null"]]]],
    }
    service = Recorder((200, b"[]"))
    run_scenario([{"send": call, "bind": ""}], service)
    assert service.asked == [("GET", "/api/a/in?order=1", None)]


def test_numbers_compare_by_value_and_members_are_followed() -> None:
    service = Recorder((201, b'{"id": "1"}'), (200, b'{"lines": [{"order": 1.50}], "ok": true}'))
    steps = [
        CREATE,
        READ,
        expectation(["path", "seen", ["lines", "first", "order"]], ["number", "1.5"]),
        expectation(["path", "seen", ["lines", "count"]], ["number", "1"]),
        expectation(["path", "seen", ["ok"]], ["number", "1"], negated=True),
        expectation(["text", "b"], ["text", "a"], "toBeGreaterThan"),
        expectation(
            ["text", "2031-01-01T00:00:00Z"], ["text", "2031-01-01T01:00:00+01:00"], "toBeSameInstant", "instant"
        ),
    ]
    run_scenario(steps, service)


def test_a_handle_is_compared_by_its_id() -> None:
    service = Recorder((201, b'{"id": "7"}'), (201, b'{"id": "8"}'), (200, b'{"id": "9", "owner": "7"}'))
    steps = [
        {**CREATE, "bind": "owner"},
        {**CREATE, "bind": "other"},
        READ | {"send": {"method": "GET", "path": ["/api/a"]}},
        expectation(["path", "seen", ["owner"]], ["path", "owner", []]),
        expectation(["path", "owner", []], ["path", "seen", ["owner"]]),
        expectation(["path", "owner", []], ["path", "owner", []]),
        expectation(["path", "owner", []], ["path", "other", []], negated=True),
        expectation(["path", "seen", ["owner"]], ["path", "other", []], negated=True),
    ]
    run_scenario(steps, service)


@pytest.mark.parametrize(
    ("steps", "answers", "message"),
    [
        ([CREATE], [(422, b"no")], r"step 1: POST /api/a answered 422: no"),
        ([expectation(["number", "1"], ["number", "2"])], [], r"step 1: 1 should be 2"),
        ([expectation(["number", "1"], ["number", "1"], negated=True)], [], r"1 should not be 1"),
        (
            [{"refuse": {"method": "GET", "path": ["/x"]}, "status": 409}],
            [(404, b"")],
            "should be refused with 409, answered 404",
        ),
        ([{"refuse": {"method": "GET", "path": ["/x"]}, "status": 0}], [(500, b"")], "should be refused, answered 500"),
        ([CREATE, expectation(["path", "dish", []], ["text", "2"])], [(201, b'{"id": "1"}')], '"1" should be "2"'),
        ([CREATE, expectation(["path", "dish", ["clas"]], ["null"])], [(201, b'{"id": "1"}')], "there is no `clas`"),
    ],
)
def test_what_does_not_hold_is_said(steps: list[Step], answers: list[Answer], message: str) -> None:
    with pytest.raises(ScenarioFailure, match=message):
        run_scenario(steps, Recorder(*answers))
