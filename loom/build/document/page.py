"""The whole page of one system: contents, deployment, contexts, and the lines of the model.

In: the model. Out: HTML that needs no other file. Never: a script, a font or a picture from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from loom.build.document.context import group, heading, section, types, where
from loom.build.document.diagram import Diagram, anchor, deployment, inside
from loom.build.document.markup import STYLE, figure, link, links, table
from loom.build.document.model import Model

HEAD = "<!doctype html><!-- written by `loom doc` -->"


def diagrams(model: Model) -> tuple[Diagram, ...]:
    """Every picture of the page."""
    return (deployment(model.system, model.contexts), *map(inside, model.contexts))


def page(model: Model) -> str:
    title = escape(model.system.name)
    return (
        f'{HEAD}\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1"><title>{title}</title>'
        f'<style>{STYLE}</style></head>\n<body><a class="skip" href="#content">To the content</a>\n'
        f'<div class="sheet">{_contents(model)}<main id="content">\n<h1>{title}</h1>\n{_summary(model)}'
        f"{_deployment(model)}{''.join(section(model, item) for item in model.contexts)}{_root(model)}{_sources(model)}"
        "</main></div></body></html>\n"
    )


def _contents(model: Model) -> str:
    items = [f"<li>{link('deployment', 'Deployment')}</li>"]
    for context in model.contexts:
        inner = "".join(
            f"<li>{link(anchor(kind, context.name, item.name), item.name)}</li>"
            for kind, declared in (("aggregate", context.aggregates), ("workflow", context.workflows))
            for item in declared
        )
        there = link(anchor("context", context.name), context.name)
        items.append(f"<li>{there}<ul>{inner}</ul></li>")
    items.append(f"<li>{link('model', 'Model')}</li>")
    return f'<nav aria-label="Contents"><ul>{"".join(items)}</ul></nav>'


def _summary(model: Model) -> str:
    counts = {
        "deployable": len(model.system.deployables),
        "context": len(model.contexts),
        "aggregate": sum(len(item.aggregates) for item in model.contexts),
        "workflow": sum(len(item.workflows) for item in model.contexts),
        "event": sum(len(item.events) for item in model.contexts),
    }
    said = " · ".join(f"{number} {name}{'' if number == 1 else 's'}" for name, number in counts.items())
    return f'<p class="soft">{said}</p>\n'


def _deployment(model: Model) -> str:
    system = model.system
    rows = [
        (
            f'<span id="{escape(anchor("deployable", item.name))}">{escape(item.name)}</span>{where(model, item.name)}',
            escape(item.platform),
            str(item.port or "the platform's"),
            links((anchor("context", name), name) for name in item.contexts),
            escape(", ".join(item.serves)),
        )
        for item in system.deployables
    ]
    kept = [
        (f'<span id="{escape(anchor("storage", item.name))}">{escape(item.name)}</span>{where(model, item.name)}',
         escape(item.kind), escape(", ".join(one.name for one in system.resources if one.storage == item.name)))
        for item in system.storages
    ]  # fmt: skip
    return (
        f'<section><h2 id="deployment">Deployment</h2>\n{figure(deployment(system, model.contexts))}'
        f"{table('Deployables', ('name', 'platform', 'port', 'contexts', 'serves'), rows)}"
        f"{table('Storage', ('name', 'kind', 'resources'), kept)}</section>\n"
    )


def _root(model: Model) -> str:
    functions = (
        heading(model, 4, f"function {item.name}", item.name, name=anchor("function", item.name))
        for item in model.shared.functions
    )
    made = group("Types", types(model, (), model.shared.enums, model.shared.value_objects))
    made += group("Functions", functions)
    return f"<section><h2>Shared by all contexts</h2>\n{made}</section>\n" if made else ""


def _sources(model: Model) -> str:
    return f'<section><h2 id="model">Model</h2>\n{"".join(_source(*item) for item in model.texts.items())}</section>\n'


def _source(file: str, text: str) -> str:
    return f"<h3>{escape(file)}</h3>\n<pre class=source>{''.join(_lines(file, text))}</pre>\n"


def _lines(file: str, text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), 1):
        yield f'<span id="{escape(file)}-{number}" data-line="{number}">{escape(line)}</span>'
