"""Rendered expressions are worth what the reference says, however long they are and however their locals are called."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import loom.backends.python
from loom.backends.python import spelling
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.index import Index
from loom.backends.python.text.formatting import formatted
from loom.backends.python.text.imports import import_lines
from loom.ir.expressions import Expr
from tests.kit.evaluator import Refusal, evaluate
from tests.kit.random_expressions import LOCALS, any_expression
from tests.kit.sample import sample_service

STATIC = Path(loom.backends.python.__file__).parent / "static"
INDEX = Index(sample_service("python"))


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[None]:
    """The emitted runtime, importable as `app`."""
    sys.path.insert(0, str(STATIC))
    yield
    sys.path.remove(str(STATIC))
    for name in [name for name in sys.modules if name.split(".")[0] == "app"]:
        del sys.modules[name]


def module_of(e: Expr) -> str:
    """A module with one function that returns `e`."""
    renderer = PythonRenderer(INDEX)
    body = renderer.line(e)
    parameters = ", ".join(f"{spelling.local_name(name)}: object" for name in LOCALS)
    imports = import_lines(renderer.needs)
    head = "from __future__ import annotations\n\n" + (f"{imports}\n\n" if imports else "")
    return formatted(f"{head}\ndef value({parameters}) -> object:\n    return {body}\n")


def as_decimal(value: object) -> object:
    """What Python computes with where the reference has a fraction."""
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return tuple(map(as_decimal, value)) if isinstance(value, tuple) else value


def as_fraction(value: object) -> object:
    if isinstance(value, Decimal):
        return Fraction(value)
    return tuple(map(as_fraction, value)) if isinstance(value, list | tuple) else value


def computed(source: str) -> object:
    scope: dict[str, Any] = {}
    exec(compile(source, "<expression>", "exec"), scope)
    from app.errors import DomainError

    try:
        return as_fraction(scope["value"](*(as_decimal(value) for _, value in LOCALS.values())))
    except DomainError as refusal:
        return f"422 {refusal.detail}"


def expected(e: Expr) -> object:
    try:
        return evaluate(e, {name: value for name, (_, value) in LOCALS.items()})
    except Refusal as refusal:
        return f"422 {refusal}"


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_expression())
def test_random_expressions_agree_with_the_reference(e: Expr) -> None:
    source = module_of(e)
    assert computed(source) == expected(e), source


_written: list[str] = []


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_expression(5))
def _collect(e: Expr) -> None:
    _written.append(module_of(e))


def test_long_expressions_are_laid_out_as_the_formatter_would(tmp_path: Path) -> None:
    _collect()
    for number, source in enumerate(_written):
        (tmp_path / f"m{number}.py").write_text(source)
    command = ["ruff", "format", "--isolated", "--line-length", "100", "--diff", "."]
    told = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout[:3000] + told.stderr[-2000:]
