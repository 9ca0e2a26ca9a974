"""The TypeScript that we print, as a tree: no more of the language than emitted modules hold.

In: nothing. Out: node types. `flat` is a node on one line, or nothing when it holds a block that never is.
Never: where a line breaks (expressions.py, statements.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(eq_default=False)
def node(shape: type[T]) -> type[T]:
    """Each node is itself alone, and small: a module has thousands of them."""
    return dataclass(slots=True, eq=False)(shape)


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """`parent` is what holds the node, `parts` what it holds."""

    flat: str | None = None
    wrapped: bool = False  # stands in parentheses
    forced: bool | None = None  # never stands on one line, though it may be written so; found out once
    parent: Node | None = None
    parts: tuple[Node, ...] = ()


@node
class Atom(Node):
    """A name, a keyword or a literal; `kind` is `name`, `number`, `string` or `regex`."""

    text: str
    kind: str


@node
class Template(Node):
    """A template literal; `tag` is the text of what stands before it."""

    tag: str
    texts: list[str]
    holes: list[Node]


@node
class Array(Node):
    items: list[Node]


@node
class Property(Node):
    """`key: value`, or just `key`."""

    key: str
    value: Node | None


@node
class Object(Node):
    """`expanded`: written with a line for each member, which formatters keep."""

    members: list[Node]
    expanded: bool = False


@node
class Prefix(Node):
    """`await x`, `!x`, `...x`, `new`-less operators before their operand."""

    operator: str
    of: Node


@node
class Binary(Node):
    left: Node
    operator: str
    right: Node


@node
class Conditional(Node):
    test: Node
    then: Node
    otherwise: Node


@node
class Assignment(Node):
    """`left = value`; the statement of a variable has its keywords in `left`."""

    left: Node
    value: Node


@node
class Parameter(Node):
    """`name: type`; the name is a text, or the members of a destructured object."""

    name: Node
    type: Node | None


@node
class Block(Node):
    """Statements in braces; nothing when the text ends with the opening brace."""

    body: list[Node] | None


@node
class Arrow(Node):
    """`flexible`: a body that does not fit becomes a block that returns it."""

    opening: str
    parameters: list[Node]
    returns: Node | None
    body: Node
    flexible: bool = False


@node
class Call(Node):
    """`callee<types>(arguments)`, also after `new`."""

    callee: Node
    types: list[Node]
    arguments: list[Node]
    new: bool = False


@node
class Member(Node):
    of: Node
    lookup: str  # `.name` or `?.name`


@node
class Index(Node):
    of: Node
    index: Node


@node
class Cast(Node):
    of: Node
    type: Node


@node
class Named(Node):
    """A type by its name, with what stands in its `<…>`."""

    name: str
    arguments: list[Node]


@node
class Union(Node):
    options: list[Node]


@node
class Many(Node):
    """`of[]`"""

    of: Node


@node
class Shape(Node):
    """An object type; `expanded` as in an object."""

    members: list[Node]
    expanded: bool = False


@node
class Declared(Node):
    """`readonly name: type` of an interface or an object type."""

    name: str
    type: Node


@node
class Statement(Node):
    """`opening value;`: an expression, or what `return` and `throw` give."""

    opening: str
    value: Node | None


@node
class Variable(Node):
    """`const left: type = value;`; a field of a class has no keyword."""

    opening: str
    left: Node
    type: Node | None
    value: Node | None


@node
class Alias(Node):
    opening: str
    type: Node


@node
class Function(Node):
    opening: str
    parameters: list[Node]
    returns: Node | None
    body: Block


@node
class Headed(Node):
    """`opening { … }` with members or statements: a class, an interface, `try`."""

    opening: str
    extends: str
    body: Block


@node
class If(Node):
    test: Node
    then: Block
    otherwise: Node | None


@node
class Loop(Node):
    """`for (opening of source) …`"""

    opening: str
    source: Node
    body: Block


@node
class Guarded(Node):
    body: Block
    opening: str  # `catch (error)`
    failure: Block


@node
class Blank(Node):
    """An empty line between statements."""

    text: str = field(default="")
