"""The shapes of TypeScript that we print, each statement on one line: modules.py breaks those that are too long.

In: texts of expressions and how tightly they bind. Out: texts of expressions and statements.
Never: knowledge of a model, or of a width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom.backends.node.text.reader import FLEXIBLE
from loom.emit.renderer import ATOM, Code

ARROW, CONDITIONAL, COALESCE, OR, AND, EQUALITY, RELATION, SUM, PRODUCT, UNARY = range(1, 11)


def atom(text: str) -> Code:
    return Code(text, ATOM)


def text(code: Code) -> str:
    """The text of a code of TypeScript."""
    assert isinstance(code.doc, str)
    return code.doc


def wrapped(code: Code, binds: int) -> str:
    """In parentheses when the surroundings bind tighter."""
    return text(code) if code.binds >= binds else f"({text(code)})"


def infix(op: str, binds: int, operands: Sequence[str]) -> Code:
    """`a op b op c`; a single operand is itself."""
    return Code(f" {op} ".join(operands), binds) if len(operands) > 1 else atom(operands[0])


def choice(test: Code, then: Code, otherwise: Code) -> Code:
    """`test ? then : otherwise`; a conditional between the two marks stands in parentheses."""
    between = wrapped(then, OR)
    last = text(otherwise) if otherwise.binds == CONDITIONAL else wrapped(otherwise, OR)
    return Code(f"{wrapped(test, OR)} ? {between} : {last}", CONDITIONAL)


def call(function: str, arguments: Iterable[str]) -> str:
    return f"{function}({', '.join(arguments)})"


def braces(members: Sequence[str]) -> str:
    """`{ a, b }`"""
    return f"{{ {', '.join(members)} }}" if members else "{}"


def listed(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def member(key: str, code: Code) -> str:
    """`key: code` in an object literal, or just `key` when that is the code."""
    return key if code.doc == key else f"{key}: {text(code)}"


def arrow(parameter: str, code: Code, returns: str = "") -> str:
    """`(x) => code`, which may become a block."""
    body = text(code)
    is_wrapped = code.binds == CONDITIONAL or body.startswith("{")
    return f"({parameter}){returns} => {FLEXIBLE}{f'({body})' if is_wrapped else body}"


def assigned(left: str, code: Code) -> str:
    return f"{left} = {text(code)};"


def returned(code: Code) -> str:
    return f"return {text(code)};"


def braced(body: Iterable[str]) -> str:
    """`{`, the statements, `}`."""
    inside = indented("\n".join(body))
    return f"{{\n  {inside}\n}}" if inside else "{\n}"


def block(head: str, body: Iterable[str]) -> str:
    """`head {`, the statements, `}`."""
    return f"{head} {braced(body)}"


def method(head: str, body: Sequence[str]) -> str:
    """A function or method; an empty body stays on the line."""
    return block(head, body) if body else f"{head} {{}}"


def signature(name: str, parameters: Iterable[str], returns: str) -> str:
    return f"{call(name, parameters)}: {returns}"


def indented(text: str) -> str:
    """All lines but the first."""
    return text.replace("\n", "\n  ")
