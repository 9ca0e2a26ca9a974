"""Every expression and statement below a value.

In: any value of a program. Out: it and everything below it that is no type.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.base import Value


def walk(value: Value) -> Iterator[Value]:
    yield value
    for name, item in value.__dict__.items():
        if name == "type":
            continue
        for child in item if isinstance(item, tuple) else (item,):
            if isinstance(child, Value):
                yield from walk(child)
