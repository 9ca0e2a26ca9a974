"""Which fields a create always sets before anything reads them.

In: the body of a create. Out: names of fields.
Never: a diagnostic (a field that is never set is found before).
"""

from __future__ import annotations

from loom.ir import statements as ir
from loom.ir.expressions import Field, This
from loom.ir.types import code_in


def always_assigned(body: tuple[ir.Statement, ...]) -> frozenset[str]:
    """Fields that every path through `body` assigns as a whole, and that nothing reads before."""
    return frozenset(_assigned(body, set()))


def _assigned(body: tuple[ir.Statement, ...], read: set[str]) -> set[str]:
    """`read` collects, in order, what has been read before it was assigned; "" stands for anything."""
    done: set[str] = set()
    for statement in body:
        match statement:
            case ir.If(condition=condition, then=then, otherwise=otherwise):
                read |= _reads(condition) - done
                done |= _assigned(then, read) & _assigned(otherwise, read)
            case ir.Assign(path=(name,), value=value):
                read |= _reads(value) - done
                done |= {name} - read
            case _:
                read |= _reads(statement) - done
    return set() if "" in read else done


def _reads(item: object) -> set[str]:
    """Fields of `this` that are read or changed in part; "" when `this` goes somewhere as a whole."""
    found: set[str] = set()
    whole = 0
    for node in code_in(item):
        match node:
            case Field(receiver=This(), name=name):
                found.add(name)
                whole -= 1  # the `this` in it, which comes next
            case This():
                whole += 1
            case ir.Assign(path=(name, *_)) | ir.Append(field=name) | ir.Remove(field=name):
                found.add(name)
            case ir.Invoke(receiver=""):
                found.add("")
            case _:
                pass
    return found | {""} if whole else found
