"""What a model means, as lines that a case can be held against.

In: a lowered model. Out: one line for each declaration, `path: what it is`, and one for each feature that it uses.
Types are spelled as in the language, and what is computed as its tree has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum

from loom.base import Value
from loom.ir import expressions, statements, types
from loom.ir.deployment import System
from tests.kit.lowering import Lowered

_INLINE = (expressions.__name__, statements.__name__, types.__name__)
_NAMES = ("name", "dataset")
_SUFFIXES = {
    types.OptionalType: "?",
    types.ArrayType: "[]",
    types.PageType: " paged",
    types.OptionType: " option",
    types.EnvelopeType: " envelope",
}


def outline(model: Lowered) -> list[str]:
    """Every line, in the order of the declarations."""
    roots = [("root", model.shared.shared), *((item.context.name, item.context) for item in model.contexts)]
    roots += [("system", model.system.system)] if model.system is not None else []
    lines = [line for path, root in roots for line in _declaration(root, path)]
    return [*lines, *_uses(model)]


def _uses(model: Lowered) -> Iterator[str]:
    uses = [model.shared.uses, *(item.uses for item in model.contexts)]
    uses += [model.system.uses] if model.system is not None else []
    counts = Counter(use.feature.value for part in uses for use in part.entries)
    for feature, count in sorted(counts.items()):
        yield f"uses {feature}: {count}"


def _declaration(node: Value, path: str) -> Iterator[str]:
    below, said = [], []
    for name, value in _said(node):
        items = value if isinstance(value, tuple) else (value,)
        named = [item for item in items if _is_declaration(item)]
        below += [(f"{path}.{_label(node, name, item)}", item) for item in named]
        if not named and name not in _NAMES:
            said.append(f"{name}={text(value)}")
    yield f"{path}: {' '.join(said)}".rstrip(": ")
    for inner, item in below:
        yield from _declaration(item, inner)


def _is_declaration(item: object) -> bool:
    return isinstance(item, Value) and type(item).__module__ not in _INLINE


def _label(owner: Value, role: str, item: object) -> str:
    """What it is called; entries without a name go by what they are to their owner, as everything of a system does."""
    name = next((str(getattr(item, name)) for name in _NAMES if getattr(item, name, "")), "")
    return f"{role}.{name}" if name and isinstance(owner, System) else name or role


def _said(node: Value) -> Iterator[tuple[str, object]]:
    defaults = type(node).field_defaults()
    for name in type(node).field_names():
        value = getattr(node, name)
        if value != defaults.get(name) and value not in (None, (), "", False):
            yield name, value


def text(value: object) -> str:
    """A type, an expression, a statement, or several of them."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(text, value))}]"
    if isinstance(value, Enum):
        return str(value.value)
    if not isinstance(value, Value):
        return str(value)
    if type(value).__module__ == types.__name__:
        return _type(value)
    return _expression(value) or f"{type(value).__name__}({', '.join(_parts(value))})"


def _parts(value: Value) -> Iterator[str]:
    return (f"{name}={text(part)}" for name, part in _said(value) if name != "type")


def _type(value: Value) -> str:
    match value:
        case types.Scalar(kind=kind):
            return kind.value
        case types.Ref(context=context, name=name):
            return f"{context}.{name}" if context else name
        case types.IdType(aggregate=aggregate, part=part):
            return ".".join(filter(None, (text(aggregate), part))) + " id"
        case types.PartType(aggregate=aggregate, name=name):
            return f"{text(aggregate)}.{name}"
        case types.UnionType(variants=variants):
            return " or ".join(map(text, variants))
        case _ if suffix := _SUFFIXES.get(type(value)):
            return text(getattr(value, "of", "")) + suffix
        case _:
            return text(getattr(value, "ref", type(value).__name__.removesuffix("Type").lower()))


def _expression(value: Value) -> str:  # noqa: C901 - one case a kind
    """What is common in its shortest form; empty for all else."""
    match value:
        case expressions.Literal(type=kind, text=written):
            return repr(written) if kind == types.STRING else f"{written}:{text(kind)}"
        case expressions.Local(name=name) | expressions.EnumLiteral(value=name):
            return name
        case expressions.This():
            return "this"
        case expressions.Field(receiver=receiver, name=name):
            return f"{text(receiver)}.{name}"
        case expressions.Call(fn=fn, arguments=arguments):
            return f"{fn.value}({', '.join(map(text, arguments))})"
        case expressions.Arithmetics(op=op, operands=operands) | expressions.Logical(op=op, operands=operands):
            return f"({f' {op.value} '.join(map(text, operands))})"
        case expressions.Compare(op=op, left=left, right=right):
            return f"({text(left)} {op.value} {text(right)})"
        case expressions.Convert(type=kind, operand=operand):
            return f"{text(kind)}({text(operand)})"
        case expressions.Lambda(parameter=parameter, body=body):
            return f"{parameter} => {text(body)}"
        case expressions.FieldValue(name=name, value=inner):
            return f"{name}: {text(inner)}"
        case _:
            return ""
