"""The validate stages: a context, the root, and the system, each on its own.

In: what lowering gave. Out: nothing but diagnostics.
"""

from __future__ import annotations

from loom.base import Diagnostic, Facts
from loom.ir import deployment
from loom.ir import program as ir
from loom.ir.places import Places
from loom.ir.uses import Uses
from loom.lower.context import LoweredContext
from loom.lower.shared import LoweredShared
from loom.lower.signature import ContextSignature, SharedSignature
from loom.lower.system import LoweredSystem
from loom.parse.stage import NoValue
from loom.validate.checks import validate_context, validate_shared, validate_system, validate_wiring

Found = tuple[NoValue, tuple[Diagnostic, ...]]


def context(program: ir.Context, places: Places, shared: SharedSignature) -> Found:
    return NoValue(), validate_context(LoweredContext(context=program, places=places, diagnostics=()), shared)


def root(program: ir.Shared, signature: SharedSignature, places: Places) -> Found:
    lowered = LoweredShared(shared=program, signature=signature, places=places, diagnostics=())
    return NoValue(), validate_shared(lowered)


def system(program: deployment.System, places: Places, facts: tuple[Facts, ...]) -> Found:
    lowered = LoweredSystem(system=program, places=places, diagnostics=())
    return NoValue(), validate_system(lowered, {item.name: item for item in facts})


def wiring(
    program: deployment.System, places: Places, signatures: tuple[ContextSignature, ...], uses: tuple[Uses, ...]
) -> Found:
    """`uses` are those of the contexts, in the order of their signatures."""
    lowered = LoweredSystem(system=program, places=places, diagnostics=())
    used = {item.name: its for item, its in zip(signatures, uses, strict=True)}
    return NoValue(), validate_wiring(lowered, signatures, used)
