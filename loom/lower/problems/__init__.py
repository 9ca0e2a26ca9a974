"""Every diagnostic of lowering, one class each, by theme."""

from loom.lower.problems.names import UnsupportedFeature

__all__ = ["UnsupportedFeature"]
