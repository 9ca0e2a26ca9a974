"""Fields that must stay inside, shown through derived values or projections.

In: an aggregate or part; a context. Out: SecretExposed.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Diagnostic, descendants
from loom.ir import program as ir
from loom.ir.expressions import Field, FieldKind, Local, This
from loom.ir.types import AggregateType
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
                    yield SecretExposed(at=at, case="derived", name=item.name, field=name, access=hidden[name].value)
                    break


def selected(context: ir.Context, where: Where) -> Iterator[Diagnostic]:
    """Rows of projections are on the wire; a row that is a whole aggregate is so in its own wire form."""
    hidden = {
        (aggregate.name, item.name): item.access
        for aggregate in context.aggregates
        for item in aggregate.properties
        if item.access in _HIDDEN
    }
    for projection in context.projections if hidden else ():
        for node in descendants(projection.query.selects if projection.query is not None else ()):
            match node:
                case Field(receiver=This(type=AggregateType(ref=ref)) | Local(type=AggregateType(ref=ref)), name=name):
                    access = hidden.get((ref.name, name))
                    if access is not None:
                        at, shown = where(projection.name), projection.name
                        yield SecretExposed(at=at, case="select", name=shown, field=name, access=access.value)
