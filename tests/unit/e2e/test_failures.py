"""Which lines of the driver are about a step, whatever the scenarios are called."""

from __future__ import annotations

import pytest

from loom.e2e.failures import step_of

NAMES = ("a dish", "a dish: step 9: of two", "FAILED", "")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("FAILED a dish: step 3: 1 should be 2\n", ("a dish", 3, "1 should be 2")),
        ("FAILED FAILED: step 12: it: step 4: was\n", ("FAILED", 12, "it: step 4: was")),
        ("FAILED : step 1: no\n", ("", 1, "no")),
        ("FAILED a dish: the service was not ready within 60 seconds:\n", None),
        ("FAILED another dish: step 3: 1 should be 2\n", None),
        ("passed a dish: step 3: 1 should be 2\n", None),
        ("FAILED a dish: step 0: no\n", None),
    ],
)
def test_line_about_a_step_is_taken_apart(line: str, expected: tuple[str, int, str] | None) -> None:
    assert step_of(line, NAMES) == expected
