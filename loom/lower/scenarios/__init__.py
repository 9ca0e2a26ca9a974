"""End-to-end tests, whose values are JSON and whose calls are requests."""

from loom.lower.scenarios.steps import Served, scenario

__all__ = ["Served", "scenario"]
