"""What a context names of others: aggregates by their ids, and declarations of the model's root.

In: one context. Out: Uses.
Never: another context.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loom.base import descendants
from loom.ir import program as ir
from loom.ir.members import Parameter
from loom.ir.types import IdType, Ref, Type


class Uses(NamedTuple):
    """`shared` are names of the model's root."""

    ids: tuple[Ref, ...]
    shared: tuple[str, ...]


def uses(context: ir.Context, shared: ir.Shared) -> Uses:
    """Ids of its own aggregates always count."""
    ids = {Ref(context=context.name, name=item.name) for item in context.aggregates}
    kinds = set(declared_types(context))
    ids |= {node.aggregate for kind in kinds for node in descendants(kind) if isinstance(node, IdType)}
    named: set[str] = set()
    if shared.enums or shared.value_objects or shared.functions:
        named = {node.name for node in descendants(context) if isinstance(node, Ref) and not node.context}
    return Uses(tuple(sorted(ids, key=lambda ref: (ref.context, ref.name))), tuple(sorted(named)))


def declared_types(context: ir.Context) -> Iterator[Type]:
    """The types that declarations write; every type of an expression comes from one of them."""
    for aggregate in context.aggregates:
        yield from _aggregate(aggregate)
    for item in context.value_objects:
        yield from _members(item)
    for fields in (*[event.fields for event in context.events], *[record.fields for record in context.records]):
        yield from (field.type for field in fields)
    for workflow in context.workflows:
        yield from _functions(workflow.functions)
        for create in workflow.creates:
            yield from _signature(create.parameters, create.returns)


def _aggregate(aggregate: ir.Aggregate) -> Iterator[Type]:
    yield from _members(aggregate)
    for part in aggregate.parts:
        yield from _members(part)
    for operation in aggregate.operations:
        yield from _signature(operation.parameters, operation.returns)
    if aggregate.create is not None:
        yield from (parameter.type for parameter in aggregate.create.parameters)
    for find in aggregate.finds:
        yield from (parameter.type for parameter in find.parameters)


def _members(owner: ir.Aggregate | ir.Part | ir.ValueObject) -> Iterator[Type]:
    yield from (item.type for item in owner.properties)
    yield from (item.type for item in owner.derived)
    yield from _functions(owner.functions)


def _functions(functions: tuple[ir.Function, ...]) -> Iterator[Type]:
    for function in functions:
        yield from _signature(function.parameters, function.returns)


def _signature(parameters: tuple[Parameter, ...], returns: Type) -> Iterator[Type]:
    yield from (parameter.type for parameter in parameters)
    yield returns
