"""The TypeScript that we print, as a tree: no more of the language than emitted modules hold.

In: nothing. Out: node types. `flat` is a node on one line, or nothing when it holds a block that never is.
Never: where a line breaks (expressions.py, statements.py).
"""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Self

import msgspec


class Node(msgspec.Struct, kw_only=True, eq=False):
    """`parent` is what holds the node, `parts` what it holds."""

    flat: str | None = None
    wrapped: bool = False  # stands in parentheses
    forced: bool | None = None  # never stands on one line, though it may be written so; found out once
    parent: Node | None = None
    parts: tuple[Node, ...] = ()

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        """Known by its copy before its parts are copied, for they lead back to it; so are all links of a chain."""
        links: list[Node] = [self]
        while isinstance(links[-1], Binary):
            links.append(links[-1].left)
        made = copy(self)
        copies: list[Node] = [made, *[copy(link) for link in links[1:]]]
        memo.update((id(link), each) for link, each in zip(links, copies, strict=True))
        for each in reversed(copies):
            for name in each.__struct_fields__:
                setattr(each, name, deepcopy(getattr(each, name), memo))
        return made


class Atom(Node):
    """A name, a keyword or a literal; `kind` is `name`, `number`, `string` or `regex`."""

    text: str
    kind: str


class Template(Node):
    """A template literal; `tag` is the text of what stands before it."""

    tag: str
    texts: list[str]
    holes: list[Node]


class Array(Node):
    items: list[Node]


class Property(Node):
    """`key: value`, or just `key`."""

    key: str
    value: Node | None


class Object(Node):
    """`expanded`: written with a line for each member, which formatters keep."""

    members: list[Node]
    expanded: bool = False


class Prefix(Node):
    """`await x`, `!x`, `...x`, `new`-less operators before their operand."""

    operator: str
    of: Node


class Binary(Node):
    left: Node
    operator: str
    right: Node


class Conditional(Node):
    test: Node
    then: Node
    otherwise: Node


class Assignment(Node):
    """`left = value`; the statement of a variable has its keywords in `left`."""

    left: Node
    value: Node


class Parameter(Node):
    """`name: type`; the name is a text, or the members of a destructured object."""

    name: Node
    type: Node | None


class Block(Node):
    """Statements in braces; nothing when the text ends with the opening brace."""

    body: list[Node] | None


class Arrow(Node):
    """`flexible`: a body that does not fit becomes a block that returns it."""

    opening: str
    parameters: list[Node]
    returns: Node | None
    body: Node
    flexible: bool = False


class Call(Node):
    """`callee<types>(arguments)`, also after `new`."""

    callee: Node
    types: list[Node]
    arguments: list[Node]
    new: bool = False


class Member(Node):
    of: Node
    lookup: str  # `.name` or `?.name`


class Index(Node):
    of: Node
    index: Node


class Cast(Node):
    of: Node
    type: Node


class Named(Node):
    """A type by its name, with what stands in its `<…>`."""

    name: str
    arguments: list[Node]


class Union(Node):
    options: list[Node]


class Many(Node):
    """`of[]`"""

    of: Node


class Shape(Node):
    """An object type; `expanded` as in an object."""

    members: list[Node]
    expanded: bool = False


class Declared(Node):
    """`readonly name: type` of an interface or an object type."""

    name: str
    type: Node


class Statement(Node):
    """`opening value;`: an expression, or what `return` and `throw` give."""

    opening: str
    value: Node | None


class Variable(Node):
    """`const left: type = value;`; a field of a class has no keyword."""

    opening: str
    left: Node
    type: Node | None
    value: Node | None


class Alias(Node):
    opening: str
    type: Node


class Function(Node):
    opening: str
    parameters: list[Node]
    returns: Node | None
    body: Block


class Headed(Node):
    """`opening { … }` with members or statements: a class, an interface, `try`."""

    opening: str
    extends: str
    body: Block


class If(Node):
    test: Node
    then: Block
    otherwise: Node | None


class Loop(Node):
    """`for (opening of source) …`"""

    opening: str
    source: Node
    body: Block


class Guarded(Node):
    body: Block
    opening: str  # `catch (error)`
    failure: Block


class Blank(Node):
    """An empty line between statements."""

    text: str = ""
