"""What callers may ask of a context: handlers, and the creates of workflows.

In: the declarations of a context. Out: shapes, each parameter's type resolved here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.ir.types import EventType
from loom.lower.scope.members import parameters
from loom.lower.scope.shapes import Commands, CommandShape
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast


def commands(members: Iterable[ast.ContextMember], types: TypeScope) -> Commands:
    handlers: dict[str, CommandShape] = {}
    workflows: dict[str, dict[str, CommandShape]] = {}
    by_place: dict[int, CommandShape] = {}
    for item in members:
        if isinstance(item, ast.Handler):
            by_place[item.at] = shape = _shape(item, types, is_query=item.is_query)
            handlers.setdefault(item.name, shape)
        if isinstance(item, ast.Workflow):
            entries = workflows.setdefault(item.name, {})
            for create in _creates(item):
                by_place[create.at] = shape = _shape(create, types)
                if not shape.is_started:
                    entries.setdefault(create.name, shape)
    return Commands(handlers, workflows, by_place)


def _creates(declared: ast.Workflow) -> Iterator[ast.WorkflowCreate]:
    return (item for item in declared.members if isinstance(item, ast.WorkflowCreate))


def _shape(declared: ast.Handler | ast.WorkflowCreate, types: TypeScope, *, is_query: bool = False) -> CommandShape:
    given = parameters(declared.parameters, types, Position.WORKFLOW_PARAMETER)
    is_started = isinstance(declared, ast.WorkflowCreate) and any(isinstance(item.type, EventType) for item in given)
    return CommandShape(declared.name, given, is_query, is_started)
