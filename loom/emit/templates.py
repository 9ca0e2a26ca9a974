"""The one Jinja environment, and the contract between a template and the view that it prints.

In: a package folder with `templates/`, a view. Out: text, or what is wrong with a template.
Never: logic in a template. A view is a Value of strings, flags and tuples, so a template cannot decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, get_args, get_origin

from msgspec.structs import asdict

from loom.base import Value

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment, nodes


class View(Value):
    """What one output file prints: strings, flags, tuples of them and of other views. Each backend has its own."""

    stored: ClassVar[bool] = False


@cache
def environment(folder: Path, bytecode: BytecodeCache | None = None) -> Environment:
    """The environment for the templates below `folder`; strict, and without a way to print an object."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=False,  # the output is source code, not HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        cache_size=-1,
        finalize=_only_text,
        bytecode_cache=bytecode,
    )


def _only_text(value: object) -> object:
    if not isinstance(value, str):
        raise TypeError(f"a template printed a {type(value).__name__}")
    return value


def render(folder: Path, template: str, view: View) -> str:
    """`template` of `folder` filled with the fields of `view`."""
    return environment(folder).get_template(template).render(asdict(view))


def problems(folder: Path, template: str, view: type[View]) -> Iterator[str]:
    """What is wrong with `template` for `view`, found without rendering it."""
    source = (folder / template).read_text(encoding="utf-8")
    tree = environment(folder).parse(source)
    yield from _walk(tree.body, view.field_types(), template)


def _walk(body: list[nodes.Node], names: dict[str, object], where: str) -> Iterator[str]:
    from jinja2 import nodes

    for node in body:
        place = f"{where}:{node.lineno}"
        if isinstance(node, nodes.Output):
            for part in node.nodes:
                if not isinstance(part, nodes.TemplateData):
                    yield from _printed(part, names, place)
        elif isinstance(node, nodes.For):
            yield from _loop(node, names, where)
        elif isinstance(node, nodes.If):
            yield from _flag(node.test, names, place)
            yield from _walk([*node.body, *node.elif_, *node.else_], names, where)
        else:
            yield f"{place}: `{type(node).__name__.lower()}` is not allowed in a template"


def _loop(node: nodes.For, names: dict[str, object], where: str) -> Iterator[str]:
    from jinja2 import nodes

    place = f"{where}:{node.lineno}"
    over = _type_of(node.iter, names)
    if get_origin(over) is not tuple:
        yield f"{place}: the loop is not over a tuple of the view"
        return
    if not isinstance(node.target, nodes.Name):
        yield f"{place}: a loop has one variable; make its item a view"
        return
    yield from _walk([*node.body, *node.else_], {**names, node.target.name: get_args(over)[0]}, where)


def _printed(node: nodes.Node, names: dict[str, object], place: str) -> Iterator[str]:
    from jinja2 import nodes

    if isinstance(node, nodes.Filter) and node.name == "indent" and node.node is not None:
        node = node.node
    found = _type_of(node, names)
    if found is None:
        yield f"{place}: prints something that is not a field of the view"
    elif found is not str:
        yield f"{place}: prints a {getattr(found, '__name__', found)}, not a text"


def _flag(node: nodes.Node, names: dict[str, object], place: str) -> Iterator[str]:
    found = _type_of(node, names)
    if found is None or not (found in (bool, str) or get_origin(found) is tuple):
        yield f"{place}: an `if` tests one field of the view; make the condition a field"


def _type_of(node: nodes.Node, names: dict[str, object]) -> object:
    """The type of a name or an attribute chain, or None for anything else."""
    from jinja2 import nodes

    if isinstance(node, nodes.Name):
        return names.get(node.name)
    if isinstance(node, nodes.Getattr):
        owner = _type_of(node.node, names)
        if isinstance(owner, type) and issubclass(owner, View):
            return owner.field_types().get(node.attr)
    return None
