"""Expressions in Python services.

In: expressions and locals. Out: a module as the backend writes its own, and what it prints.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from loom.backends.python import spelling
from loom.backends.python.code import types
from loom.backends.python.code.renderer import PythonRenderer
from loom.backends.python.text.blocks import Function
from loom.backends.python.text.imports import import_lines
from loom.backends.python.text.statements import Signature, Statement, laid_out
from loom.emit.index import ServiceIndex
from loom.emit.renderer import ATOM, Code
from loom.ir.expressions import Expr, Literal
from loom.ir.types import DATETIME
from tests.kit.expression_model import NOW_VALUE
from tests.kit.expression_runs import Outcome, Target, Values, constant, kind_of, lay_out, outcomes, service

PROGRAMS = Path(__file__).parent / "programs"


class _Constants(PythonRenderer):
    """The language has no literals of instants; tests need them."""

    def literal(self, e: Literal) -> Code:
        if e.type == DATETIME:
            return Code(f"datetime.fromtimestamp(0, UTC) + timedelta(milliseconds={e.text})", ATOM)
        return super().literal(e)


def module(written_by: type[PythonRenderer], expressions: Sequence[Expr], values: Values) -> str:
    index = ServiceIndex(service("python"))
    renderer, constants = written_by(index), _Constants(index)
    needs: set[str] = renderer.needs
    constants.needs = needs
    functions = []
    for number, e in enumerate(expressions):
        head = Signature(f"def case_{number}", (), types.annotation(e.type, needs))
        functions.append(Function(head, (Statement("return ", renderer.line(e)),)).text())
    lines = []
    for name, (type_, value) in values.items():
        annotation, text = types.annotation(type_, needs), constants.line(constant(value, type_))
        lines.append(laid_out(Statement(f"{spelling.local_name(name)}: ", annotation, " = ", text), 0))
    needs |= {"datetime:UTC", "datetime:datetime", "datetime:timedelta"}
    return "\n\n\n".join([f"{import_lines(needs)}\n\n" + "\n".join(lines), *functions]) + "\n"


def prepare(folder: Path) -> None:
    lay_out("python", folder)
    shutil.copy(PROGRAMS / "show.py", folder)


def run(folder: Path, text: str, expressions: Sequence[Expr]) -> list[Outcome]:
    cases = ", ".join(f"(case_{n}, {kind_of(e.type, spelling.member_name)!r})" for n, e in enumerate(expressions))
    (folder / "batch.py").write_text(f"{text}\nNOW = {NOW_VALUE}\nCASES = [{cases}]\n", encoding="utf-8")
    return outcomes([sys.executable, "show.py"], folder)


def unformatted(folder: Path, text: str) -> str:
    (folder / "module.py").write_text(text, encoding="utf-8")
    command = ["ruff", "format", "--isolated", "--line-length", "100", "--diff", "module.py"]
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode != 0 else ""


def mistyped(folder: Path, text: str) -> str:
    """What the type checker says about a module, with the settings of a service."""
    (folder / "batch.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-incremental", "--config-file", "pyproject.toml", "batch.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    # The service around it lacks its dependencies here.
    own = [line for line in done.stdout.splitlines() if line.startswith("batch.py")]
    return "\n".join(own) + done.stderr


PYTHON = Target("python", PythonRenderer, module, prepare, run, unformatted)
