"""What is particular to some commands: recorded ones, and those that are written elsewhere.

In: an operation, a create or a destroy as written. Out: whether it is audited; reports.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Feature, descendants
from loom.ir import program as ir
from loom.ir.statements import Append, Assign, Remove
from loom.lower.bodies.blocks import statement_name
from loom.lower.problems.commands import ExternBodyNotPrecondition, ExternOnPrivateOperation, ProvenancedNeverWritten
from loom.lower.scope.frames import Frame
from loom.parse import ast


def is_audited(frame: Frame, declared: ast.Operation | ast.Create | ast.Destroy, private: bool = False) -> bool:
    """By itself, or because its whole aggregate is; nobody calls a private operation but its siblings."""
    if declared.audited is not None:
        frame.scope.source.use(declared.audited.at, Feature.AUDIT)
        return True
    owner = frame.aggregate.declaration if frame.aggregate is not None else None
    return owner is not None and owner.audited is not None and not private


def check_extern(frame: Frame, declared: ast.Operation) -> None:
    if declared.extern is None:
        return
    frame.scope.source.use(declared.extern.at, Feature.EXTERN_OPERATIONS)
    if declared.is_private:
        frame.report(ExternOnPrivateOperation(at=frame.at(declared.extern.at), name=declared.name))
    for statement in declared.body:
        if not isinstance(statement, ast.Precondition):
            what = statement_name(statement)
            frame.report(ExternBodyNotPrecondition(at=frame.at(statement.at), name=declared.name, what=what))


def check_provenance(frame: Frame, declared: ast.Aggregate, made: ir.Aggregate) -> None:
    stored = {item.name for item in made.properties if item.provenanced}
    kept = [item for item in declared.members if isinstance(item, ast.Property) and item.name in stored]
    written = set(_written(made)) if kept else ()
    for item in kept:
        if item.provenanced is not None and item.name not in written:
            frame.report(ProvenancedNeverWritten(at=frame.at(item.provenanced.at), name=item.name))


def _written(made: ir.Aggregate) -> Iterator[str]:
    for node in descendants(made.create, made.destroy, made.operations, made.appliers):
        match node:
            case Assign(path=path):
                yield path[0]
            case Append(field=field) | Remove(field=field):
                yield field
    yield from (item.path[0] for item in made.stamps)
