"""Functions and operations that call themselves whatever happens: no call of one ever comes back.

In: a context, or the value objects of the root. Out: one report for each circle of calls that every path makes.
Never: recursion that some path leaves; whether that path is ever taken is not decided here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import astuple

from loom.base import Diagnostic, Value, circles
from loom.ir import program as ir
from loom.ir.expressions import Conditional, FunctionCall, FunctionScope, Lambda, Logical, ServiceCall
from loom.ir.services import ServiceOperation
from loom.ir.statements import ForEach, If, IfLet, Invoke, InvokeService, NotFound, Return, Statement
from loom.ir.types import PartType, code_in
from loom.validate.problems import EndlessRecursion
from loom.validate.where import Where

Calls = frozenset[str]
NONE: Calls = frozenset()
Named = tuple[str, ir.Function | ir.Operation | ServiceOperation]


def calls(context: ir.Context, where: Where) -> Iterator[Diagnostic]:
    """Of all that a context declares."""
    yield from _reports([*_of_values(context.value_objects), *_of_context(context)], where)


def value_objects(declared: Iterable[ir.ValueObject], where: Where) -> Iterator[Diagnostic]:
    """Of the value objects of the root."""
    yield from _reports(_of_values(declared), where)


def _reports(named: Iterable[Named], where: Where) -> Iterator[Diagnostic]:
    calling = [(name, item.body) for name, item in named if _has_call(item.body)]
    graph = {name: tuple(sorted(_body(body, NONE))) for name, body in calling}
    for way in circles(graph):
        *_, own = path = way[0].split(".")
        printed = " → ".join(step.rpartition(".")[2] for step in way)
        yield EndlessRecursion(at=where(*path), name=own, path=printed)


def _has_call(body: object) -> bool:
    """Most bodies have none, and a look at the kinds alone is cheap."""
    return not _CALLS.isdisjoint(map(type, code_in(body)))


_CALLS = frozenset({FunctionCall, ServiceCall, Invoke, InvokeService})


def _of_values(declared: Iterable[ir.ValueObject]) -> Iterator[Named]:
    for value in declared:
        yield from ((f"{value.name}.{item.name}", item) for item in value.functions)


def _of_context(context: ir.Context) -> Iterator[Named]:
    for aggregate in context.aggregates:
        yield from ((f"{aggregate.name}.{item.name}", item) for item in aggregate.functions)
        yield from ((f"{aggregate.name}.{item.name}", item) for item in aggregate.operations)
        for part in aggregate.parts:
            yield from ((f"{aggregate.name}.{part.name}.{item.name}", item) for item in part.functions)
    for workflow in context.workflows:
        yield from ((f"{workflow.name}.{item.name}", item) for item in workflow.functions)
    for service in context.services:
        yield from ((f"{service.name}.{item.name}", item) for item in service.operations)


def _body(statements: tuple[Statement, ...], after: Calls) -> Calls:
    """What every path through `statements` calls, if each then goes on with `after`."""
    for statement in reversed(statements):
        after = _statement(statement, after)
    return after


def _statement(statement: Statement, after: Calls) -> Calls:
    match statement:
        case Return(value=value):
            return _within(value)
        case NotFound():
            return NONE
        case If(condition=condition, then=then, otherwise=otherwise):
            return _within(condition) | (_body(then, after) & _body(otherwise, after))
        case IfLet(source=source, then=then, otherwise=otherwise):
            return _within(source) | (_body(then, after) & _body(otherwise, after))
        case ForEach(source=source):
            return _within(source) | after
        case Invoke(aggregate=aggregate, operation=name, arguments=arguments):
            return _within(arguments) | after | {f"{aggregate.name}.{name}"}
        case _:
            return _within(statement) | after


def _within(root: object) -> Calls:
    """The functions that every evaluation of the expressions in `root` calls."""
    found: set[str] = set()
    stack = [root]
    while stack:
        item = stack.pop()
        match item:
            case tuple():
                stack += item
            case Logical(operands=(first, *_)) | Conditional(condition=first):
                stack.append(first)
            case Lambda():  # a collection may be empty
                pass
            case Value():
                if isinstance(item, FunctionCall):
                    found.add(_label(item))
                if isinstance(item, ServiceCall | InvokeService):
                    found.add(f"{item.service.name}.{item.operation}")
                stack += astuple(item)
    return frozenset(found)


def _label(call: FunctionCall) -> str:
    kind = call.receiver.type if call.receiver is not None else None
    part = f"{kind.name}." if call.scope is FunctionScope.PART and isinstance(kind, PartType) else ""
    return f"{call.owner.name}.{part}{call.name}"
