"""Gates that a request must pass before values are made of it, for only those whom they let in learn of its rules.

In: operations and workflow creates. Out: what such gates read of the request; None where values come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from loom.base import descendants
from loom.ir.expressions import Field, Local
from loom.ir.members import Parameter
from loom.ir.program import Operation, Part, ValueObject
from loom.ir.types import ArrayType, OptionalType, PartType, Ref, Type, ValueObjectType
from loom.plan.code.walk import locals_read
from loom.plan.http import InputPlan
from loom.plan.wire.inputs import WRITABLE


class Rules(NamedTuple):
    """Whatever may stand in a request and have rules of its own."""

    value_objects: Mapping[Ref, ValueObject]
    parts: Mapping[str, Part]

    def refuse(self, kind: Type) -> bool:
        """Whether a value of the right shape can still break a rule of its kind."""
        match kind:
            case OptionalType(of=inner) | ArrayType(of=inner):
                return self.refuse(inner)
            case ValueObjectType(ref=ref):
                found = self.value_objects[ref]
                return bool(found.invariants) or any(item.check for item in found.properties) or self.inside(found)
            case PartType(name=name):
                found_part = self.parts[name]
                held = [PartType(aggregate=kind.aggregate, name=item.part) for item in found_part.containments]
                return self.inside(found_part) or any(map(self.refuse, held))
            case _:
                return False

    def inside(self, owner: ValueObject | Part) -> bool:
        """Whether a member that a client gives can break a rule."""
        return any(self.refuse(item.type) for item in owner.properties if item.access in WRITABLE)


def operation_admission(operation: Operation, rules: Rules) -> tuple[Parameter, ...] | None:
    """The parameters that its gates read."""
    is_gated = not operation.private and (operation.requires or operation.when)
    if not is_gated or not any(rules.refuse(item.type) for item in operation.parameters):
        return None
    read = locals_read(*operation.requires)
    return tuple(item for item in operation.parameters if item.name in read)


def workflow_admission(
    requires: tuple[object, ...], inputs: tuple[InputPlan, ...], rules: Rules, *, is_record: bool
) -> tuple[InputPlan, ...] | None:
    """The inputs that the gates of a workflow read, be they parameters or members of its record."""
    if not requires or not any(rules.refuse(item.type) for item in inputs):
        return None
    read = _members(requires) if is_record else locals_read(*requires)
    return tuple(item for item in inputs if item.name in read)


def _members(gates: Iterable[object]) -> set[str]:
    return {node.name for node in descendants(*gates) if isinstance(node, Field) and isinstance(node.receiver, Local)}
