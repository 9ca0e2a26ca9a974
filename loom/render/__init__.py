"""Deployment files of a system: compose now."""

from loom.render.compose import compose
from loom.render.system import render

__all__ = ["compose", "render"]
