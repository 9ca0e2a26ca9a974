"""What a call gives to parameters: by position, converted, with defaults filled in.

In: a call as written and parameters. Out: one value for each, or None when one is wrong.
"""

from __future__ import annotations

from loom.ir.expressions import Expr, Null
from loom.ir.types import OptionalType
from loom.lower.expressions.defaults import hint, parameter_default
from loom.lower.problems.expressions import CallArgCount, CallArgType, CallNamedArg
from loom.lower.scope.frames import UNTOLD, Frame
from loom.lower.scope.relations import fitted, show
from loom.lower.scope.shapes import ParameterShape
from loom.parse import ast


def passed(frame: Frame, node: ast.Call, name: str, parameters: tuple[ParameterShape, ...]) -> tuple[Expr, ...] | None:
    """One value for each parameter, by position, defaults filled in; None when one is wrong."""
    for argument in node.arguments:
        if argument.name:
            frame.report(CallNamedArg(at=frame.at(argument.at), name=name, argument=argument.name))
            return None
    required = sum(1 for item in parameters if not may_be_left_out(item))
    if not required <= len(node.arguments) <= len(parameters):
        frame.report(wrong_count(frame, node, name, parameters, required))
        for argument in node.arguments:
            frame.lower(argument.value, None)
        return None
    given = [
        argument_value(frame, name, argument, parameter)
        for argument, parameter in zip(node.arguments, parameters, strict=False)
    ]
    rest = [left_out(frame, item) for item in parameters[len(given) :]]
    whole = [value for value in (*given, *rest) if value is not None]
    return tuple(whole) if len(whole) == len(parameters) else None


def may_be_left_out(parameter: ParameterShape) -> bool:
    return parameter.has_default or isinstance(parameter.type, OptionalType)


def left_out(frame: Frame, parameter: ParameterShape) -> Expr | None:
    """The value of a parameter that the caller does not give."""
    if parameter.has_default:
        return parameter_default(frame, parameter)
    return Null(type=parameter.type) if parameter.type is not None else None


def wrong_count(
    frame: Frame, node: ast.Call, name: str, parameters: tuple[ParameterShape, ...], required: int
) -> CallArgCount:
    most = len(parameters)
    expected = {0: "no argument", 1: "one argument"}.get(most, f"{most} arguments")
    if required < most:
        expected = f"{required} to {most} arguments"
    names = ", ".join(f"{item.name}: {show(item.type)}" for item in parameters)
    found = len(node.arguments)
    return CallArgCount(
        at=frame.at(node.at),
        case="some" if names else "none",
        name=name,
        expected=expected,
        found=found,
        parameters=names,
    )


def argument_value(frame: Frame, name: str, argument: ast.Argument, parameter: ParameterShape) -> Expr | None:
    value = frame.lower(argument.value, parameter.type or UNTOLD)
    if value is None or parameter.type is None:
        return None
    fit = fitted(value, parameter.type)
    if fit is not None:
        return fit
    expected, found = show(parameter.type), show(value.type)
    return frame.fail(
        CallArgType(
            at=frame.at(argument.at),
            name=name,
            parameter=parameter.name,
            expected=expected,
            found=found,
            hint=hint(parameter.type, value.type),
        )
    )
