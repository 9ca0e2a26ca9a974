"""The project: `loom.yaml`, where it lies, and what the environment overrides."""

from loom.build.project.load import FILE, find_root, load_project
from loom.build.project.problem import Misused, ProjectProblem
from loom.build.project.settings import Project, System

__all__ = ["FILE", "Misused", "Project", "ProjectProblem", "System", "find_root", "load_project"]
