"""What a part of the file looks like on one line, if it can be on one.

In: nodes. Out: text, or None for what needs several lines; widths up to the first line break.
Never: an indentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.parse.formatter.outline import Outline
from loom.parse.formatter.pieces import Piece
from loom.parse.formatter.spacing import is_spaced
from loom.parse.formatter.tree import Block, Bracket, Node, Sequence, Soup, Word

# Lists whose members each have a line of their own, however short.
_NEVER_FLAT = frozenset(
    ("top", "system_member", "subdomain_member", "context_member", "aggregate_member", "workflow_member")
)


class Flat:
    """Answers are remembered: nested parts are asked for at every level.

    A member that does not fit on one line has no block on one line either: with `blocks` false, none counts as flat.
    """

    def __init__(self, outline: Outline, pieces: list[Piece], *, blocks: bool) -> None:
        self.outline = outline
        self.pieces = pieces
        self.blocks = blocks
        self._known: dict[int, str | None] = {}

    def sequence(self, nodes: Sequence) -> str | None:
        parts: list[str] = []
        for number, node in enumerate(nodes):
            text = self.node(node)
            if text is None:
                return None
            if number and self.spaced(nodes[number - 1], node):
                parts.append(" ")
            parts.append(text)
        return "".join(parts)

    def node(self, node: Node) -> str | None:
        if isinstance(node, Word):
            return self.pieces[node.token].text
        if node.opening not in self._known:
            self._known[node.opening] = self._node(node)
        return self._known[node.opening]

    def _node(self, node: Bracket | Block | Soup) -> str | None:
        match node:
            case Bracket():
                return None if self.ends_with_comma(node) else self.enclosed(node, node.items)
            case Block():
                return self.enclosed(node, node.members) if self._may_be_flat(node) else None
            case Soup():
                return self._soup(node)

    def _may_be_flat(self, block: Block) -> bool:
        """As its author wrote it: on the line of its brace, with commas between its members."""
        if any(piece.comments for piece in self.pieces[block.opening + 1 : block.closing + 1]):
            return False
        if not block.members:
            return True
        if not self.blocks or block.kind in _NEVER_FLAT or self.pieces[first(block.members[0])].lines:
            return False
        return all(self.pieces[last(member)].text == "," for member in block.members[:-1])

    def _soup(self, soup: Soup) -> str | None:
        inside = range(soup.opening + 1, soup.closing + 1)
        if any(self.pieces[token].lines or self.pieces[token].comments for token in inside):
            return None
        tokens = [token for token in range(soup.opening, soup.closing + 1) if self.pieces[token].text]
        return self.sequence(tuple(map(Word, tokens)))

    def enclosed(self, node: Bracket | Block, inside: Iterable[Sequence]) -> str | None:
        """Opening, parts, closing; braces keep a space from what they hold."""
        parts = [self.sequence(part) for part in inside]
        if any(part is None for part in parts):
            return None
        opening, closing = self.pieces[node.opening].text, self.pieces[node.closing].text
        text = " ".join(part for part in parts if part)
        pad = " " if opening == "{" and text else ""
        return f"{opening}{pad}{text}{pad}{closing}"

    def ends_with_comma(self, bracket: Bracket) -> bool:
        """A comma behind the last item asks for a line for each."""
        return bool(bracket.items) and self.pieces[last(bracket.items[-1])].text == ","

    def spaced(self, before: Node, node: Node) -> bool:
        return is_spaced(self.outline, self.pieces, last((before,)), first((node,)))

    def width(self, nodes: Sequence) -> int:
        """How wide the line is at least: up to the first part that needs several lines, its brace included."""
        total = 0
        for number, node in enumerate(nodes):
            total += bool(number and self.spaced(nodes[number - 1], node))
            text = self.node(node)
            if text is None:
                return total + 1
            total += len(text)
        return total

    def rest(self, nodes: Sequence, number: int) -> int:
        """How much must follow node `number` on its line: up to and with the next bracket that can be opened."""
        total = 0
        for index in range(number + 1, len(nodes)):
            total += bool(self.spaced(nodes[index - 1], nodes[index]))
            node = nodes[index]
            if isinstance(node, Word):
                total += len(self.pieces[node.token].text)
            elif isinstance(node, Bracket) and not node.items:
                total += 2
            else:
                return total + 1
        return total


def first(nodes: Sequence) -> int:
    """The token that a sequence begins with."""
    node = nodes[0]
    return node.token if isinstance(node, Word) else node.opening


def last(nodes: Sequence) -> int:
    """The token that a sequence ends with."""
    node = nodes[-1]
    return node.token if isinstance(node, Word) else node.closing


def tokens_between(nodes: Sequence) -> Iterator[int]:
    """Tokens that lie inside one member: all but its first, and but those at which a nested list has a line end."""
    for number, node in enumerate(nodes):
        if number:
            yield first((node,))
        match node:
            case Bracket():
                for item in node.items:
                    yield first(item)
                    yield from tokens_between(item)
                yield node.closing
            case Word() | Block() | Soup():
                pass
