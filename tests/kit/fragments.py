"""Models and pieces of models that pages show, and everything that the compiler says about them.

In: a text, and what pages say is around it. Out: diagnostics.
"""

from __future__ import annotations

from loom.base import Diagnostic, Severity
from loom.lower.problems import UnsupportedFeature
from loom.parse import parse
from tests.kit.lowering import lower_files
from tests.kit.planned import lowered, planned

AROUND = {
    "": "{}",
    "in context": "context Example {{\n{}\n}}",
    "in aggregate": "context Example {{\naggregate Example {{\n{}\n}}\n}}",
}


def said(place: str, text: str) -> list[Diagnostic]:
    """What each stage says, as far as the stages before it let it; plans are made of what can be planned."""
    data = AROUND[place].format(text).encode()
    parsed = parse("page.ddd", data)
    if parsed.diagnostics:
        return list(parsed.diagnostics)
    model = lower_files({"page.ddd": parsed.ast})
    found = [*model.diagnostics(), *model.unplanned(), *model.validated()]
    if model.system is None or any(item.severity is Severity.ERROR for item in found):
        return found
    return [*found, *planned(lowered({"page.ddd": data})).diagnostics]


def mistakes(place: str, text: str) -> list[Diagnostic]:
    """The same without what is right and cannot be compiled yet."""
    return [item for item in said(place, text) if not isinstance(item, UnsupportedFeature)]
