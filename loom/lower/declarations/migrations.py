"""Migrations: how the rows of an older model become rows of this one.

In: `migration` blocks at the root, and the contexts whose aggregates they name. Out: for each context its own steps,
in order, and what they say about its aggregates.
Never: a difference between two models; that is the Plan's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from loom.base import Feature, descendants, nearest
from loom.ir import data as ir
from loom.ir.expressions import (
    Call,
    Construct,
    Expr,
    Field,
    FieldKind,
    Fn,
    FunctionCall,
    This,
)
from loom.lower.problems.data import (
    BackfillDuplicate,
    BackfillTargetInvalid,
    BackfillTypeMismatch,
    BackfillUnknownField,
    MigrationDuplicateName,
    MigrationExprUnsupported,
    MigrationSqlEmpty,
    MigrationSqlHomeless,
    RenameDuplicateSource,
    RenameDuplicateTarget,
    RenameToSelf,
    RenameUnknownField,
)
from loom.lower.problems.names import AmbiguousAggregate, LinkingError
from loom.lower.scope.frames import UNTOLD, Body, Frame
from loom.lower.scope.relations import fitted, is_single, show
from loom.lower.scope.shapes import AggregateShape
from loom.lower.scope.source import Source
from loom.lower.signature import ContextSignature, MigrationSignature
from loom.parse import ast
from loom.parse.codec import decode_node, encode_node

_COMPUTED = (
    Fn.LENGTH, Fn.TRIM, Fn.TO_UPPER, Fn.TO_LOWER, Fn.SUBSTRING, Fn.STARTS_WITH, Fn.ENDS_WITH, Fn.STRING_CONTAINS,
    Fn.REPLACE, Fn.ABS, Fn.NUMBER_MIN, Fn.NUMBER_MAX, Fn.DIV_TRUNC, Fn.ROUND, Fn.FLOOR, Fn.CEIL, Fn.START_OF_DAY,
    Fn.DAYS, Fn.HOURS, Fn.MINUTES,
)  # fmt: skip


def migration_signatures(
    declared: Sequence[tuple[Source, ast.Migration]], signatures: Sequence[ContextSignature]
) -> tuple[MigrationSignature, ...]:
    """Each migration, once for each context that it is about."""
    owners: dict[str, list[str]] = {}
    for context in signatures:
        for aggregate in context.aggregates:
            owners.setdefault(aggregate.name, []).append(context.name)
    seen: set[str] = set()
    found: list[MigrationSignature] = []
    for source, item in declared:
        if item.name in seen:
            source.report(MigrationDuplicateName(at=source.place(item.at), name=item.name))
        seen.add(item.name)
        found += _split(source, item, owners, [context.name for context in signatures])
    return tuple(found)


def _split(
    source: Source, declared: ast.Migration, owners: Mapping[str, Sequence[str]], contexts: Sequence[str]
) -> Iterator[MigrationSignature]:
    """SQL belongs to the context of the step before it, else of the first that has one, else to the only one."""
    homes = [_home(source, step, owners) for step in declared.steps]
    first = next(filter(None, homes), contexts[0] if len(contexts) == 1 else "")
    steps: dict[str, list[ast.MigrationStep]] = {}
    for step, home in zip(declared.steps, homes, strict=True):
        if isinstance(step, ast.SqlStep):
            _check_sql(source, declared, step, first)
        first = home or first
        if first and (home or isinstance(step, ast.SqlStep)):
            steps.setdefault(first, []).append(step)
    for context, own in steps.items():
        tree = encode_node(replace(declared, steps=tuple(own)))
        yield MigrationSignature(context=context, file=source.file, tree=tree)


def _home(source: Source, step: ast.MigrationStep, owners: Mapping[str, Sequence[str]]) -> str:
    """The context of the aggregate that a step names; empty for SQL, and for one that is unknown."""
    match step:
        case ast.SqlStep():
            return ""
        case ast.RenamedTable(new=ref):
            at, name = ref.at, ref.name
        case ast.RenamedField(at=at, aggregate=name) | ast.Backfill(at=at, aggregate=name):
            pass
    found = owners.get(name, ())
    if not found:
        source.report(LinkingError(at=source.place(at), kind="aggregate", name=name, nearest=nearest(name, owners)))
    elif len(found) > 1:
        source.report(AmbiguousAggregate(at=source.place(at), name=name, contexts=", ".join(found)))
    return found[0] if found else ""


def _check_sql(source: Source, declared: ast.Migration, step: ast.SqlStep, home: str) -> None:
    if not step.text.strip():
        source.report(MigrationSqlEmpty(at=source.place(step.at)))
    elif not home:
        source.report(MigrationSqlHomeless(at=source.place(step.at), name=declared.name))


def migrations(frame: Frame, declared: Sequence[MigrationSignature]) -> tuple[ir.Migration, ...]:
    """Those of the context of `frame`; they stand in files of their own."""
    return tuple(_migration(frame, item) for item in declared if item.context == frame.scope.names.context)


def _migration(frame: Frame, declared: MigrationSignature) -> ir.Migration:
    own = frame.scope.source
    elsewhere = replace(own, file=declared.file, chunk=ast.SYSTEM_CHUNK)  # its lists are those of the context
    inner = replace(frame, scope=replace(frame.scope, source=elsewhere))
    tree = decode_node(declared.tree, ast.Migration)
    _check_names(inner, tree)
    elsewhere.use(tree.at, Feature.MIGRATIONS)
    steps = (_step(inner, item) for item in tree.steps)
    return ir.Migration(name=tree.name, steps=tuple(item for item in steps if item is not None))


def _check_names(frame: Frame, declared: ast.Migration) -> None:
    """Renames and fills lead from one to one."""
    sources: set[str] = set()
    targets: set[str] = set()
    filled: set[str] = set()
    for step in declared.steps:
        match step:
            case ast.RenamedField(aggregate=name, old=old, new=new):
                _check_rename(frame, f"{name}.{old.name}", f"{name}.{new.name}", (old.at, new.at), (sources, targets))
            case ast.RenamedTable(at=at, old=before, new=new):
                _check_rename(frame, before, new.name, (at, new.at), (sources, targets))
            case ast.Backfill(aggregate=name, field=field):
                if f"{name}.{field.name}" in filled:
                    frame.report(BackfillDuplicate(at=frame.at(field.at), aggregate=name, name=field.name))
                filled.add(f"{name}.{field.name}")


def _check_rename(frame: Frame, old: str, new: str, places: tuple[int, int], known: tuple[set[str], set[str]]) -> None:
    if old == new:
        frame.report(RenameToSelf(at=frame.at(places[1]), name=old))
    elif old in known[0]:
        frame.report(RenameDuplicateSource(at=frame.at(places[0]), name=old))
    elif new in known[1]:
        frame.report(RenameDuplicateTarget(at=frame.at(places[1]), name=new))
    known[0].add(old)
    known[1].add(new)


def _step(frame: Frame, step: ast.MigrationStep) -> ir.MigrationStep | None:
    match step:
        case ast.SqlStep(text=text):
            return ir.SqlStep(text=text)
        case ast.RenamedTable(old=old, new=new):
            return ir.RenamedTable(old=old, aggregate=new.name)
        case ast.RenamedField(aggregate=name, old=before, new=new):
            shape = frame.scope.tables.aggregates.get(name)
            if shape is not None and new.name not in shape.instance.members and not shape.instance.is_partial:
                near = nearest(new.name, shape.instance.members)
                frame.report(RenameUnknownField(at=frame.at(new.at), aggregate=name, name=new.name, nearest=near))
            return ir.RenamedField(aggregate=name, old=before.name, new=new.name)
        case ast.Backfill():
            shape = frame.scope.tables.aggregates.get(step.aggregate)
            return None if shape is None else _backfill(frame, step, shape)


def _backfill(frame: Frame, step: ast.Backfill, shape: AggregateShape) -> ir.Backfill | None:
    inner = replace(frame, body=Body.BACKFILL, this=shape.instance, aggregate=shape, owner=step.aggregate)
    member = shape.instance.members.get(step.field.name)
    if member is None or member.kind not in (FieldKind.PROPERTY, FieldKind.CONTAINMENT):
        near = nearest(step.field.name, [item.name for item in shape.instance.stored()])
        at = frame.at(step.field.at)
        frame.report(BackfillUnknownField(at=at, aggregate=step.aggregate, name=step.field.name, nearest=near))
        return None
    value = inner.lower(step.value, member.type or UNTOLD)
    if not _is_target(frame, step, shape) or value is None or member.type is None:
        return None
    if reason := _obstacle(value):
        frame.report(MigrationExprUnsupported(at=frame.at(step.value.at), reason=reason))
        return None
    fit = fitted(value, member.type)
    if fit is None:
        frame.report(
            BackfillTypeMismatch(
                at=frame.at(step.value.at),
                aggregate=step.aggregate,
                name=step.field.name,
                expected=show(member.type),
                found=show(value.type),
            )
        )
        return None
    return ir.Backfill(aggregate=step.aggregate, field=step.field.name, value=fit)


def _is_target(frame: Frame, step: ast.Backfill, shape: AggregateShape) -> bool:
    declared, at = shape.declaration, frame.at(step.field.at)
    whole = [item.name for item in (declared.shape, declared.persistence) if item is not None]
    kept = next((name for name in whole if name in ("document", "eventLog")), "")
    if kept:
        rows = "documents" if kept == "document" else "events"
        frame.report(BackfillTargetInvalid(at=at, case="rows", aggregate=step.aggregate, name=rows))
        return False
    type_ = shape.instance.members[step.field.name].type
    if type_ is None or is_single(type_):
        return True
    frame.report(BackfillTargetInvalid(at=at, case="field", aggregate=step.aggregate, name=step.field.name))
    return False


def _obstacle(value: Expr) -> str:
    """Why a database cannot compute `value`; empty when it can."""
    for node in descendants(value):
        match node:
            case FunctionCall(name=name):
                return f"it calls `{name}`"
            case Call(fn=fn) if fn not in _COMPUTED:
                return f"it calls `{fn.value.rpartition('.')[2]}`"
            case Construct():
                return "it builds a value object"
            case Field(receiver=This(), kind=FieldKind.PROPERTY | FieldKind.ID | FieldKind.VERSION, type=type_):
                if not is_single(type_):
                    return f"`{node.name}` is no single column"
            case Field(name=name):
                return f"`{name}` is no column"
    return ""
