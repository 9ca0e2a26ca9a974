"""A number that may be absent, where a wider one is wanted."""

from __future__ import annotations

from loom.backends.python.code.renderer import PythonRenderer
from loom.emit.index import ServiceIndex
from loom.ir.expressions import Convert
from loom.ir.types import DECIMAL, INT, LONG, OptionalType
from tests.kit.build import local, optional
from tests.kit.sample import sample_service

COUNT = local("class", optional(INT))


def spelled(kind: OptionalType) -> tuple[str, set[str]]:
    renderer = PythonRenderer(ServiceIndex(sample_service("python")))
    return str(renderer.line(Convert(type=kind, operand=COUNT))), renderer.needs


def test_absence_is_kept_where_the_value_changes() -> None:
    assert spelled(OptionalType(of=DECIMAL)) == ("None if class_ is None else Decimal(class_)", {"decimal:Decimal"})


def test_a_wider_integer_is_the_same() -> None:
    assert spelled(OptionalType(of=LONG)) == ("class_", set())
