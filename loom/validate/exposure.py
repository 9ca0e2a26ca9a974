"""Fields that must stay inside, shown through derived values.

In: an aggregate or part. Out: SecretExposed.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Diagnostic, descendants
from loom.ir import program as ir
from loom.ir.expressions import Field, FieldKind, This
from loom.validate.problems import SecretExposed
from loom.validate.where import Where

_HIDDEN = (ir.Access.SECRET, ir.Access.INTERNAL)


def secrets(owner: ir.Aggregate | ir.Part, path: tuple[str, ...], where: Where) -> Iterator[Diagnostic]:
    """A derived value is on the wire; what it only compares or counts cannot be told from what it shows."""
    hidden = {item.name: item.access for item in owner.properties if item.access in _HIDDEN}
    for item in owner.derived if hidden else ():
        for node in descendants(item.value):
            match node:
                case Field(receiver=This(), name=name, kind=FieldKind.PROPERTY) if name in hidden:
                    at = where(*path, item.name)
                    yield SecretExposed(at=at, name=item.name, field=name, access=hidden[name].value)
                    break
