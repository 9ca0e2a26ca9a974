"""`Agg.create(…)`: three spellings of one factory call.

In: a call as written and the aggregate. Out: one value for every input, in order.
Never: a saved instance without what it requires: an aggregate that no create completes is reported here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from loom.base import misspelt, nearest
from loom.ir import statements as ir
from loom.ir.expressions import Expr, FieldKind, FieldValue
from loom.ir.program import Access
from loom.ir.types import OptionalType
from loom.lower.bodies.definite import required
from loom.lower.expressions.arguments import left_out
from loom.lower.expressions.builtin.members import counted
from loom.lower.expressions.defaults import hint
from loom.lower.expressions.sensitivity import NONE, check_flow
from loom.lower.problems.members import CreateFieldUnassigned
from loom.lower.problems.repositories import (
    CreateFieldType,
    CreateServerField,
    CreateUnknownField,
    WorkflowCreateArgs,
    WorkflowCreateMissingField,
)
from loom.lower.scope.aggregates import canonical_create, has_create, is_event_sourced
from loom.lower.scope.frames import ENTRIES, UNTOLD, Frame
from loom.lower.scope.relations import fitted, show
from loom.lower.scope.shapes import AggregateShape, ParameterShape, Tags
from loom.parse import ast

Case = Literal["many", "none", "mixed", "unknown", "twice", "sourced"]
_SERVER = (Access.MANAGED, Access.TOKEN, Access.INTERNAL)


class Given(NamedTuple):
    at: int
    value: ast.Expression


class Factory(NamedTuple):
    """One factory call."""

    frame: Frame
    node: ast.Call
    shape: AggregateShape

    @property
    def name(self) -> str:
        return self.shape.instance.name

    def refuse(self, at: int, case: Case, name: str) -> None:
        inputs = ", ".join(item.name for item in self.shape.inputs)
        place = self.frame.at(at)
        if case == "unknown" and self.frame.body not in ENTRIES:
            near = nearest(name, [item.name for item in self.shape.inputs])
            self.frame.report(CreateUnknownField(at=place, aggregate=self.name, name=name, nearest=near))
            return
        case = "none" if case in ("many", "unknown") and not inputs else case
        self.frame.report(WorkflowCreateArgs(at=place, case=case, aggregate=self.name, name=name, inputs=inputs))


def factory_target(frame: Frame, node: ast.Expression) -> AggregateShape | None:
    """The aggregate that `node` creates, if it is a factory call on one."""
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=head), name="create")) if head not in frame.locals:
            return frame.scope.tables.aggregates.get(head)
        case _:
            return None


def create_instance(frame: Frame, node: ast.Call, shape: AggregateShape, name: str) -> ir.CreateInstance | None:
    factory = Factory(frame, node, shape)
    if is_event_sourced(shape.declaration) and canonical_create(shape.declaration) is None:
        factory.refuse(node.at, "sourced", "")
        return None
    given = _given(factory)
    if given is None:
        for argument in node.arguments:
            if not isinstance(argument.value, ast.ObjectLiteral):
                frame.lower(argument.value, None)
        return None
    meant = misspelt(_names(node), (item.name for item in shape.inputs))
    taken = [item for item in shape.inputs if item.name not in meant]
    values = [_value(factory, item, given.get(item.name)) for item in taken]
    _check_complete(factory)
    if meant or any(value is None for value in values):
        return None
    arguments = tuple(
        FieldValue(name=item.name, value=value)
        for item, value in zip(shape.inputs, values, strict=True)
        if value is not None
    )
    return ir.CreateInstance(name=name, aggregate=shape.ref, arguments=arguments)


def _given(factory: Factory) -> dict[str, Given] | None:
    """The values by input; None when they map onto no record of inputs."""
    arguments = factory.node.arguments
    named = [item for item in arguments if item.name]
    if len(arguments) == 1 and isinstance(arguments[0].value, ast.ObjectLiteral) and not named:
        fields = arguments[0].value.fields
        return _by_name(factory, [(item.at, item.name, item.value) for item in fields])
    if named and len(named) < len(arguments):
        factory.refuse(factory.node.at, "mixed", "")
        return None
    if named:
        return _by_name(factory, [(item.at, item.name, item.value) for item in named])
    inputs = factory.shape.inputs
    if len(arguments) > len(inputs):
        factory.refuse(arguments[len(inputs)].at, "many", counted(len(inputs)))
        return None
    pairs = zip(inputs, arguments, strict=False)
    return {item.name: Given(argument.at, argument.value) for item, argument in pairs}


def _names(node: ast.Call) -> Iterator[str]:
    """The names that values are given by."""
    for item in node.arguments:
        if isinstance(item.value, ast.ObjectLiteral):
            yield from (field.name for field in item.value.fields)
        elif item.name:
            yield item.name


def _by_name(factory: Factory, fields: list[tuple[int, str, ast.Expression]]) -> dict[str, Given]:
    known = {item.name for item in factory.shape.inputs}
    given: dict[str, Given] = {}
    for at, name, value in fields:
        if name in given:
            factory.refuse(at, "twice", name)
        elif name in known:
            given[name] = Given(at, value)
            continue
        else:
            _unknown(factory, at, name)
        factory.frame.lower(value, None)
    return given


def _unknown(factory: Factory, at: int, name: str) -> None:
    member = factory.shape.instance.members.get(name)
    if factory.shape.instance.is_partial and member is None:
        return
    is_server = member is not None and (member.access in _SERVER or member.kind in (FieldKind.ID, FieldKind.VERSION))
    if is_server:
        place = factory.frame.at(at)
        factory.frame.report(CreateServerField(at=place, aggregate=factory.name, name=name))
    else:
        factory.refuse(at, "unknown", name)


def _value(factory: Factory, wanted: ParameterShape, given: Given | None) -> Expr | None:
    frame = factory.frame
    if given is None:
        if wanted.has_default or isinstance(wanted.type, OptionalType):
            return left_out(frame, wanted)
        if wanted.type is not None:  # what is wrong with its type has been told
            at = frame.at(factory.node.at)
            frame.report(WorkflowCreateMissingField(at=at, aggregate=factory.name, name=wanted.name))
        return None
    value = frame.lower(given.value, wanted.type or UNTOLD)
    if value is None or wanted.type is None:
        return None
    fit = fitted(value, wanted.type)
    if fit is None:
        expected, found = show(wanted.type), show(value.type)
        problem = CreateFieldType(
            at=frame.at(given.value.at),
            aggregate=factory.name,
            name=wanted.name,
            expected=expected,
            found=found,
            hint=hint(wanted.type, value.type),
        )
        frame.report(problem)
    check_flow(frame, given.value.at, fit, f"{factory.name}.{wanted.name}", _kept(factory, wanted.name))
    return fit


def _kept(factory: Factory, name: str) -> Tags:
    """How sensitive the field is that an input fills."""
    member = factory.shape.instance.members.get(name)
    return member.tags if member is not None else NONE


def _check_complete(factory: Factory) -> None:
    """An aggregate without a create has its writable fields set from the call, and nothing else."""
    if has_create(factory.shape.declaration) or factory.shape.instance.is_partial:
        return
    inputs = {item.name for item in factory.shape.inputs}
    at = factory.frame.at(factory.node.at)
    for name in required(factory.shape.instance):
        if name not in inputs:
            factory.frame.report(CreateFieldUnassigned(at=at, case="unset", name=name, owner=factory.name))
