"""Expressions as written, made into typed ones with every conversion written out."""

from loom.lower.expressions.core import evaluate

__all__ = ["evaluate"]
