"""Every backend answers what was reviewed, byte for byte; no backend is compared with another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.recording import load, recorded, replay, save
from tests.kit.services import Service

RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.yaml"))
CASES = [(file, slug) for file in RECORDINGS for slug in load(file)["against"]]


@pytest.mark.parametrize(("file", "slug"), CASES, ids=[f"{file.stem}-{slug}" for file, slug in CASES])
def test_answers_are_as_recorded(
    file: Path, slug: str, start: Callable[[str], Service], request: pytest.FixtureRequest
) -> None:
    recording = load(file)
    pairs = list(replay(recording, start(slug)))
    if request.config.getoption("update"):
        save(file, recording, [now for _, now in pairs])
        return
    assert [now for _, now in pairs] == [then for then, _ in pairs]


def test_a_changed_byte_would_be_seen() -> None:
    body = '{"id":"a1","order":1}'
    assert recorded(body, [], {"proposal": "a1"}) == '{"id":"{proposal}","order":1}'
    assert recorded(body.replace("1}", "1.0}"), [], {}) != recorded(body, [], {})
