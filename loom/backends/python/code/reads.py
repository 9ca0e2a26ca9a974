"""What the methods of repositories that read are called.

In: a read, or the fields or the name that it goes by. Out: a method's name. Never: its body.
"""

from __future__ import annotations

from typing import assert_never

from loom.backends.python import spelling
from loom.ir.statements import Cardinality, Read, ReadKind
from loom.plan.unplanned import unplanned


def read_method(read: Read) -> str:
    """The repository method that a read calls."""
    optional = read.cardinality is Cardinality.OPTIONAL
    match read.kind:
        case ReadKind.BY_ID:
            return "find_by_id" if optional else "get_by_id"
        case ReadKind.BY_KEY:
            return key_method(read.key, optional=optional)
        case ReadKind.FIND:
            return find_method(read.name)
        case ReadKind.CRITERION | ReadKind.RETRIEVAL | ReadKind.INLINE | ReadKind.ALL:
            unplanned(read.kind)
    assert_never(read.kind)


def key_method(fields: tuple[str, ...], *, optional: bool) -> str:
    return f"{'find' if optional else 'get'}_by_{'_and_'.join(map(spelling.module_name, fields))}"


def find_method(name: str) -> str:
    """A declared find, apart from the methods that every repository has."""
    spelled = spelling.function_name(name)
    return f"{spelled}_" if spelled in ("save", "delete", "page", "get_by_id", "find_by_id") else spelled
