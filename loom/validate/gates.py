"""Gates: where everything is denied by default, whatever can be called says who may.

In: a context. Out: diagnostics. Never: whether a gate is a good one.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Diagnostic
from loom.ir import program as ir
from loom.ir.statements import Requires
from loom.lower.problems.access import AuditHistoryUngated, DefaultDenyUngated
from loom.validate.where import Where


def ungated(context: ir.Context, where: Where) -> Iterator[Diagnostic]:
    for aggregate in context.aggregates:
        yield from _commands(aggregate, where)
        yield from _reads(aggregate, where)
    for workflow in context.workflows:
        for create in workflow.creates:
            if not create.requires and not _begins_gated(create):
                what = f"the command `{create.name or workflow.name}`"
                at = where(workflow.name, create.name or "create")
                yield DefaultDenyUngated(at=at, case="command", what=what)


def _begins_gated(create: ir.WorkflowCreate) -> bool:
    return bool(create.body) and isinstance(create.body[0], Requires)


def _commands(aggregate: ir.Aggregate, where: Where) -> Iterator[Diagnostic]:
    name = aggregate.name
    for operation in aggregate.operations:
        if not operation.private and not operation.requires:
            what = f"the operation `{operation.name}`"
            yield DefaultDenyUngated(at=where(name, operation.name), case="command", what=what)
    for kind, found in (("create", aggregate.create), ("destroy", aggregate.destroy)):
        if found is not None and not found.requires:
            yield DefaultDenyUngated(at=where(name, kind), case="command", what=f"the {kind} of `{name}`")


def _reads(aggregate: ir.Aggregate, where: Where) -> Iterator[Diagnostic]:
    """The list is gated by a find `all`; a declared one that lacks a gate is reported as the find that it is."""
    for find in aggregate.finds:
        if not find.requires:
            at = where(aggregate.name, find.name)
            yield DefaultDenyUngated(at=at, case="command", what=f"the find `{find.name}`")
    if any(find.name == "all" for find in aggregate.finds):
        return
    if _has_history(aggregate):
        yield AuditHistoryUngated(at=where(aggregate.name), name=aggregate.name)
    else:
        yield DefaultDenyUngated(at=where(aggregate.name), case="list", what=aggregate.name)


def _has_history(aggregate: ir.Aggregate) -> bool:
    """Whether what was done to it can be read."""
    commands = (*aggregate.operations, aggregate.create, aggregate.destroy)
    return any(item is not None and item.audited for item in commands)
