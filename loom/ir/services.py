"""Domain services: what belongs to no single aggregate."""

from __future__ import annotations

from enum import StrEnum

from loom.base import Value
from loom.ir.members import Parameter, Test
from loom.ir.statements import Statement
from loom.ir.types import Type


class Tier(StrEnum):
    """What an operation of a domain service does besides answering: it decides who may call it."""

    PURE = "pure"
    READING = "reading"
    MUTATING = "mutating"


class ServiceOperation(Value):
    """`changes` are the parameters whose aggregates it changes; whoever calls it saves them."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    tier: Tier
    changes: tuple[str, ...]
    body: tuple[Statement, ...]


class DomainService(Value):
    name: str
    operations: tuple[ServiceOperation, ...]
    tests: tuple[Test, ...]
