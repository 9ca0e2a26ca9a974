"""A fixed number of inputs through the whole front end: those that a fuzzer kept, and texts that are nearly models."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.mutations import mutated, seeds
from tests.fuzz.target import exercise

ROUNDS, EACH = 10, 60
TEXTS = seeds()
KEPT = Path(__file__).with_name("kept")


def checked(name: str, data: bytes) -> None:
    try:
        exercise(data)
    except Exception as fault:
        raise AssertionError(f"{name} is a fault: {data!r}") from fault


def test_what_reached_code_that_nothing_else_reached_is_sound() -> None:
    kept = sorted(KEPT.iterdir())
    assert len(kept) > 100
    for path in kept:
        checked(path.name, path.read_bytes())


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_mutated_models_are_sound(seed: int) -> None:
    chance = random.Random(seed)
    for number in range(EACH):
        checked(f"mutation {seed}/{number}", mutated(chance, TEXTS))


def test_mutations_are_the_same_each_time_and_mostly_no_models() -> None:
    once, again = ([mutated(random.Random(seed), TEXTS) for seed in range(40)] for _ in range(2))
    assert once == again
    assert len(set(once)) > 35 and not set(once) & {text.encode() for text in TEXTS[:1]}


def test_fault_of_the_front_end_is_shown_with_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.target.lower_files", {}.__getitem__)
    with pytest.raises(AssertionError, match="seeded is a fault: b'context"):
        checked("seeded", b"context SeedVault { }")
