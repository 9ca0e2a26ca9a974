"""Runs expressions on the reference and on the runtime of a backend, a whole batch in one process.

In: expressions, and locals with their values. Out: what each is worth, as JSON: the value, or `{"refusal": detail}`.
Numbers, instants (milliseconds) and durations are texts, so that nothing is compared as floating point; a value of
a class that its type does not have is an error of its own.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import loom.backends
from loom.emit.backend import DepsLock, backend
from loom.emit.renderer import Renderer
from loom.ir.expressions import (
    Construct,
    EnumLiteral,
    Expr,
    FieldValue,
    ListLiteral,
    Literal,
    Null,
)
from loom.ir.types import (
    ArrayType,
    EnumType,
    OptionalType,
    Scalar,
    ScalarKind,
    Type,
    ValueObjectType,
)
from loom.plan.model import ServicePlan
from loom.plan.service import plan_service
from tests.kit.evaluator import NOW, Refusal, evaluate, plain
from tests.kit.expression_model import LOCALS, NOW_VALUE, POINT_FIELDS, SOURCE
from tests.kit.planned import lowered, planned
from tests.kit.sample import sample_facts

Values = Mapping[str, tuple[Type, Any]]
Outcome = Any


class Target(NamedTuple):
    """A backend as the tests use it.

    `module_by` writes a batch with a renderer, `prepare` makes a folder that modules can be run in, `unformatted`
    says what the formatter would change in a module.
    """

    name: str
    renderer: type[Renderer]
    module_by: Callable[[type[Any], Sequence[Expr], Values], str]
    prepare: Callable[[Path], None]
    run: Callable[[Path, str, Sequence[Expr]], list[Outcome]]
    unformatted: Callable[[Path, str], str]

    def module(self, expressions: Sequence[Expr], values: Values) -> str:
        return self.module_by(self.renderer, expressions, values)

    def written_by(self, renderer: type[Renderer]) -> Target:
        """The same with another renderer."""
        return self._replace(renderer=renderer)


@cache
def service(platform: str) -> ServicePlan:
    """The service around the expressions, for its enum and its value object."""
    model = lowered({"main.ddd": SOURCE.replace("PLATFORM", platform).encode()})
    plans = planned(model)
    assert not plans.diagnostics, [problem.text() for problem in plans.diagnostics]
    deployable = model.system.deployables[0]
    return plan_service(model.system.name, deployable, sample_facts(platform), list(plans.contexts), model.shared)


def lay_out(platform: str, folder: Path) -> None:
    """The project of `service`, with all of the runtime."""
    rule = Path(__file__).parents[2] / "rules" / "deps"
    texts = {"requirements.lock": "", "package.json": "{}", "package-lock.json": "{}"}
    texts |= {file.name: file.read_text(encoding="utf-8") for file in rule.glob(f"{platform}/*") if file.is_file()}
    for file in backend(platform).files(service(platform), DepsLock(files=tuple(texts.items()))):
        place = folder / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.text, encoding="utf-8")
    static = Path(loom.backends.__file__).parent / platform / "static"
    shutil.copytree(static, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


def reference(expressions: Iterable[Expr], values: Values = LOCALS) -> list[Outcome]:
    environment = {name: value for name, (_, value) in values.items()} | {NOW: NOW_VALUE}
    return [_evaluated(e, environment) for e in expressions]


def _evaluated(e: Expr, environment: Mapping[str, Any]) -> Outcome:
    try:
        return shown(evaluate(e, environment), e.type)
    except Refusal as refusal:
        return {"refusal": str(refusal)}


def shown(value: Any, type_: Type) -> Outcome:  # noqa: ANN401 - a value of the language
    """A value of the reference as JSON."""
    match type_:
        case OptionalType(of=inner):
            return None if value is None else shown(value, inner)
        case ArrayType(of=element):
            return [shown(item, element) for item in value]
        case ValueObjectType():
            return {name: shown(value[name], kind) for name, kind in POINT_FIELDS}
        case Scalar(kind=ScalarKind.DECIMAL | ScalarKind.MONEY):
            return plain(value, 12).rstrip("0").rstrip(".")
        case Scalar(kind=ScalarKind.INT | ScalarKind.LONG | ScalarKind.DATETIME | ScalarKind.DURATION):
            return str(value)
        case _:
            return value


def kind_of(type_: Type, spelled: Callable[[str], str]) -> Any:  # noqa: ANN401 - JSON
    """A type as the programs that print values read it."""
    match type_:
        case OptionalType(of=inner):
            return ["optional", kind_of(inner, spelled)]
        case ArrayType(of=element):
            return ["list", kind_of(element, spelled)]
        case ValueObjectType():
            return ["object", [[name, spelled(name), kind_of(kind, spelled)] for name, kind in POINT_FIELDS]]
        case EnumType():
            return "enum"
        case Scalar(kind=kind):
            return kind.value
    raise TypeError(type_)


def constant(value: Any, type_: Type) -> Expr:  # noqa: ANN401 - a value of the language
    """`value` as an expression; what has no literal, such as an instant, is written as its number."""
    match type_:
        case _ if value is None:
            return Null(type=type_)
        case OptionalType(of=inner):
            return constant(value, inner)
        case ArrayType(of=element):
            return ListLiteral(type=type_, items=tuple(constant(item, element) for item in value))
        case ValueObjectType():
            fields = tuple(FieldValue(name=name, value=constant(value[name], kind)) for name, kind in POINT_FIELDS)
            return Construct(type=type_, fields=fields)
        case EnumType():
            return EnumLiteral(type=type_, value=value)
        case _:
            text = shown(value, type_)
            return Literal(type=type_, text=text if isinstance(text, str) else str(text).lower())


def outcomes(command: Sequence[str], folder: Path) -> list[Outcome]:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    answers: list[Outcome] = json.loads(done.stdout)
    return answers
