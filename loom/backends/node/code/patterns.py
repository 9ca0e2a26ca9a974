"""Forms of the tables as documents: every argument list in a pattern can break.

In: a pattern such as `int32(Math.abs({0}))`, the codes of its operands. Out: its document.
"""

from __future__ import annotations

from loom.backends.node.text import shapes
from loom.emit.layout import Doc
from loom.emit.renderer import Code, Renderer


class Pattern:
    """The pattern of a form as a document: every argument list in it can break."""

    def __init__(self, renderer: Renderer, operands: tuple[Code, ...]) -> None:
        self.renderer = renderer
        self.operands = operands

    def sequence(self, text: str) -> tuple[Doc, str]:
        """The document up to the end of the text, of an argument or of a list, and what follows it."""
        parts: list[Doc] = []
        while text and text[0] not in ",)":
            if text[0] == "(":
                arguments, text = self.arguments(text[1:])
                parts.append(shapes.argument_list(arguments))
            else:
                end = next((place for place, char in enumerate(text) if char in "(,)"), len(text))
                parts += self.renderer.pieces(text[:end], self.operands)
                text = text[end:]
        return (parts[0] if len(parts) == 1 else tuple(parts)), text

    def arguments(self, text: str) -> tuple[list[Doc], str]:
        found: list[Doc] = []
        while text[0] != ")":
            if text.startswith("{*}"):
                found, text = self.renderer.all_of(self.operands), text[3:]
                continue
            argument, text = self.sequence(text.removeprefix(", "))
            found += [argument] if argument else []
        return found, text[1:]
