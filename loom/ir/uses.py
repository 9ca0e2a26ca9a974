"""Which uses of optional constructs a program makes, and where: beside the program, as its places are."""

from __future__ import annotations

from loom.base import Feature, NodePath, Value


class Use(Value):
    """One use of a construct that not every target has."""

    feature: Feature
    at: NodePath


class Uses(Value):
    """All uses of one context, or of the system, in reading order."""

    entries: tuple[Use, ...] = ()
