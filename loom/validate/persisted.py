"""Tables of workflows that something else of their context has already.

In: a context, with its places. Out: diagnostics.
Never: clashes among aggregates, which the Plan sees with all that it adds to a name.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Diagnostic, plural, snake, words
from loom.ir import program as ir
from loom.ir.types import ArrayType, IdType, Type, ValueObjectType, bare
from loom.validate.problems import PersistedTableCollision
from loom.validate.where import Where


def tables(context: ir.Context, where: Where) -> Iterator[Diagnostic]:
    """A workflow is stored under a name that nothing else of its context is stored under."""
    taken: dict[str, str] = {}
    for name, label in _others(context):
        taken.setdefault(name, label)
    for workflow in context.workflows:
        name = _own(workflow)
        if not name:
            continue
        label = f"the workflow `{workflow.name}`"
        other = taken.setdefault(name, label)
        if other != label:
            yield PersistedTableCollision(at=where(workflow.name), workflow=workflow.name, other=other, name=name)


def _own(workflow: ir.Workflow) -> str:
    """The table of its instances or of their events; one without a key has none."""
    if not workflow.key:
        return ""
    return f"{_snake(workflow.name)}_events" if workflow.event_sourced else _rows(workflow.name)


def _others(context: ir.Context) -> Iterator[tuple[str, str]]:
    if any(item.event_sourced for item in context.aggregates):
        yield f"{_snake(context.name)}_events", f"the log of context `{context.name}`"
    yield from ((_rows(item.name), f"the projection `{item.name}`") for item in context.projections if item.folds)
    for item in context.aggregates:
        if not item.event_sourced:
            yield _rows(item.shares or item.name), f"the aggregate `{item.name}`"
            yield from _children(item, item, (item.name,), 0)


def _children(
    root: ir.Aggregate, entity: ir.Aggregate | ir.Part, path: tuple[str, ...], depth: int
) -> Iterator[tuple[str, str]]:
    """Parts and collections; a part that holds itself is a mistake of its own."""
    for item in entity.properties:
        if _has_own_table(item.type):
            yield _below((*path, item.name)), f"`{'.'.join((*path, item.name))}`"
    parts = {item.name: item for item in root.parts}
    for held in entity.containments if depth <= len(parts) else ():
        inside = (*path, held.name)
        yield _below(inside), f"`{'.'.join(inside)}`"
        yield from _children(root, parts[held.part], inside, depth + 1)


def _has_own_table(type_: Type) -> bool:
    inner = bare(type_)
    return isinstance(inner, ArrayType) and isinstance(inner.of, ValueObjectType | IdType)


def _below(path: tuple[str, ...]) -> str:
    return "_".join(map(_snake, path))


def _rows(name: str) -> str:
    return snake(plural(words(name)))


def _snake(name: str) -> str:
    return snake(words(name))
