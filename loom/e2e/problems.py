"""What an end-to-end test may find, as diagnostics: they point into the model.

In: a place and the fields that the wording prints. Out: message and help. Never: how the test was run.
"""

from __future__ import annotations

from typing import ClassVar

from loom.base import Diagnostic


class ScenarioFailed(Diagnostic):
    """A statement of an end-to-end test does not hold against the running service.

    The message says what was asked and what came back, or which value was found and which expected. The statements
    before it held; those behind it did not run.
    """

    message: ClassVar[str] = "`{scenario}` does not hold: {reason}"
    help: ClassVar[str] = "mend what the model says of it, or expect what it gives"

    scenario: str
    reason: str
