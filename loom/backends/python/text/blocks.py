"""Functions and classes out of statements, laid out where they stand.

In: heads and bodies. Out: their text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from loom.backends.python.text.shapes import STEP, Call, Row, behind
from loom.backends.python.text.statements import INDENT, Statement, Targets, laid_out


class Function(NamedTuple):
    """A function or a method."""

    head: str
    body: tuple[str, ...]
    decorators: tuple[str, ...] = ()

    def text(self, indent: int = 0) -> str:
        above = [laid_out(line, indent) for line in (*self.decorators, self.head)]
        return "\n".join([*above, *[laid_out(line, indent + STEP) for line in self.body]])


class Class(NamedTuple):
    """A class; one without a field, a method or a text says `pass`."""

    head: str
    fields: tuple[str, ...] = ()
    methods: tuple[Function, ...] = ()
    doc: str = ""
    decorator: str = ""

    def text(self) -> str:
        parts = [f'{INDENT}"""{self.doc}"""'] if self.doc else []
        parts += ["\n".join([laid_out(line, STEP) for line in self.fields])] if self.fields else []
        parts += [method.text(STEP) for method in self.methods]
        above = [self.decorator] if self.decorator else []
        return "\n".join([*above, laid_out(self.head, 0), "\n\n".join(parts) or f"{INDENT}pass"])


def class_head(name: str, *bases: str) -> Statement:
    return Statement("", behind("class ", Call(name, bases) if bases else name), after=":")


def loop(variable: str, items: str) -> Statement:
    """The head of a loop."""
    return Statement(Row("for ", Targets(variable), " in "), items, after=":")


def block(lines: Iterable[str]) -> list[str]:
    """The lines one level deeper; a block of nothing says so."""
    return [line.deeper() if isinstance(line, Statement) else INDENT + line for line in lines] or [f"{INDENT}pass"]
