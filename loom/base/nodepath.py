"""Where in a program something was said, in a form that comments and blank lines cannot move.

A path names the file, the declaration that holds the node (a context, or `system`), and the node's number
in a walk through that declaration. Only the printer turns it into a line and a column.
"""

from __future__ import annotations

from typing import NamedTuple, NewType

NodePath = NewType("NodePath", str)


class Position(NamedTuple):
    """One-based line and column (in code points), and the zero-based offset."""

    line: int
    column: int
    offset: int


class Span(NamedTuple):
    """A half-open range of one file."""

    start: Position
    end: Position


def node_path(file: str, chunk: str, number: int) -> NodePath:
    return NodePath(f"{file}#{chunk}/{number}")


def split_path(path: NodePath) -> tuple[str, str, int]:
    """File, chunk and number of `path`."""
    file, _, rest = path.partition("#")
    chunk, _, number = rest.rpartition("/")
    return file, chunk, int(number or 0)
