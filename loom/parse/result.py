"""What parsing one file gives.

In: made by `parser`, or read back by `codec`. Out: the tree, places, mistakes.
Never: the text itself.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from loom.base import Diagnostic, Digest, Severity
from loom.parse.ast import File
from loom.parse.damage import Damage


class Origins(msgspec.Struct, frozen=True):
    """Where the tokens of each chunk of one file begin, as arrays of offsets in code points."""

    chunks: Mapping[str, bytes]

    def offset(self, chunk: str, number: int) -> int:
        """The offset of a node; the start of the file for one that is unknown."""
        starts = memoryview(self.chunks.get(chunk, b"")).cast("I")
        return starts[number] if 0 <= number < len(starts) else 0


class ParseResult(msgspec.Struct, frozen=True):
    """`chunks` is the tree once more, as bytes by label: what steps that need one context read and are keyed by.

    `damage` is None of a text without mistakes.
    """

    path: str
    ast: File
    chunks: tuple[tuple[str, bytes], ...]
    origins: Origins
    diagnostics: tuple[Diagnostic, ...]
    damage: Damage | None = None

    @property
    def has_errors(self) -> bool:
        return any(problem.severity is Severity.ERROR for problem in self.diagnostics)

    def digests(self) -> dict[str, Digest]:
        """The digest of each chunk: equal exactly when what the author wrote there is, comments aside."""
        return {label: Digest.of(data) for label, data in self.chunks}
