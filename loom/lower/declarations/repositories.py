"""Finds: what they answer, their gates and their conditions.

In: a repository's declaration, and the shape of its aggregate. Out: IR finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from loom.base import Diagnostic, NodePath, nearest
from loom.ir import program as ir
from loom.ir.expressions import Compare, Comparison, Expr, Field, FieldKind, Local, Logic, Logical, This
from loom.ir.statements import Cardinality
from loom.ir.types import (
    BOOL,
    AggregateType,
    ArrayType,
    EnvelopeType,
    OptionalType,
    OptionType,
    PageType,
    Type,
    UnionType,
)
from loom.lower.bodies.conditions import caller_gate, condition
from loom.lower.declarations.absence import absent_error
from loom.lower.declarations.filters import ignored
from loom.lower.declarations.members import parameters, with_parameters
from loom.lower.declarations.queryable import OF_FINDS, not_queryable
from loom.lower.expressions.operators.comparison import comparable
from loom.lower.problems.finds import (
    FindGateNotCurrentUser,
    FindPagedParameter,
    FindParameterType,
    FindReservedName,
    FindResult,
    FindWhereUnknownField,
    UnionFindShapeUnsupported,
)
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.relations import domain_of, is_comparable, show, without_optional
from loom.lower.scope.shapes import AggregateShape, FindShape, ParameterShape
from loom.parse import ast

_PAGING = ("page", "pageSize", "sort", "dir")
_RESERVED = ("getById", "findById", "save", "delete", "remove", "run", "find", "findAll", "count", "findBy", "getBy")


def finds(frame: Frame, repository: ast.Repository, shape: AggregateShape) -> tuple[ir.Find, ...]:
    tables = frame.scope.tables
    known = tables.repositories.get(repository.name)
    frame.scope.source.declare(repository.at, repository.name)
    if known is None or known.aggregate != shape.instance.name:
        return ()
    made = []
    seen: set[str] = set()
    for item in repository.finds:
        if item.name not in seen:
            seen.add(item.name)
            frame.scope.source.declare(item.at, repository.name, item.name)
            frame.scope.source.declare(item.at, shape.instance.name, item.name)
            for parameter in item.parameters:
                frame.scope.source.declare(parameter.at, repository.name, item.name, parameter.name)
            made.append(_find(frame, item, known.finds[item.name], shape))
    return tuple(item for item in made if item is not None)


def cardinality(shape: AggregateShape, returns: Type) -> Cardinality | None:
    """What a find answers; None when that is not its own aggregate."""
    match returns:
        case AggregateType(ref=ref) if ref == shape.ref:
            return Cardinality.ONE
        case OptionalType(of=AggregateType(ref=ref)) if ref == shape.ref:
            return Cardinality.OPTIONAL
        case ArrayType(of=AggregateType(ref=ref)) if ref == shape.ref:
            return Cardinality.MANY
        case PageType(of=AggregateType(ref=ref)) if ref == shape.ref:
            return Cardinality.PAGE
        case OptionType(of=AggregateType(ref=ref)) if ref == shape.ref:
            return Cardinality.OPTIONAL
        case EnvelopeType(of=AggregateType(ref=ref)) if ref == shape.ref:
            return Cardinality.ONE
        case UnionType(variants=variants) if len(variants) == 2 and AggregateType(ref=shape.ref) in variants:
            return Cardinality.ONE
        case _:
            return None


def _find(frame: Frame, declared: ast.Find, find: FindShape, shape: AggregateShape) -> ir.Find | None:
    given = parameters(frame, find.parameters)
    _check_parameters(frame, declared, find)
    inner = replace(with_parameters(frame, find.parameters), body=Body.FIND, owner=declared.name)
    where = _where(inner, declared, find, shape)
    gated = caller_gate(inner, declared.requires, declared.name, FindGateNotCurrentUser)
    answer = cardinality(shape, find.returns) if find.returns is not None else None
    if find.returns is not None and answer is None:
        frame.report(_wrong_result(frame.at(declared.returns.at), shape.instance.name, find.returns))
    _check_name(frame, declared, answer)
    if answer is None:
        return None
    return ir.Find(
        name=declared.name,
        parameters=given,
        cardinality=answer,
        requires=gated,
        where=where,
        ignoring=ignored(frame, declared.ignoring, shape.declaration),
        carrier=_CARRIERS.get(type(find.returns), ""),
        absent=absent_error(inner, declared, find) if isinstance(find.returns, UnionType) else None,
    )


_CARRIERS: Mapping[type, str] = {OptionType: "option", EnvelopeType: "envelope"}


def _wrong_result(at: NodePath, aggregate: str, returns: Type) -> Diagnostic:
    if isinstance(returns, UnionType):
        return UnionFindShapeUnsupported(at=at, case="shape", found=show(returns), aggregate=aggregate)
    return FindResult(at=at, aggregate=aggregate, found=show(returns))


def _check_name(frame: Frame, declared: ast.Find, answer: Cardinality | None) -> None:
    at = frame.at(declared.at)
    if declared.name in _RESERVED:
        frame.report(FindReservedName(at=at, name=declared.name, hint="choose another name"))
    elif declared.name == "all" and answer is not None and (answer is not Cardinality.MANY or declared.parameters):
        hint = "`all` takes nothing and answers an array; it replaces the automatic list"
        frame.report(FindReservedName(at=at, name="all", hint=hint))


def _check_parameters(frame: Frame, declared: ast.Find, find: FindShape) -> None:
    for written, parameter in zip(declared.parameters, find.parameters, strict=False):
        type_ = parameter.type
        if type_ is not None and not is_comparable(without_optional(type_)):
            at = frame.at(written.at)
            frame.report(FindParameterType(at=at, name=parameter.name, found=show(type_)))
        if isinstance(find.returns, PageType) and parameter.name in _PAGING:
            frame.report(FindPagedParameter(at=frame.at(written.at), name=parameter.name))


def _where(frame: Frame, declared: ast.Find, find: FindShape, shape: AggregateShape) -> Expr | None:
    if declared.where is None:
        return _by_names(frame, declared, find, shape)
    value = condition(frame, declared.where, "`where`")
    obstacle = not_queryable(value) if value is not None else None
    return value if obstacle is None else frame.fail(OF_FINDS.of(frame.at(declared.where.at), obstacle))


def _by_names(frame: Frame, declared: ast.Find, find: FindShape, shape: AggregateShape) -> Expr | None:
    """Without a condition, each parameter is compared with the column of its name."""
    terms = [
        term
        for written, parameter in zip(declared.parameters, find.parameters, strict=False)
        for term in _term(frame, written, parameter, shape)
    ]
    if len(terms) < 2:
        return terms[0] if terms else None
    return Logical(type=BOOL, op=Logic.AND, operands=tuple(terms))


def _term(frame: Frame, written: ast.Parameter, parameter: ParameterShape, shape: AggregateShape) -> Iterator[Expr]:
    members = shape.instance.members
    member = members.get(parameter.name)
    at = frame.at(written.at)
    if member is None and shape.instance.is_partial:
        return
    if member is None or member.kind not in (FieldKind.PROPERTY, FieldKind.ID):
        near = nearest(parameter.name, members)
        name = shape.instance.name
        frame.report(FindWhereUnknownField(at=at, aggregate=name, name=parameter.name, nearest=near))
        return
    if member.type is None or parameter.type is None:
        return
    column = Field(type=member.type, receiver=This(type=shape.instance.type), name=member.name, kind=member.kind)
    sides = comparable(column, Local(type=parameter.type, name=parameter.name))
    domain = domain_of(sides[0].type) if sides is not None else None
    if sides is None or domain is None:
        found = f"{show(parameter.type)} for a column of {show(member.type)}"
        frame.report(FindParameterType(at=at, name=parameter.name, found=found))
        return
    yield Compare(type=BOOL, op=Comparison.EQ, domain=domain, left=sides[0], right=sides[1])
