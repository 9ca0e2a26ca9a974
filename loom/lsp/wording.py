"""Declarations and diagnostics as an editor shows them.

In: a declaration, a type, a code. Out: Markdown.
Never: a place.
"""

from __future__ import annotations

from loom.base import REGISTRY
from loom.lsp.names.declared import Declared, Type
from loom.parse import ast
from loom.parse.findings.pages import page

_PLAIN = frozenset(("let", "for", "parameter", "value", "property", "instance", "select"))
_JOINED = {"repository": "for", "criterion": "of", "retrieval": "of"}


def written(ref: ast.TypeRef) -> str:
    """A type as its author wrote it."""
    parts = [ref.name, *(" id" for _ in range(ref.is_id)), "[]" * ref.is_list, "?" * ref.is_optional]
    text = "".join(parts) + "".join(f" {carrier}" for carrier in ref.carriers)
    return " or ".join([text, *map(written, ref.others)])


def signature(declared: Declared, inferred: Type | None = None) -> str:
    """One line: what was declared."""
    kind = "" if declared.kind in _PLAIN else f"{declared.kind} "
    text = f"{kind}{declared.name}".rstrip()
    if declared.parameters or declared.kind in ("operation", "find", "create", "destroy", "function"):
        text += "(" + ", ".join(map(signature, declared.parameters)) + ")"
    if declared.type is not None and declared.kind in _JOINED:
        return f"{text} {_JOINED[declared.kind]} {declared.type.name}"
    if declared.type is not None:
        text += f": {written(declared.type)}"
    elif inferred is not None:
        text += f": {shown(inferred)}"
    return f"{text} {declared.access}".rstrip()


def shown(found: Type) -> str:
    return found.name + " id" * found.is_id + "[]" * found.is_list


def hover(declared: Declared, inferred: Type | None) -> str:
    """The signature, and what holds it."""
    lines = ["```ddd", signature(declared, inferred), "```"]
    if declared.kind == "enum":
        lines += ["", ", ".join(declared.members)]
    if declared.parent is not None:
        lines += ["", f"{declared.kind} of {declared.parent.kind} `{declared.parent.name}`"]
    elif declared.home is not None and declared.kind not in _PLAIN:
        lines += ["", f"in context `{declared.home.declared.name}`"]
    return "\n".join(lines)


def manual(code: str, message: str) -> str:
    """The manual page of a diagnostic, under what it says here."""
    return f"**{code}**: {message}\n\n{page(REGISTRY[code])}"
