"""Repository reads: which repository and method are meant, what they take and how many they give.

In: a call as written. Out: a resolved read, or None when the call is none or is wrong.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec.structs import replace

from loom.base import nearest
from loom.ir.expressions import Expr
from loom.ir.statements import Cardinality, Read, ReadKind
from loom.ir.types import AggregateType, IdType
from loom.lower.bodies.queries import GIVES, Query, query
from loom.lower.declarations.filters import ignored
from loom.lower.declarations.repositories import cardinality
from loom.lower.expressions.arguments import passed
from loom.lower.expressions.defaults import hint
from loom.lower.expressions.names import is_value_name
from loom.lower.expressions.principal import asks_for_caller
from loom.lower.problems.expressions import CallArgType
from loom.lower.problems.reading import WorkflowRunUnknownRepository
from loom.lower.problems.repositories import (
    UniqueKeyUnknown,
    WorkflowCrossContextRepository,
    WorkflowCurrentuserFind,
    WorkflowExplicitSave,
    WorkflowUnknownRepository,
    WorkflowUnknownRepositoryMethod,
)
from loom.lower.scope.frames import ENTRIES, UNTOLD, Frame
from loom.lower.scope.relations import fitted, show, without_optional
from loom.lower.scope.shapes import AggregateShape, ParameterShape, RepositoryShape
from loom.parse import ast

SAVES = ("save", "insert", "update", "add", "commit")
DELETES = ("delete", "remove")
_BY_ID = {"getById": Cardinality.ONE, "findById": Cardinality.OPTIONAL}
_BY_KEY = {"getBy": Cardinality.ONE, "findBy": Cardinality.OPTIONAL}


class RepositoryCall(NamedTuple):
    """`shape` is None for a repository that is unknown or of another context."""

    node: ast.Call
    head: ast.Name
    method: str
    shape: RepositoryShape | None
    ignoring: tuple[ast.NameRef, ...] = ()

    @property
    def printed(self) -> str:
        return f"{self.head.name}.{self.method}"


def repository_call(frame: Frame, node: ast.Expression) -> RepositoryCall | None:
    """The call on a repository that `node` is, or plainly wants to be."""
    match node:
        case ast.Ignoring(target=target, names=names):
            found = repository_call(frame, target)
            return found._replace(ignoring=names) if found is not None else None
        case ast.Call(callee=ast.Member(target=ast.Name(name=name) as head, name=method)):
            if is_value_name(frame, name):
                return None
            shape = frame.scope.tables.repositories.get(name)
            is_foreign = name in frame.scope.names.foreign_repositories
            if shape is not None or is_foreign or _looks_like_read(frame, name, method):
                return RepositoryCall(node, head, method, shape)
    return None


def _looks_like_read(frame: Frame, name: str, method: str) -> bool:
    """`Ordrs.getById(id)`: the name means nothing, but the method is a repository's."""
    tables, names = frame.scope.tables, frame.scope.names
    known = name in tables.aggregates or name in tables.enums or name in names.local or names.is_unsupported(name)
    return not known and method in (*_BY_ID, *_BY_KEY, *SAVES, *DELETES, "run")


def check_known(frame: Frame, call: RepositoryCall) -> RepositoryShape | None:
    """The repository, or a report that there is none to use here."""
    if call.shape is not None:
        return call.shape
    at = frame.at(call.head.at)
    name = call.head.name
    context = frame.scope.names.foreign_repositories.get(name)
    if context is not None:
        frame.report(WorkflowCrossContextRepository(at=at, name=name, context=context))
    else:
        near = nearest(name, frame.scope.tables.repositories)
        unknown = WorkflowRunUnknownRepository if call.method == "run" else WorkflowUnknownRepository
        frame.report(unknown(at=at, name=name, nearest=near))
    return None


def read(frame: Frame, call: RepositoryCall) -> Read | None:
    """The read that `call` makes, with its arguments checked, and without the filters that it lifts."""
    made = _read(frame, call)
    shape = frame.scope.tables.aggregates.get(call.shape.aggregate) if call.shape is not None else None
    lifted = ignored(frame, call.ignoring, shape.declaration) if shape is not None else ()
    return replace(made, ignoring=lifted) if made is not None and lifted else made


def _read(frame: Frame, call: RepositoryCall) -> Read | None:
    repository = check_known(frame, call)
    shape = frame.scope.tables.aggregates.get(repository.aggregate) if repository is not None else None
    if repository is None or shape is None:
        if call.method not in GIVES:  # a criterion is no value
            _lower_arguments(frame, call)
        return None
    if call.method in _BY_ID:
        return _by_id(frame, call, shape, _BY_ID[call.method])
    if call.method in _BY_KEY:
        return _by_key(frame, call, shape, _BY_KEY[call.method])
    if call.method in repository.finds:
        return _by_find(frame, call, repository, shape)
    if call.method in GIVES:
        return query(Query(frame, call.node, call.head.name, call.method, shape))
    _unknown_method(frame, call, repository)
    _lower_arguments(frame, call)
    return None


def answered(frame: Frame, call: RepositoryCall) -> tuple[AggregateType, Cardinality] | None:
    """What `call` answers, whatever is wrong with its arguments."""
    shape = frame.scope.tables.aggregates.get(call.shape.aggregate) if call.shape is not None else None
    if call.shape is None or shape is None:
        return None
    find = call.shape.finds.get(call.method)
    gives = _BY_ID.get(call.method) or _BY_KEY.get(call.method)
    if find is not None and gives is None and find.returns is not None:
        gives = cardinality(shape, find.returns)
    if find is None and gives is None:
        gives = GIVES.get(call.method)
    return (AggregateType(ref=shape.ref), gives) if gives is not None else None


def _lower_arguments(frame: Frame, call: RepositoryCall) -> None:
    for argument in call.node.arguments:
        frame.lower(argument.value, None)


def _by_id(frame: Frame, call: RepositoryCall, shape: AggregateShape, gives: Cardinality) -> Read | None:
    wanted = (ParameterShape("id", IdType(aggregate=shape.ref)),)
    arguments = passed(frame, call.node, call.printed, wanted)
    if arguments is None:
        return None
    return Read(kind=ReadKind.BY_ID, aggregate=shape.ref, cardinality=gives, arguments=arguments)


def _by_find(frame: Frame, call: RepositoryCall, repository: RepositoryShape, shape: AggregateShape) -> Read | None:
    find = repository.finds[call.method]
    arguments = passed(frame, call.node, call.printed, find.parameters)
    gives = cardinality(shape, find.returns) if find.returns is not None else None
    if frame.body in ENTRIES and find.where is not None and asks_for_caller(frame, find.where):
        frame.report(WorkflowCurrentuserFind(at=frame.at(call.node.at), name=call.printed))
    if arguments is None or gives is None:
        return None
    return Read(kind=ReadKind.FIND, aggregate=shape.ref, cardinality=gives, name=find.name, arguments=arguments)


def _by_key(frame: Frame, call: RepositoryCall, shape: AggregateShape, gives: Cardinality) -> Read | None:
    given = {item.name: item for item in call.node.arguments}
    key = next((item for item in shape.uniques if set(item) == set(given)), None)
    if key is None or len(given) != len(call.node.arguments):
        frame.report(_unknown_key(frame, call, shape))
        _lower_arguments(frame, call)
        return None
    values = [_key_value(frame, call, shape, given[name]) for name in key]
    whole = tuple(value for value in values if value is not None)
    if len(whole) < len(values):
        return None
    return Read(kind=ReadKind.BY_KEY, aggregate=shape.ref, cardinality=gives, key=key, arguments=whole)


def _unknown_key(frame: Frame, call: RepositoryCall, shape: AggregateShape) -> UniqueKeyUnknown:
    given = [item.name for item in call.node.arguments]
    case: Literal["others", "none", "unnamed"] = "none" if given and all(given) else "unnamed"
    return UniqueKeyUnknown(
        at=frame.at(call.node.at),
        case="others" if shape.uniques else case,
        aggregate=shape.instance.name,
        names=", ".join(name or "…" for name in given),
        keys="; ".join(", ".join(item) for item in shape.uniques),
    )


def _key_value(frame: Frame, call: RepositoryCall, shape: AggregateShape, argument: ast.Argument) -> Expr | None:
    member = shape.instance.members.get(argument.name)
    wanted = member.type if member is not None else None
    value = frame.lower(argument.value, wanted or UNTOLD)
    if value is None or wanted is None:
        return None
    fit = fitted(value, without_optional(wanted))
    if fit is not None:
        return fit
    expected, found = show(without_optional(wanted)), show(value.type)
    return frame.fail(
        CallArgType(
            at=frame.at(argument.at),
            name=call.printed,
            parameter=argument.name,
            expected=expected,
            found=found,
            hint=hint(without_optional(wanted), value.type),
        )
    )


def _unknown_method(frame: Frame, call: RepositoryCall, repository: RepositoryShape) -> None:
    at = frame.at(call.node.at)
    if call.method in SAVES:
        frame.report(WorkflowExplicitSave(at=at, name=call.printed))
    else:
        near = nearest(call.method, [*_BY_ID, *_BY_KEY, *GIVES, *DELETES, *repository.finds])
        frame.report(WorkflowUnknownRepositoryMethod(at=at, repository=repository.name, name=call.method, nearest=near))
