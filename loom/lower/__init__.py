"""Syntax trees to meaning: every name resolved, every type known, every conversion written out."""

from loom.lower.context import LoweredContext, lower_context
from loom.lower.named import Shown, named_contexts, shown
from loom.lower.shared import LoweredShared, Outside, lower_shared
from loom.lower.signature import ContextSignature, SharedSignature, signature
from loom.lower.system import LoweredSystem, lower_system

__all__ = [
    "ContextSignature",
    "LoweredContext",
    "LoweredShared",
    "LoweredSystem",
    "Outside",
    "SharedSignature",
    "Shown",
    "lower_context",
    "lower_shared",
    "lower_system",
    "named_contexts",
    "shown",
    "signature",
]
