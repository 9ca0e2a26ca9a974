"""Calls of resources: an object store, a queue, another service, a mailer.

In: calls as written. Out: resolved statements, with the messages that they send.
"""

from __future__ import annotations

from typing import NamedTuple

from loom.base import Feature
from loom.ir import statements as ir
from loom.ir.expressions import Expr
from loom.ir.types import JSON, NOTHING, EventType, NothingType, PageType, PartType, Type, WorkflowType
from loom.lower.expressions.arguments import argument_value, wrong_count
from loom.lower.expressions.names import is_value_name
from loom.lower.problems.expressions import CallNamedArg
from loom.lower.problems.resources import ResourceMessage, ResourceOpInTransaction, ResourceVerbInvalid
from loom.lower.problems.workflows import WorkflowUnrecognisedStatement
from loom.lower.scope.frames import ENTRIES, Body, Frame
from loom.lower.scope.relations import show, without_optional
from loom.lower.scope.resources import Verb, verbs_of
from loom.lower.scope.shapes import ParameterShape
from loom.lower.signature import ResourceSignature
from loom.parse import ast


class ResourceCall(NamedTuple):
    node: ast.Call
    resource: ResourceSignature
    verb: str

    @property
    def printed(self) -> str:
        return f"{self.resource.name}.{self.verb}"


def resource_call(frame: Frame, node: ast.Expression) -> ResourceCall | None:
    """The call of a resource that `node` is, in a body that has resources at hand."""
    if frame.body not in (*ENTRIES, Body.AFTER_COMMIT):
        return None
    match node:
        case ast.Call(callee=ast.Member(target=ast.Name(name=name), name=verb)):
            found = frame.scope.names.resources.get(name)
            return ResourceCall(node, found, verb) if found is not None and not is_value_name(frame, name) else None
        case _:
            return None


def use_resource(frame: Frame, call: ResourceCall, bind: str) -> tuple[ir.Statement | None, Type | None]:
    """The statement, and the type of what it answers."""
    at = frame.at(call.node.at)
    frame.scope.source.use(call.node.at, Feature.RESOURCE_VERBS)
    if frame.transactional and frame.body is Body.WORKFLOW:
        frame.report(ResourceOpInTransaction(at=at, name=call.printed))
    if not call.resource.storage:
        frame.scope.source.unsupported(call.node.at, "calls of an api of the system")
        return None, None
    known = verbs_of(call.resource)
    verb = known.get(call.verb)
    if verb is None:
        name, kind = call.resource.name, call.resource.kind
        verbs = ", ".join(f"`{item}`" for item in known)
        frame.report(ResourceVerbInvalid(at=at, resource=name, kind=kind, verb=call.verb, verbs=verbs))
        return None, None
    if bind and verb.answers == NOTHING:
        statement = f"a binding of `{call.printed}`, which answers nothing,"
        frame.report(WorkflowUnrecognisedStatement(at=at, statement=statement, hint="call it by itself"))
        return None, None
    return _used(frame, call, verb, bind), verb.answers


def _used(frame: Frame, call: ResourceCall, verb: Verb, bind: str) -> ir.Statement | None:
    given = call.node.arguments
    for argument in given:
        if argument.name:
            frame.report(CallNamedArg(at=frame.at(argument.at), name=call.printed, argument=argument.name))
            return None
    parameters = tuple(ParameterShape(name, type_) for name, type_ in verb.takes)
    if len(given) != len(parameters):
        frame.report(wrong_count(frame, call.node, call.printed, parameters, len(parameters)))
        return None
    sent = [_sent(frame, call, item, parameter) for item, parameter in zip(given, parameters, strict=True)]
    whole = tuple(item for item in sent if item is not None)
    if len(whole) < len(sent):
        return None
    return ir.UseResource(bind=bind, resource=call.resource.name, verb=call.verb, arguments=whole, answers=verb.answers)


def _sent(frame: Frame, call: ResourceCall, given: ast.Argument, parameter: ParameterShape) -> ir.Sent | None:
    if parameter.type == JSON:
        return _message(frame, call, given.value)
    return argument_value(frame, call.printed, given, parameter)


def _message(frame: Frame, call: ResourceCall, node: ast.Expression) -> ir.Sent | None:
    match node:
        case ast.ObjectLiteral(fields=fields):
            values = [(item.name, _message(frame, call, item.value)) for item in fields]
            whole = tuple(ir.MessageField(name=name, value=value) for name, value in values if value is not None)
            return ir.MessageObject(fields=whole) if len(whole) == len(values) else None
        case ast.ListLiteral(items=items):
            parts = [_message(frame, call, item) for item in items]
            made = tuple(part for part in parts if part is not None)
            return ir.MessageList(items=made) if len(made) == len(parts) else None
        case _:
            return _value(frame, call, node)


def _value(frame: Frame, call: ResourceCall, node: ast.Expression) -> Expr | None:
    value = frame.lower(node, None)
    if value is None or not isinstance(without_optional(value.type), _UNSENT):
        return value
    return frame.fail(ResourceMessage(at=frame.at(node.at), name=call.printed, found=show(value.type)))


_UNSENT = (EventType, NothingType, PageType, PartType, WorkflowType)
