"""Gates that no event can pass: an event comes without a caller, and they ask for one.

In: a context, with its places. Out: diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from loom.base import Diagnostic, descendants
from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.expressions import Claim, Expr, Logic, Logical
from loom.ir.members import Gate
from loom.ir.types import Ref
from loom.lower.bodies.nested import every_statement
from loom.validate.problems import ReactorGateUnsatisfiable
from loom.validate.where import Where

Gated = tuple[str, Gate]


def gates(context: ir.Context, where: Where) -> Iterator[Diagnostic]:
    """Whatever an event brings about is done by the system, which has no claim but `isSystem`."""
    aggregates = {Ref(context=context.name, name=item.name): item for item in context.aggregates}
    for workflow in context.workflows:
        kinds: list[tuple[Literal["create", "on"], ir.Reaction]] = [("create", item) for item in workflow.starters]
        kinds += [("on", item) for item in workflow.reactors]
        for kind, reaction in kinds:
            at = where(workflow.name, f"{kind} {reaction.event.name}")
            for owner, gate in dict.fromkeys(_reached(reaction, aggregates)):
                if not _admits_system(gate.condition):
                    event = reaction.event.name
                    yield ReactorGateUnsatisfiable(at=at, event=event, owner=owner, condition=gate.source)


def _reached(reaction: ir.Reaction, aggregates: dict[Ref, ir.Aggregate]) -> Iterator[Gated]:
    yield from (("its own body", gate) for gate in reaction.requires)
    yield from _in_body("its own body", reaction.body, aggregates, set())


def _in_body(
    owner: str, body: Iterable[st.Statement], aggregates: dict[Ref, ir.Aggregate], seen: set[tuple[Ref, str]]
) -> Iterator[Gated]:
    for node in every_statement(body):
        match node:
            case st.Requires(condition=condition, source=source):
                yield owner, Gate(condition=condition, source=source)
            case st.CreateInstance(aggregate=ref) if ref in aggregates and (create := aggregates[ref].create):
                yield from ((f"the create of `{ref.name}`", gate) for gate in create.requires)
            case st.Delete(aggregate=ref) if ref in aggregates and (destroy := aggregates[ref].destroy):
                yield from ((f"the destroy of `{ref.name}`", gate) for gate in destroy.requires)
            case st.Invoke(aggregate=ref, operation=name) if ref in aggregates and (ref, name) not in seen:
                seen.add((ref, name))
                yield from _of_operation(aggregates[ref], name, aggregates, seen)


def _of_operation(
    aggregate: ir.Aggregate, name: str, aggregates: dict[Ref, ir.Aggregate], seen: set[tuple[Ref, str]]
) -> Iterator[Gated]:
    """An operation is gated whoever calls it; so are the siblings that it calls."""
    for item in aggregate.operations:
        if item.name == name:
            owner = f"`{aggregate.name}.{name}`"
            yield from ((owner, gate) for gate in item.requires)
            yield from _in_body(owner, item.body, aggregates, seen)


def _admits_system(condition: Expr) -> bool:
    claims = {node.name for node in descendants(condition) if isinstance(node, Claim)}
    if not claims:
        return True
    match condition:
        case Claim(name=name):
            return name == "isSystem"
        case Logical(op=Logic.OR, operands=operands):
            return any(map(_admits_system, operands))
        case Logical(op=Logic.AND, operands=operands):
            return all(map(_admits_system, operands))
        case _:
            return False
