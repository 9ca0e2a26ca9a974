"""Capabilities that a model declares: kept as they are written, for whoever takes them on.

In: what stands outside contexts. Out: the signatures of those that are sound.
Never: a filter or a stamp, which mean something only where a capability is taken on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.lower.expansion import SUPPLIED
from loom.lower.problems.names import DuplicateField
from loom.lower.problems.system import DuplicateDeclaration
from loom.lower.scope.members import property_shape
from loom.lower.scope.names import Names
from loom.lower.scope.source import Source
from loom.lower.scope.typerefs import Position, TypeScope
from loom.lower.signature import CapabilitySignature
from loom.parse import ast
from loom.parse.codec import encode_node


def capability_signatures(
    members: Iterable[tuple[Source, ast.TopMember]], names: Names
) -> Iterator[CapabilitySignature]:
    """The sound ones; those that take a broken one on say nothing more about it."""
    seen: set[str] = set(SUPPLIED)
    for source, item in members:
        if not isinstance(item, ast.Capability):
            continue
        source.declare(item.at, item.name)
        if item.name in seen:
            source.report(DuplicateDeclaration(at=source.place(item.at), kind="capability", name=item.name))
            continue
        seen.add(item.name)
        if _is_sound(item, TypeScope(names, source)):
            yield CapabilitySignature(name=item.name, tree=encode_node(item))


def _is_sound(declared: ast.Capability, types: TypeScope) -> bool:
    """Whether its fields have types and names of their own; `Self` is whoever takes it on."""
    before = len(types.source.problems)
    fields = [item for item in declared.members if isinstance(item, ast.Property)]
    for index, item in enumerate(fields):
        if any(item.name == other.name for other in fields[:index]):
            at = types.source.place(item.at)
            types.source.report(DuplicateField(at=at, name=item.name, owner=declared.name))
        elif item.type.name != "Self":
            property_shape(item, types, Position.FIELD)
    return len(types.source.problems) == before
