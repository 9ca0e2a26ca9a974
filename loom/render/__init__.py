"""Deployment files of a system: compose now."""

from loom.render.compose import compose

__all__ = ["compose"]
