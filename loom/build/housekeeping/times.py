"""How a time is told.

In: milliseconds. Out: text. Never: a clock.
"""

from __future__ import annotations


def seconds(milliseconds: int) -> str:
    """A time for people."""
    return f"{milliseconds / 1000:.1f} s" if milliseconds < 60_000 else f"{milliseconds / 60_000:.1f} min"
