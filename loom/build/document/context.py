"""The part of the page that tells of one context.

In: the model, a context of it. Out: HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from loom.build.document.channels import channel_text
from loom.build.document.diagram import anchor, inside, referred
from loom.build.document.markup import code, figure, link, links, table
from loom.build.document.model import Model
from loom.ir import program as ir
from loom.ir.delivery import Channel
from loom.ir.members import Gate, Parameter
from loom.ir.projections import Projection
from loom.ir.types import (
    AggregateType,
    ArrayType,
    EnumType,
    IdType,
    NothingType,
    OptionalType,
    PageType,
    Ref,
    Scalar,
    Type,
    ValueObjectType,
)


def spelled(kind: Type) -> str:
    """A type as a model writes it; one that a model never writes, by what it is called here."""
    match kind:
        case Scalar(kind=scalar):
            return scalar.value
        case OptionalType(of=inner):
            return f"{spelled(inner)}?"
        case ArrayType(of=inner):
            return f"{spelled(inner)}[]"
        case PageType(of=inner):
            return f"{spelled(inner)} paged"
        case IdType(aggregate=ref, part=part):
            return f"{part or ref.name} id"
        case NothingType():
            return ""
        case _:
            named = getattr(kind, "name", None) or getattr(getattr(kind, "ref", None), "name", None)
            return str(named or type(kind).__name__.removesuffix("Type").lower())


def typed(kind: Type) -> str:
    """The same as an element, with a link to what declares it."""
    inner = kind
    while isinstance(inner, OptionalType | ArrayType | PageType):
        inner = inner.of
    match inner:
        case EnumType(ref=ref):
            target = anchor("enum", *_around(ref), ref.name)
        case ValueObjectType(ref=ref):
            target = anchor("value", *_around(ref), ref.name)
        case IdType(aggregate=ref) | AggregateType(ref=ref):
            target = anchor("aggregate", ref.context, ref.name)
        case _:
            return code(spelled(kind))
    return f'<a href="#{escape(target)}">{code(spelled(kind))}</a>'


def _around(ref: Ref) -> tuple[str, ...]:
    return (ref.context,) if ref.context else ()


def heading(model: Model, level: int, text: str, *path: str, name: str) -> str:
    """A heading with a link to the line that declares what it is about."""
    return f'<h{level} id="{escape(name)}">{escape(text)}{where(model, *path)}</h{level}>\n'


def where(model: Model, *path: str) -> str:
    """A link to the line of a declaration."""
    line = model.lines.get(path)
    if line is None:
        return ""
    return f' <span class="line">{link(f"{line.file}-{line.number}", f"{line.file}:{line.number}")}</span>'


def section(model: Model, context: ir.Context) -> str:
    name = context.name
    hosts = [item.name for item in model.system.deployables if name in item.contexts]
    parts = [
        heading(model, 2, f"Context {name}", name, name=anchor("context", name)),
        f"<p>Hosted by {links((anchor('deployable', host), host) for host in hosts)}.",
        f" Refers to {links((anchor('context', other), other) for other in referred(context))}.</p>\n",
        figure(inside(context)),
        group("Aggregates", (_aggregate(model, name, item) for item in context.aggregates)),
        group("Workflows", (_workflow(model, name, item) for item in context.workflows)),
        group("Events", (_fields(model, "event", name, item.name, item.fields) for item in context.events)),
        group("Channels", (_channel(model, context, item) for item in context.channels)),
        group("Projections", (_projection(model, name, item) for item in context.projections)),
        group("Types", types(model, (name,), context.enums, context.value_objects)),
    ]
    return f"<section>\n{''.join(parts)}</section>\n"


def types(
    model: Model, around: tuple[str, ...], enums: Iterable[ir.Enum], values: Iterable[ir.ValueObject]
) -> Iterator[str]:
    """Enums and value objects, those of the root too."""
    for enum in enums:
        yield heading(model, 4, f"enum {enum.name}", *around, enum.name, name=anchor("enum", *around, enum.name))
        yield f"<p>{', '.join(code(value) for value in enum.values)}</p>\n"
    for item in values:
        title = heading(
            model, 4, f"valueobject {item.name}", *around, item.name, name=anchor("value", *around, item.name)
        )
        yield title + _table("Fields", item.properties) + _rules(item.invariants)


def group(title: str, parts: Iterable[str]) -> str:
    """The parts below a heading; nothing when there are none."""
    made = "".join(parts)
    return f"<h3>{title}</h3>\n{made}" if made else ""


def _fields(model: Model, kind: str, context: str, name: str, fields: Iterable[ir.Property]) -> str:
    return heading(model, 4, name, context, name, name=anchor(kind, context, name)) + _table("Fields", fields)


def _table(caption: str, fields: Iterable[ir.Property]) -> str:
    rows = [(code(item.name), typed(item.type), escape(item.access.value)) for item in fields]
    return table(caption, ("name", "type", "access"), rows)


def _rules(invariants: Iterable[ir.Invariant]) -> str:
    rows = [(code(item.source), escape(item.message)) for item in invariants]
    return table("Always true", ("condition", "message"), rows)


def _aggregate(model: Model, context: str, item: ir.Aggregate) -> str:
    stored = _table("Fields", item.properties)
    derived = table("Derived", ("name", "type"), [(code(one.name), typed(one.type)) for one in item.derived])
    parts = "".join(_table(f"Part {part.name}", part.properties) for part in item.parts)
    finds = table(f"Finds of {item.repository}", ("find",), [(code(_signature(one)),) for one in item.finds])
    title = heading(model, 4, item.name, context, item.name, name=anchor("aggregate", context, item.name))
    return title + stored + derived + parts + _rules(item.invariants) + _operations(item) + finds


def _operations(item: ir.Aggregate) -> str:
    made = [("create", item.create)] if item.create is not None else []
    rows = [(code(_call(name, create.parameters)), "", _gates(create.requires), "") for name, create in made]
    for one in item.operations:
        when = code(one.when.source) if one.when is not None else ""
        rows.append((code(_call(one.name, one.parameters)), typed(one.returns), _gates(one.requires), when))
    rows += [(code("destroy"), "", _gates(item.destroy.requires), "")] if item.destroy is not None else []
    return table("Operations", ("operation", "returns", "requires", "when"), rows)


def _gates(gates: Iterable[Gate]) -> str:
    return " and ".join(code(gate.source) for gate in gates)


def _call(name: str, parameters: Iterable[Parameter]) -> str:
    return f"{name}({', '.join(f'{item.name}: {spelled(item.type)}' for item in parameters)})"


def _signature(find: ir.Find) -> str:
    return f"{_call(find.name, find.parameters)}: {find.cardinality.value}"


def _channel(model: Model, context: ir.Context, item: Channel) -> str:
    title = heading(model, 4, item.name, context.name, item.name, name=anchor("channel", context.name, item.name))
    return title + channel_text(model, context, item)


def _projection(model: Model, context: str, item: Projection) -> str:
    title = heading(model, 4, item.name, context, item.name, name=anchor("projection", context, item.name))
    events = dict.fromkeys((anchor("event", one.event.context, one.event.name), one.event.name) for one in item.folds)
    source = f"Asked of {code(item.query.source.name)}" if item.query is not None else f"Folds {links(events)}"
    rows = [(code(one.name), typed(one.type)) for one in item.fields]
    return f"{title}<p>{source}.</p>\n{table('Fields', ('name', 'type'), rows)}"


def _workflow(model: Model, context: str, item: ir.Workflow) -> str:
    title = heading(model, 4, item.name, context, item.name, name=anchor("workflow", context, item.name))
    rows = [(code(_call(one.name or "create", one.parameters)), _gates(one.requires)) for one in item.creates]
    mark = "<p>In one transaction.</p>\n" if item.transactional else ""
    return title + mark + table("Begins with", ("create", "requires"), rows)
