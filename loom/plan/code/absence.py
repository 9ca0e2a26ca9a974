"""Optional collections as what they are everywhere: collections, whose absence is being empty.

In: a context. Out: the same context without an optional collection in it.
Never: a change of a context that has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from loom.base import Value, mapped
from loom.ir.expressions import Call, Compare, Domain, Expr, Fn, ListLiteral, Literal, Null
from loom.ir.members import Parameter
from loom.ir.program import Property
from loom.ir.types import INT, ArrayType, OptionalType, Type

V = TypeVar("V", bound=Value)


def is_optional_collection(kind: object) -> bool:
    return isinstance(kind, OptionalType) and isinstance(kind.of, ArrayType)


def nothing(kind: Type) -> Expr | None:
    """What a value of the type is before anything is given, if it has such a thing."""
    if isinstance(kind, ArrayType):
        return ListLiteral(type=kind, items=())
    return Null(type=kind) if isinstance(kind, OptionalType) else None


def without_absence(root: V, declared: Iterable[Type]) -> V:
    """`declared` are the types that the declarations of `root` write.

    What a client may leave out has null as its default from then on.
    """
    return _settled(root) if any(map(is_optional_collection, declared)) else root


def _settled(node: V) -> V:
    """Operands come first, so a comparison looks at itself as it was written."""
    inside = mapped(node, _item)
    if isinstance(node, Parameter | Property) and node.default is None and is_optional_collection(node.type):
        return inside.model_copy(update={"default": Null(type=node.type)})
    return inside


def _item(item: object) -> object:
    if isinstance(item, tuple):
        parts = tuple(map(_item, item))
        return item if all(new is old for new, old in zip(parts, item, strict=True)) else parts
    if isinstance(item, OptionalType) and isinstance(item.of, ArrayType):
        return _settled(item.of)
    if isinstance(item, Null) and isinstance(item.type, OptionalType) and isinstance(item.type.of, ArrayType):
        return ListLiteral(type=_settled(item.type.of), items=())
    if isinstance(item, Compare) and item.domain is Domain.NULL:
        return _comparison(item)
    return _settled(item) if isinstance(item, Value) else item


def _comparison(item: Compare) -> Compare:
    """Equal to null is having no element."""
    for side in (item.left, item.right):
        if is_optional_collection(side.type) and not isinstance(side, Null):
            count = Call(type=INT, fn=Fn.COUNT, arguments=(_settled(side),))
            none = Literal(type=INT, text="0")
            return item.model_copy(update={"domain": Domain.INT, "left": count, "right": none})
    return _settled(item)
