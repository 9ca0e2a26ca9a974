"""Reads of a repository by criterion or retrieval, of all there is, and counts.

In: a call as written, and the aggregate that is read. Out: a resolved read, or None when the call is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from loom.base import Feature, nearest
from loom.ir.expressions import Expr, Literal
from loom.ir.statements import Cardinality, Page, Read, ReadKind
from loom.ir.types import INT
from loom.lower.declarations.queryable import not_queryable
from loom.lower.declarations.retrievals import selected
from loom.lower.expressions.arguments import passed
from loom.lower.expressions.defaults import hint
from loom.lower.expressions.predicates import condition_of, is_right_count, kinds_of
from loom.lower.expressions.principal import asks_for_caller
from loom.lower.problems.capabilities import CriterionNotSelectable
from loom.lower.problems.expressions import CallArgCount, CallArgType, CallNamedArg
from loom.lower.problems.reading import (
    FindallCriterionArity,
    FindallCriterionMismatch,
    FindallNoPage,
    FindallUnknownCriterion,
    ReadPage,
    WorkflowRunRetrievalMismatch,
    WorkflowRunUnknownRetrieval,
)
from loom.lower.problems.repositories import WorkflowCurrentuserFind
from loom.lower.scope.frames import ENTRIES, Body, Frame
from loom.lower.scope.relations import fitted, show
from loom.lower.scope.shapes import AggregateShape, PredicateShape, RetrievalShape
from loom.parse import ast
from loom.parse.printer import show as print_expression

GIVES: Mapping[str, Cardinality] = {
    "find": Cardinality.OPTIONAL,
    "findAll": Cardinality.MANY,
    "run": Cardinality.MANY,
    "all": Cardinality.MANY,
    "count": Cardinality.ONE,
}
_COUNTS = {"all": (0, 0), "count": (0, 1)}


class Query(NamedTuple):
    """A call of one of these methods on `repository`."""

    frame: Frame
    node: ast.Call
    repository: str
    method: str
    shape: AggregateShape

    @property
    def printed(self) -> str:
        return f"{self.repository}.{self.method}"

    def of(self, kind: ReadKind, name: str, arguments: tuple[Expr, ...]) -> Read:
        gives = GIVES[self.method]
        counts = self.method == "count"
        ref = self.shape.ref
        return Read(kind=kind, aggregate=ref, cardinality=gives, name=name, arguments=arguments, counts=counts)


def query(found: Query) -> Read | None:
    """The read; its page is looked at whatever else is wrong."""
    frame = found.frame
    page = _page(found)
    given = [item.value for item in found.node.arguments if not item.name]
    least, most = _COUNTS.get(found.method, (1, 1))
    if not least <= len(given) <= most:
        _report_count(found, len(given), most)
        return None
    made = _referred(found, given[0]) if given else _whole(found)
    if GIVES[found.method] is Cardinality.MANY and given and page is None and not _has_page(found):
        frame.report(FindallNoPage(at=frame.at(found.node.at), name=found.printed))
    return replace(made, page=page) if made is not None and page is not None else made


def _report_count(found: Query, given: int, most: int) -> None:
    at, frame = found.frame.at(found.node.at), found.frame
    expected = "one argument" if most else "no argument"
    parameters = "a criterion" if found.method != "run" else "a retrieval"
    frame.report(
        CallArgCount(
            at=at,
            case="some" if most else "none",
            name=found.printed,
            expected=expected,
            found=given,
            parameters=parameters if most else "",
        )
    )


def _whole(found: Query) -> Read:
    found.frame.scope.source.use(found.node.at, Feature.COUNTS if found.method == "count" else Feature.WHOLE_READS)
    return found.of(ReadKind.ALL, "", ())


def _referred(found: Query, written: ast.Expression) -> Read | None:
    """The read by what is written in the parentheses."""
    match written:
        case ast.InlineRetrieval(selection=selection) if found.method == "run":
            found.frame.scope.source.use(written.at, Feature.RETRIEVALS)
            made = selected(found.frame, found.shape, selection)
            return replace(found.of(ReadKind.INLINE, "", ()), where=made.where, sort=made.sort) if made else None
        case ast.Name(name=name):
            return _named(found, ast.Call(written.at, written, ()), name)
        case ast.Call(callee=ast.Name(name=name)):
            return _named(found, written, name)
        case _:
            return _unknown(found, written.at, print_expression(written))


def _named(found: Query, call: ast.Call, name: str) -> Read | None:
    tables = found.frame.scope.tables
    predicate, retrieval = tables.predicates.get(name), tables.retrievals.get(name)
    if predicate is not None and isinstance(predicate.declaration, ast.Criterion):
        return _by_criterion(found, call, predicate)
    if retrieval is not None and found.method == "run":
        return _by_retrieval(found, call, retrieval)
    for argument in call.arguments:
        found.frame.lower(argument.value)
    return _unknown(found, call.at, name)


def _unknown(found: Query, at: int, name: str) -> Read | None:
    frame, tables = found.frame, found.frame.scope.tables
    criteria = [item.name for item in tables.predicates.values() if isinstance(item.declaration, ast.Criterion)]
    if found.method == "run":
        near = nearest(name, [*tables.retrievals, *criteria])
        frame.report(WorkflowRunUnknownRetrieval(at=frame.at(at), name=name, nearest=near))
    else:
        frame.report(FindallUnknownCriterion(at=frame.at(at), name=name, nearest=nearest(name, criteria)))
    return None


def _by_retrieval(found: Query, call: ast.Call, shape: RetrievalShape) -> Read | None:
    frame, aggregate = found.frame, found.shape.instance.name
    _check_callers(frame, call.at, shape.name, shape.declaration.selection.where)
    arguments = passed(frame, call, shape.name, shape.parameters)
    if shape.target and shape.target != aggregate:
        frame.report(
            WorkflowRunRetrievalMismatch(
                at=frame.at(call.at),
                name=shape.name,
                target=shape.target,
                repository=found.repository,
                aggregate=aggregate,
            )
        )
        return None
    return found.of(ReadKind.RETRIEVAL, shape.name, arguments) if arguments is not None and shape.target else None


def _by_criterion(found: Query, call: ast.Call, shape: PredicateShape) -> Read | None:
    frame, at = found.frame, found.frame.at(call.at)
    frame.scope.source.use(call.at, Feature.COUNTS if found.method == "count" else Feature.CRITERION_READS)
    if not _is_about(found, call.at, shape) or not is_right_count(frame, call, shape, FindallCriterionArity):
        for argument in call.arguments:
            frame.lower(argument.value)
        return None
    _check_callers(frame, call.at, shape.name, shape.condition)
    arguments = passed(frame, call, shape.name, shape.parameters)
    inner = replace(frame, body=Body.RETRIEVAL, this=found.shape.instance, aggregate=found.shape)
    where = condition_of(inner, shape)
    obstacle = not_queryable(where) if where is not None else None
    if obstacle is not None:
        frame.report(CriterionNotSelectable(at=at, reason=obstacle.reason))
    is_sound = arguments is not None and where is not None and obstacle is None
    return found.of(ReadKind.CRITERION, shape.name, arguments) if is_sound and arguments is not None else None


def _check_callers(frame: Frame, at: int, name: str, written: ast.Expression) -> None:
    """Where a timer or an event may begin it, a read cannot depend on who asks."""
    if asks_for_caller(frame, written):
        frame.scope.source.use(at, Feature.CURRENT_USER_IN_READS)
        if frame.body in ENTRIES:
            frame.report(WorkflowCurrentuserFind(at=frame.at(at), name=name))


def _is_about(found: Query, at: int, shape: PredicateShape) -> bool:
    aggregate = found.shape.instance.name
    if not shape.is_sound or shape.target in kinds_of(found.frame, aggregate):
        return shape.is_sound
    found.frame.report(
        FindallCriterionMismatch(
            at=found.frame.at(at),
            case="other" if shape.target else "none",
            name=shape.name,
            target=shape.target,
            repository=found.repository,
            aggregate=aggregate,
        )
    )
    return False


def _has_page(found: Query) -> bool:
    return any(item.name == "page" for item in found.node.arguments)


def _page(found: Query) -> Page | None:
    frame = found.frame
    page: Page | None = None
    for item in found.node.arguments:
        if item.name == "page":
            page = _page_of(found, item)
        elif item.name:
            frame.report(CallNamedArg(at=frame.at(item.at), name=found.printed, argument=item.name))
            frame.lower(item.value)
    return page


def _page_of(found: Query, written: ast.Argument) -> Page | None:
    frame, at = found.frame, found.frame.at(written.at)
    if GIVES[found.method] is not Cardinality.MANY:
        frame.report(ReadPage(at=at, case="none", name=found.printed))
        return None
    if not isinstance(written.value, ast.ObjectLiteral):
        frame.lower(written.value)
        frame.report(ReadPage(at=at, case="form", name=""))
        return None
    given: dict[str, Expr | None] = {}
    for item in written.value.fields:
        if item.name not in ("offset", "limit"):
            frame.report(ReadPage(at=frame.at(item.at), case="unknown", name=item.name))
        given[item.name] = _number(found, item)
    if "limit" not in given:
        frame.report(ReadPage(at=at, case="limit", name=""))
    limit, offset = given.get("limit"), given.get("offset", Literal(type=INT, text="0"))
    return Page(offset=offset, limit=limit) if limit is not None and offset is not None else None


def _number(found: Query, item: ast.FieldValue) -> Expr | None:
    frame = found.frame
    value = frame.lower(item.value, INT)
    fit = fitted(value, INT) if value is not None else None
    if value is not None and fit is None:
        frame.report(
            CallArgType(
                at=frame.at(item.at),
                name=found.printed,
                parameter=item.name,
                expected="int",
                found=show(value.type),
                hint=hint(INT, value.type),
            )
        )
    return fit
