"""Patterns of the common regex subset as Python's, of the same meaning under `re.ASCII`.

In: an RE2-like pattern. Out: the pattern for `re`.
Never: a pattern outside the subset (lowering has refused it).
"""

from __future__ import annotations

from loom.emit.patterns import Piece, pieces

# For Python a vertical tab is a space too, and so are some control characters.
_SPACES = r"\t\n\f\r "


def python_pattern(pattern: str) -> str:
    return "".join(map(_spelled, pieces(pattern)))


def _spelled(piece: Piece) -> str:
    match piece:
        case Piece("$", False):
            return r"\Z"  # the end of the text, not of its last line
        case Piece(r"\s", in_class):
            return _SPACES if in_class else f"[{_SPACES}]"
        case Piece(r"\S", False):
            return f"[^{_SPACES}]"
        case _:
            return piece.text
