"""Runs one scenario's steps: fills requests from what was bound, sends them, compares answers.

In: a scenario of the script (its format: `loom.plan.scenarios.script`), a function that sends. Out: nothing.
Raises `ScenarioFailure` at the first step that does not hold. Standard library only: it runs in the sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from urllib.parse import quote, urlencode

Json = None | bool | int | Decimal | str | list["Json"] | dict[str, "Json"]
Compared = Json | datetime
Answer = tuple[int, bytes]
Send = Callable[[str, str, bytes | None], Answer]
Node = list[object]
Step = dict[str, object]


class ScenarioFailure(Exception):
    """What did not hold, in one line."""


def run_scenario(steps: list[Step], send: Send) -> None:
    """All `steps` in order against the service behind `send`."""
    bound: dict[str, Json] = {}
    for number, step in enumerate(steps, 1):
        try:
            run_step(step, bound, send)
        except ScenarioFailure as failure:
            raise ScenarioFailure(f"step {number}: {failure}") from None


def run_step(step: Step, bound: dict[str, Json], send: Send) -> None:
    if "send" in step:
        bound[str(step["bind"])] = expect_success(*request(as_dict(step["send"]), bound, send))
    elif "refuse" in step:
        expect_refusal(as_dict(step["refuse"]), int(str(step["status"])), bound, send)
    elif "let" in step:
        bound[str(step["let"])] = value(as_node(step["value"]), bound)
    else:
        expect(step, bound)


def request(call: dict[str, object], bound: Mapping[str, Json], send: Send) -> tuple[str, int, bytes]:
    """What was asked (for messages), the status and the body."""
    pieces = call["path"] if isinstance(call["path"], list) else []
    path = "".join(piece if isinstance(piece, str) else quote(handle(value(piece, bound)), "") for piece in pieces)
    if "query" in call:
        path += query(value(as_node(call["query"]), bound))
    body = json_text(value(as_node(call["body"]), bound)).encode() if "body" in call else None
    status, answer = send(str(call["method"]), path, body)
    return f"{call['method']} {path}", status, answer


def query(members: Json) -> str:
    if not isinstance(members, dict) or not members:
        return ""
    return "?" + urlencode({name: plain(member) for name, member in members.items() if member is not None})


def expect_success(asked: str, status: int, answer: bytes) -> Json:
    if not 200 <= status < 300:
        raise ScenarioFailure(f"{asked} answered {status}: {answer.decode(errors='replace')}")
    return json.loads(answer, parse_float=Decimal) if answer else None


def expect_refusal(call: dict[str, object], status: int, bound: Mapping[str, Json], send: Send) -> None:
    asked, found, answer = request(call, bound, send)
    if found < 400 or found >= 500 or status not in (0, found):
        wanted = f"refused with {status}" if status else "refused"
        raise ScenarioFailure(f"{asked} should be {wanted}, answered {found}: {answer.decode(errors='replace')}")


def expect(step: Step, bound: Mapping[str, Json]) -> None:
    actual, expected = (as_body(value(as_node(step[side]), bound)) for side in ("expect", "expected"))
    read, matcher = READERS[str(step["by"])], str(step["matcher"])
    if MATCHERS[matcher](read(actual), read(expected)) == bool(step["negated"]):
        word = "not " if step["negated"] else ""
        raise ScenarioFailure(f"{json_text(actual)} should {word}{WORDING[matcher]} {json_text(expected)}")


def amount(found: Json) -> Json:
    """A text as the amount of money that it writes."""
    try:
        return Decimal(found) if isinstance(found, str) else found
    except InvalidOperation:
        raise ScenarioFailure(f"{json_text(found)} is no amount of money") from None


def instant(found: Json) -> datetime:
    """A text as the instant that it writes, with its offset."""
    try:
        read = datetime.fromisoformat(str(found))
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        raise ScenarioFailure(f"{json_text(found)} is no datetime")
    return read


READERS: dict[str, Callable[[Json], Compared]] = {"json": lambda found: found, "amount": amount, "instant": instant}


def ordered(left: Compared, right: Compared) -> int:
    """Negative, zero or positive; numbers and instants by value, texts by code point."""
    if isinstance(left, str) and isinstance(right, str):
        return (left > right) - (left < right)
    if isinstance(left, datetime) and isinstance(right, datetime):
        return (left > right) - (left < right)
    try:
        return int(Decimal(str(left)).compare(Decimal(str(right))))
    except ArithmeticError:
        raise ScenarioFailure(f"{left} and {right} have no order") from None


MATCHERS: dict[str, Callable[[Compared, Compared], bool]] = {
    "toBe": lambda actual, expected: same(actual, expected),
    "toBeGreaterThan": lambda actual, expected: ordered(actual, expected) > 0,
    "toBeGreaterThanOrEqual": lambda actual, expected: ordered(actual, expected) >= 0,
    "toBeLessThan": lambda actual, expected: ordered(actual, expected) < 0,
    "toBeLessThanOrEqual": lambda actual, expected: ordered(actual, expected) <= 0,
    "toBeSameInstant": lambda actual, expected: same(actual, expected),
}
WORDING = {
    "toBe": "be",
    "toBeGreaterThan": "be greater than",
    "toBeGreaterThanOrEqual": "be at least",
    "toBeLessThan": "be less than",
    "toBeLessThanOrEqual": "be at most",
    "toBeSameInstant": "be the same instant as",
}


def same(left: Compared, right: Compared) -> bool:
    """Equality of JSON: numbers by value, and a boolean is never a number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def value(node: Node, bound: Mapping[str, Json]) -> Json:
    """What a VALUE of the script stands for."""
    kind, *rest = node
    match kind:
        case "text":
            return str(rest[0])
        case "number":
            return Decimal(str(rest[0]))
        case "bool":
            return bool(rest[0])
        case "null":
            return None
        case "object":
            return {str(name): as_body(value(as_node(member), bound)) for name, member in as_list(rest[0])}
        case "array":
            return [as_body(value(item, bound)) for item in as_list(rest[0])]
        case "concat":
            return "".join(plain(value(part, bound)) for part in as_list(rest[0]))
        case _:
            return follow(bound[str(rest[0])], [str(member) for member in as_list(rest[1])])


def follow(found: Json, members: list[str]) -> Json:
    """`found` with `members` followed; `count`, `length` and `first` speak of a list or a text."""
    for member in members:
        if isinstance(found, dict) and member in found:
            found = found[member]
        elif isinstance(found, list | str) and member in ("count", "length"):
            found = len(found)
        elif isinstance(found, list) and found and member == "first":
            found = found[0]
        else:
            raise ScenarioFailure(f"there is no `{member}` in {json_text(found)}")
    return found


def as_body(found: Json) -> Json:
    """The handle of a create stands for its id wherever it is sent or compared."""
    return found["id"] if isinstance(found, dict) and list(found) == ["id"] else found


def handle(found: Json) -> str:
    return plain(found["id"] if isinstance(found, dict) and "id" in found else found)


def plain(found: Json) -> str:
    return found if isinstance(found, str) else json_text(found)


def json_text(found: Json) -> str:
    """JSON with numbers exactly as they were read."""
    if isinstance(found, Decimal):
        return format(found, "f")
    if isinstance(found, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {json_text(member)}" for name, member in found.items()) + "}"
    if isinstance(found, list):
        return "[" + ", ".join(map(json_text, found)) + "]"
    return json.dumps(found, ensure_ascii=False)


def as_dict(found: object) -> dict[str, object]:
    return found if isinstance(found, dict) else {}


def as_node(found: object) -> Node:
    return found if isinstance(found, list) else ["null"]


def as_list(found: object) -> list[Node]:
    return found if isinstance(found, list) else []
