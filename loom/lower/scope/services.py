"""Domain services by name: what their operations take, and which tier each is of.

In: their declarations, and the aggregates and repositories around. Out: shapes.
Never: a lowered body; a tier is what calls as written amount to, through other services too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loom.ir.services import Tier
from loom.ir.types import NOTHING, Ref
from loom.lower.mentions import below, walk
from loom.lower.problems.names import DuplicateMember
from loom.lower.scope.members import parameters
from loom.lower.scope.names import Kind
from loom.lower.scope.shapes import ServiceOperationShape, ServiceShape, Tables
from loom.lower.scope.typerefs import Position, TypeScope
from loom.parse import ast

Name = tuple[str, str]


@dataclass(slots=True)
class _Found:
    """What is known of one operation so far; it only grows."""

    declared: ast.ServiceOperation
    reads: bool
    changes: set[str]
    calls: list[tuple[Name, tuple[str, ...]]]

    @property
    def tier(self) -> Tier:
        return Tier.MUTATING if self.changes else Tier.READING if self.reads else Tier.PURE


def services(declared: Iterable[object], tables: Tables, types: TypeScope) -> dict[str, ServiceShape]:
    kept: dict[str, ast.DomainService] = {}
    for item in declared:
        if isinstance(item, ast.DomainService):
            kept.setdefault(item.name, item)
    found = _settled({(item.name, one.name): _found(one, tables) for item in kept.values() for one in _own(item)})
    return {name: _shape(item, found, types) for name, item in kept.items()}


def _own(service: ast.DomainService) -> Iterator[ast.ServiceOperation]:
    return (item for item in service.members if isinstance(item, ast.ServiceOperation))


def _shape(service: ast.DomainService, found: Mapping[Name, _Found], types: TypeScope) -> ServiceShape:
    operations: dict[str, ServiceOperationShape] = {}
    for item in _own(service):
        if item.name in operations:
            at = types.source.place(item.at)
            kind, other = "operation", "an operation"
            types.source.report(DuplicateMember(at=at, name=item.name, owner=service.name, kind=kind, other=other))
            continue
        known = found[service.name, item.name]
        operations[item.name] = ServiceOperationShape(
            item.name,
            parameters(item.parameters, types, Position.SERVICE_PARAMETER),
            types.resolve(item.returns, Position.SERVICE_RESULT) if item.returns is not None else NOTHING,
            known.tier,
            frozenset(known.changes),
            item,
        )
    return ServiceShape(Ref(context=types.names.context, name=service.name), operations, service)


def _found(declared: ast.ServiceOperation, tables: Tables) -> _Found:
    roots = _roots(declared)
    taken = {item.name: item.type.name for item in declared.parameters}
    made = _Found(declared, reads=False, changes=set(), calls=[])
    for item in below(declared.body):
        match item:
            case ast.Call(callee=ast.Member(target=ast.Name(name=head), name=method), arguments=arguments):
                if head in roots:
                    shape = tables.aggregates.get(taken[roots[head]])
                    operation = shape.operations.get(method) if shape is not None else None
                    made.changes |= {roots[head]} if operation is not None and operation.mutates else set()
                elif head in tables.repositories:
                    made.reads = True
                else:
                    given = [_name(argument.value) for argument in arguments]
                    made.calls.append(((head, method), tuple(roots.get(name, "") for name in given)))
    return made


def _name(node: ast.Expression) -> str:
    return node.name if isinstance(node, ast.Name) else ""


def _roots(declared: ast.ServiceOperation) -> dict[str, str]:
    """The parameter behind each name that stands for one, or for an element of one."""
    roots = {item.name: item.name for item in declared.parameters}
    for statement in walk(declared.body):
        match statement:
            case ast.For(name=name, source=ast.Name(name=of)) | ast.IfLet(name=name, source=ast.Name(name=of)):
                roots |= {name: roots[of]} if of in roots else {}
            case ast.Let(name=name, value=ast.Name(name=of)):
                roots |= {name: roots[of]} if of in roots else {}
    return roots


def _settled(found: dict[Name, _Found]) -> dict[Name, _Found]:
    """What the called do, their callers do."""
    is_settled = False
    while not is_settled:
        is_settled = True
        for item in found.values():
            before = item.reads, len(item.changes)
            for name, given in item.calls:
                if (called := found.get(name)) is not None:
                    item.reads |= called.reads
                    pairs = zip(called.declared.parameters, given, strict=False)
                    item.changes |= {root for parameter, root in pairs if root and parameter.name in called.changes}
            is_settled &= before == (item.reads, len(item.changes))
    return found


def is_single(service: ServiceShape, kinds: Mapping[str, Kind]) -> str:
    """The aggregate of which every operation takes one instance; empty for any other service."""
    taken: set[str] = set()
    for item in _own(service.declaration):
        own = [parameter.type for parameter in item.parameters if kinds.get(parameter.type.name) is Kind.AGGREGATE]
        whole = [type_ for type_ in own if not type_.is_id]
        if len(whole) > 1 or any(type_.is_list for type_ in whole):
            return ""
        taken |= {type_.name for type_ in whole}
    return taken.pop() if len(taken) == 1 else ""
