"""Deployment files of a system."""

from loom.render.compose import compose
from loom.render.system import render

__all__ = ["compose", "render"]
