"""Recordings: requests with the answers that every backend must give, byte for byte.

A recording is YAML: `against` (deployables) and `exchanges`. An exchange has a `name`, `request` (`method`, `path`, and
`body` as text, `headers`), and what must come back: `status`, `headers` (those that matter) and `body` as text. `bind`
names members of the answer by JSON pointer; `{name}` stands for them in later paths and bodies, and in the recorded
body. `volatile` lists pointers whose value is a time or an id that nothing refers to: it is recorded as `~`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.kit.services import Answer, Service

Exchange = dict[str, Any]


def load(file: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return loaded


def replay(recording: Mapping[str, Any], service: Service) -> Iterator[tuple[Exchange, Exchange]]:
    """Each exchange as recorded and as it happened now."""
    bound: dict[str, str] = {}
    for exchange in recording["exchanges"]:
        answer = send(exchange["request"], bound, service)
        bound |= {name: at(answer.body, pointer) for name, pointer in exchange.get("bind", {}).items()}
        yield exchange, {**exchange, **happened(exchange, answer, bound)}


def send(request: Mapping[str, Any], bound: Mapping[str, str], service: Service) -> Answer:
    body = request.get("body")
    data = None if body is None else filled(body, bound).encode()
    return service.send(request["method"], filled(request["path"], bound), data, request.get("headers"))


def happened(exchange: Exchange, answer: Answer, bound: Mapping[str, str]) -> Exchange:
    """The answer in the form in which it is recorded."""
    found: Exchange = {"status": answer.status}
    if "headers" in exchange:
        found["headers"] = {name: answer.headers.get(name, "") for name in exchange["headers"]}
    found["body"] = recorded(answer.body.decode(), exchange.get("volatile", ()), bound)
    return found


def filled(text: str, bound: Mapping[str, str]) -> str:
    for name, value in bound.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def recorded(body: str, volatile: list[str], bound: Mapping[str, str]) -> str:
    """`body` with volatile members as `~` and bound values by their names; all other bytes as they are."""
    for pointer in volatile:
        body = body.replace(json.dumps(at(body.encode(), pointer)), '"~"')
    for name, value in bound.items():
        body = body.replace(value, f"{{{name}}}")
    return body


def at(body: bytes, pointer: str) -> str:
    """The text at a JSON pointer; `""` is the whole body."""
    found = json.loads(body)
    for part in pointer.split("/")[1:]:
        found = found[int(part)] if isinstance(found, list) else found[part]
    return str(found)


class Text(str):
    """Printed as a block, so that a body can be read."""


yaml.SafeDumper.add_representer(
    Text, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="|")
)


def save(file: Path, recording: Mapping[str, Any], exchanges: list[Exchange]) -> None:
    text = yaml.safe_dump({**recording, "exchanges": exchanges}, sort_keys=False, allow_unicode=True, width=1000)
    file.write_text(text, encoding="utf-8")
