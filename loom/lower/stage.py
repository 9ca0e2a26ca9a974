"""The lower stages: signatures first, then the root, the system, and each context against what it names.

In: chunks of syntax trees as bytes. Out: programs, places, signatures.
Never: a context's insides where its signature will do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loom.base import Diagnostic, Value
from loom.ir import deployment
from loom.ir import program as ir
from loom.ir.places import Places
from loom.ir.uses import Uses
from loom.lower.context import lower_context
from loom.lower.expansion import expand
from loom.lower.named import Shown, named_contexts, shown
from loom.lower.shared import Outside, lower_shared
from loom.lower.signature import ContextSignature, SharedSignature, capabilities_of, signature
from loom.lower.system import lower_system
from loom.parse.codec import decode_context, decode_outside

Problems = tuple[Diagnostic, ...]
Chunks = tuple[tuple[str, bytes], ...]
Signatures = tuple[ContextSignature, ...]


class Root(NamedTuple):
    shared: ir.Shared
    signature: SharedSignature
    places: Places
    uses: Uses


class Deployment(NamedTuple):
    system: deployment.System
    places: Places
    uses: Uses


class Lowered(NamedTuple):
    context: ir.Context
    places: Places
    uses: Uses


class Named(Value):
    """Names of other contexts, sorted."""

    contexts: tuple[str, ...]


def sign(chunk: bytes) -> tuple[ContextSignature, Problems]:
    return signature(decode_context(chunk)), ()


def show(signatures: Signatures) -> tuple[Shown, Problems]:
    return shown(signatures), ()


def name(chunk: bytes, known: Shown, shared: SharedSignature) -> tuple[Named, Problems]:
    """Which contexts the one in `chunk` depends on, also through the capabilities that it takes on."""
    whole = expand(decode_context(chunk), capabilities_of(shared))
    return Named(contexts=named_contexts(whole, known)), ()


def root(chunks: Chunks, signatures: Signatures) -> tuple[Root, Problems]:
    """`chunks` are what each file holds outside contexts, by path."""
    lowered = lower_shared(outside(chunks), signatures)
    return Root(lowered.shared, lowered.signature, lowered.places, lowered.uses), lowered.diagnostics


def system(chunks: Chunks, signatures: Signatures, shared: SharedSignature) -> tuple[Deployment, Problems]:
    lowered = lower_system(outside(chunks), signatures, shared)
    return Deployment(lowered.system, lowered.places, lowered.uses), lowered.diagnostics


def context(chunk: bytes, file: str, shared: SharedSignature, signatures: Signatures) -> tuple[Lowered, Problems]:
    """`signatures` are those of the contexts that this one names."""
    lowered = lower_context(decode_context(chunk), file, shared, signatures)
    return Lowered(lowered.context, lowered.places, lowered.uses), lowered.diagnostics


def outside(chunks: Iterable[tuple[str, bytes]]) -> Outside:
    return [(path, decode_outside(data)) for path, data in chunks]
