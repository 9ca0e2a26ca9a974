"""Tests of a whole context: as unit tests, and what is stored is read back.

In: tests as written. Out: IR tests, whose reads are loads.
Never: a read inside of an expectation: what is compared was read before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loom.base import Feature
from loom.ir import statements as st
from loom.ir.members import Test
from loom.ir.types import AggregateType, ArrayType, OptionalType, Type
from loom.lower.bodies.blocks import Lowered, free_name
from loom.lower.bodies.reads import RepositoryCall, answered, read, repository_call
from loom.lower.bodies.tests import TestStatements, tests_of
from loom.lower.scope.frames import Body, Frame, Origin
from loom.lower.scope.shapes import RepositoryShape
from loom.parse import ast


def context_tests(frame: Frame, name: str, declared: Iterable[ast.Test]) -> tuple[Test, ...]:
    declared = list(declared)
    for item in declared:
        frame.scope.source.use(item.at, Feature.CONTEXT_TESTS)
    repositories = {item.aggregate: item for item in frame.scope.tables.repositories.values()}
    return tests_of(frame, name, declared, Body.CONTEXT_TEST, _ContextTestStatements(repositories))


class _ContextTestStatements(TestStatements):
    """Reads go through a repository, or through the name of its aggregate."""

    def __init__(self, repositories: Mapping[str, RepositoryShape]) -> None:
        self._repositories = repositories

    def let(self, frame: Frame, node: ast.Let) -> Lowered:
        call = self._call(frame, node.value)
        if call is None:
            return super().let(frame, node)
        is_free = free_name(frame, node.at, node.name)
        found, type_ = read(frame, call), _type(answered(frame, call))
        if found is not None and found.cardinality is st.Cardinality.PAGE:
            frame.scope.source.unsupported(node.value.at, "pages in tests of a context")
            found = None
        statement = st.Load(name=node.name, read=found) if found is not None and is_free else None
        return statement, frame.bind(node.name, type_, Origin.LET)

    def _call(self, frame: Frame, node: ast.Expression) -> RepositoryCall | None:
        match node:
            case ast.Call(callee=ast.Member(target=ast.Name(name=name) as head, name=method)) if (
                name in frame.scope.tables.aggregates and name not in frame.locals and method != "create"
            ):
                shape = self._repositories.get(name) or RepositoryShape(name, name, {})
                return RepositoryCall(node, head, method, shape)
        return repository_call(frame, node)


def _type(answer: tuple[AggregateType, st.Cardinality] | None) -> Type | None:
    match answer:
        case (type_, st.Cardinality.ONE):
            return type_
        case (type_, st.Cardinality.OPTIONAL):
            return OptionalType(of=type_)
        case (type_, st.Cardinality.MANY):
            return ArrayType(of=type_)
        case _:
            return None
