"""Domain services: their operations and tests.

In: their declarations and shapes, and the frame of the context. Out: IR services.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from loom.base import Feature
from loom.ir.services import DomainService, ServiceOperation
from loom.ir.types import NOTHING
from loom.lower.bodies.flow import always_ends
from loom.lower.bodies.service_bodies import service_block
from loom.lower.bodies.tests import unit_tests
from loom.lower.declarations.members import parameters, with_parameters
from loom.lower.problems.bodies import ReturnMissing
from loom.lower.problems.services import DomainServiceSingleAggregate
from loom.lower.scope.frames import Body, Frame
from loom.lower.scope.services import is_single
from loom.lower.scope.shapes import ServiceOperationShape, ServiceShape
from loom.parse import ast


def services(frame: Frame, hoisted: Mapping[str, list[ast.Test]]) -> tuple[DomainService, ...]:
    return tuple(
        _service(frame, shape, tuple(hoisted.get(name, ()))) for name, shape in frame.scope.tables.services.items()
    )


def _service(frame: Frame, shape: ServiceShape, hoisted: tuple[ast.Test, ...]) -> DomainService:
    declared, source = shape.declaration, frame.scope.source
    source.declare(declared.at, declared.name)
    source.use(declared.at, Feature.DOMAIN_SERVICES)
    if aggregate := is_single(shape, frame.scope.names.local):
        at = frame.at(declared.at)
        frame.report(DomainServiceSingleAggregate(at=at, name=declared.name, aggregate=aggregate))
    return DomainService(
        name=declared.name,
        operations=tuple(_operation(frame, declared.name, item) for item in shape.operations.values()),
        tests=unit_tests(frame, declared.name, declared.members, hoisted),
    )


def _operation(frame: Frame, service: str, shape: ServiceOperationShape) -> ServiceOperation:
    declared, source = shape.declaration, frame.scope.source
    source.declare(declared.at, service, shape.name)
    for item in declared.parameters:
        source.declare(item.at, service, shape.name, item.name)
    inner = replace(
        with_parameters(frame, shape.parameters), body=Body.SERVICE, owner=shape.name, returns=shape.returns, read=set()
    )
    body = service_block(inner, service, declared.body)
    if shape.returns not in (NOTHING, None) and not always_ends(declared.body, frame.scope.total):
        frame.report(ReturnMissing(at=frame.at(declared.at), name=shape.name))
    return ServiceOperation(
        name=shape.name,
        parameters=parameters(frame, shape.parameters),
        returns=shape.returns or NOTHING,
        tier=shape.tier,
        changes=tuple(item.name for item in shape.parameters if item.name in shape.changes),
        body=body,
    )
