"""What is wanted, what meets it and what shows that it is met. No service has a part in it."""

from __future__ import annotations

from loom.base import Value


class Requirement(Value):
    """`parent` may be empty; `settings` are name and text, the type and the title among them."""

    name: str
    parent: str
    settings: tuple[tuple[str, str], ...]


class Solution(Value):
    """`parts` are paths of declarations, deployables and apis."""

    name: str
    requirement: str
    title: str
    parts: tuple[str, ...]


class TestCase(Value):
    """`parts` as those of a solution; tests name the test case that they belong to."""

    name: str
    requirement: str
    title: str
    parts: tuple[str, ...]


Trace = Requirement | Solution | TestCase
