"""Operators and the types that they take."""

from loom.lower.expressions.operators.core import binary, unary

__all__ = ["binary", "unary"]
