"""A module taken apart into its top-level definitions, and put together again without some of them.

In: Python text as the formatter leaves it. Out: definitions with the names they use; text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from loom.backends.python.text.imports import import_lines


@dataclass(frozen=True)
class Definition:
    """A function, a class, a constant or a statement; `names` are what it uses, `a.b` for a member of `a`."""

    name: str
    text: str
    names: frozenset[str]
    is_block: bool
    runs_on_import: bool


@dataclass(frozen=True)
class Definitions:
    """`imported` says where each imported name comes from; `needs` are the import lines as needs."""

    name: str
    doc: str
    needs: tuple[str, ...]
    imported: dict[str, str]
    definitions: tuple[Definition, ...]

    def text(self, kept: frozenset[str]) -> str:
        """The module with the definitions called so, and the imports that these need."""
        chosen = [each for each in self.definitions if each.name in kept]
        used = {name.partition(".")[0] for each in chosen for name in each.names}
        imports = import_lines(need for need in self.needs if need.rpartition(":")[2].rpartition(".")[2] in used)
        head = f'"""{self.doc}"""\n\nfrom __future__ import annotations\n'
        body = f"\n{imports}\n" if imports else ""
        return head + body + _joined(chosen)


def _joined(chosen: Iterable[Definition]) -> str:
    text, after_block = "", False
    for number, each in enumerate(chosen):
        far = each.is_block or (after_block and number > 0)
        text += ("\n\n\n" if far else "\n\n" if number == 0 else "\n")[1:] + each.text + "\n"
        after_block = each.is_block
    return text


def read_definitions(source: str, name: str = "") -> Definitions:
    tree = ast.parse(source)
    lines = source.splitlines()
    _, _, *rest = tree.body  # the docstring, the future
    needs: list[str] = []
    imported: dict[str, str] = {}
    found: list[Definition] = []
    end = 0
    for node in rest:
        match node:
            case ast.Import(names=[alias]):
                needs.append(alias.name)
            case ast.ImportFrom(module=str() as module, names=names):
                needs += [f"{module}:{alias.name}" for alias in names]
                imported.update({alias.name: module for alias in names})
            case ast.Expr(value=ast.Constant(value=str())) if found:
                found[-1] = _with_note(found[-1], lines[node.lineno - 1 : node.end_lineno])
            case _:
                found.append(_definition(node, lines, end))
        end = node.end_lineno or end
    return Definitions(name, ast.get_docstring(tree, clean=False) or "", tuple(needs), imported, tuple(found))


def _with_note(definition: Definition, lines: list[str]) -> Definition:
    """A text below a constant belongs to it."""
    text = "\n".join([definition.text, *lines])
    return Definition(definition.name, text, definition.names, definition.is_block, definition.runs_on_import)


def _definition(node: ast.stmt, lines: list[str], end: int) -> Definition:
    first = node.lineno
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        first = decorators[0].lineno
    above = lines[end : first - 1]
    comments = [line for line in above if line.startswith("#")]
    text = "\n".join([*comments, *lines[first - 1 : node.end_lineno]])
    is_block = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If)
    name = _name(node)
    return Definition(name, text, _names(node, text), is_block, not name.isidentifier() or _is_route(decorators))


def _name(node: ast.stmt) -> str:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return f"line {node.lineno}"


def _is_route(decorators: list[ast.expr]) -> bool:
    return any(isinstance(each, ast.Call) for each in decorators) and any(
        "router" in ast.unparse(each) for each in decorators
    )


def _names(node: ast.stmt, text: str) -> frozenset[str]:
    if isinstance(node, ast.AnnAssign):  # an alias may be a text that names types
        return frozenset(re.findall(r"\w+", text))
    found: set[str] = set()
    for each in ast.walk(node):
        match each:
            case ast.Name(id=name):
                found.add(name)
            case ast.Attribute(value=ast.Name(id=base), attr=member):
                found.add(f"{base}.{member}")
    return frozenset(found)
