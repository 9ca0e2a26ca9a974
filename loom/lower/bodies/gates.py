"""Gates: the header's `requires`, and the run of them that a body begins with.

In: a header condition and a body. Out: the gates in order, and the rest of the body.
"""

from __future__ import annotations

from itertools import takewhile

from loom.ir.program import Gate
from loom.lower.bodies.conditions import gate
from loom.lower.scope.frames import Frame
from loom.parse import ast


def gates(
    frame: Frame, header: ast.Expression | None, body: tuple[ast.Statement, ...]
) -> tuple[tuple[Gate, ...], tuple[ast.Statement, ...]]:
    leading = list(takewhile(lambda item: isinstance(item, ast.Requires), body))
    written = [] if header is None else [header]
    written += [item.condition for item in leading if isinstance(item, ast.Requires)]
    made = [gate(frame, item, "a gate") for item in written]
    return tuple(item for item in made if item is not None), body[len(leading) :]
