"""Lines: what fits on one is on one; else clauses, operators and brackets break, in this order of preference.

In: the file's tree. Out: its text, with line breaks as `\\n`.
Never: another token than the author's, or a comment lost.
"""

from __future__ import annotations

from collections.abc import Iterator

from loom.parse.formatter.measure import Flat, first, tokens_between
from loom.parse.formatter.outline import Outline
from loom.parse.formatter.pen import STEP, WIDTH, Pen
from loom.parse.formatter.pieces import Comment, Piece
from loom.parse.formatter.spacing import is_spaced, looseness
from loom.parse.formatter.tree import Block, Bracket, Sequence, Soup, Word

_NEVER = 9
# Lists in which members of several lines stand apart.
_APART = frozenset(
    (
        *("top", "system_member", "subdomain_member", "context_member", "aggregate_member", "workflow_member"),
        *("part_member", "valueobject_member", "api_member"),
    )
)


class Layout:
    """The layout of one file."""

    def __init__(self, outline: Outline, pieces: list[Piece]) -> None:
        self.outline = outline
        self.pieces = pieces
        self.whole = Flat(outline, pieces, blocks=True)
        self.flat = Flat(outline, pieces, blocks=False)

    def file(self, block: Block) -> str:
        _, chunks = self._chunks(block, 0)
        return "".join(f"{chunk}\n" for chunk in chunks)

    # Lists of members

    def _block(self, block: Block, indent: int) -> str:
        head, chunks = self._chunks(block, indent + STEP)
        if not head and not chunks:
            return "{}"
        return "\n".join([f"{{{head}", *chunks, " " * indent + "}"])

    def _chunks(self, block: Block, indent: int) -> tuple[str, list[str]]:
        """What stands behind the opening brace, and the lines below it."""
        head, chunks, pad, was_long = "", list[str](), " " * indent, False
        for member in (*block.members, ()):
            piece = self.pieces[first(member) if member else block.closing]
            behind, own = _comments(piece, at_start=block.opening < 0 and not chunks)
            if behind and chunks:
                chunks[-1] += behind
            else:
                head += behind
            text = self._member(member, indent) if member else ""
            is_long = "\n" in text and any(isinstance(node, Block | Soup) for node in member)
            apart = bool(member) and (is_long or was_long) and block.kind in _APART
            for comment in own:
                chunks += [*_blank(chunks, apart or comment.lines > 1), pad + comment.text]
                apart = False
            if member:
                chunks += [*_blank(chunks, apart or piece.lines > 1), pad + text]
            was_long = is_long
        return head, chunks

    def _member(self, member: Sequence, indent: int) -> str:
        """The text of one member, whose first line is already indented."""
        pen = Pen(indent)
        if any(self.pieces[token].comments for token in tokens_between(member)):
            self._as_written(pen, member)
            return pen.text()
        text = self.whole.sequence(member)
        if text is not None and indent + len(text) <= WIDTH:
            return text
        has_block = any(isinstance(node, Block) for node in member)
        self._sequence(pen, member, indent, indent + (2 * STEP if has_block else STEP))
        return pen.text()

    # Long lines

    def _sequence(self, pen: Pen, nodes: Sequence, indent: int, further: int) -> None:
        """`indent` is that of a block's closing brace, `further` that of lines that go on."""
        level = min((self._looseness(nodes, number) for number in range(1, len(nodes))), default=_NEVER)
        if level == _NEVER or (level == 0 and self._opens_up(pen, nodes)):
            self._nodes(pen, nodes, indent)
            return
        if level and (place := self._assigned(nodes, further)):
            self._nodes(pen, nodes[:place], indent)
            pen.line(further)
            pen.write(self.flat.sequence(nodes[place:]) or "")
            return
        for number, part in enumerate(self._split(nodes, level)):
            if number and pen.column + 1 + self.flat.width(part) <= WIDTH:
                pen.write(" ")
            elif number:
                pen.line(further)
            text = self.flat.sequence(part)
            if text is not None and pen.column + len(text) <= WIDTH:
                pen.write(text)
            else:
                self._sequence(pen, part, indent, further)

    def _opens_up(self, pen: Pen, nodes: Sequence) -> bool:
        """Whether a header is best broken in its first bracket, so that its clauses stand before its brace."""
        if not any(isinstance(node, Block) for node in nodes):
            return False
        number = next((index for index, node in enumerate(nodes) if isinstance(node, Bracket) and node.items), -1)
        return number >= 0 and pen.indent + 1 + self.flat.width(nodes[number + 1 :]) <= WIDTH

    def _assigned(self, nodes: Sequence, indent: int) -> int:
        """Where the value begins, if all of it fits on a line below its name; else 0."""
        for number in range(1, len(nodes)):
            before = nodes[number - 1]
            if isinstance(before, Word) and self.pieces[before.token].text in ("=", ":="):
                text = self.flat.sequence(nodes[number:])
                return number if text is not None and indent + len(text) <= WIDTH else 0
        return 0

    def _looseness(self, nodes: Sequence, number: int) -> int:
        node, before = nodes[number], nodes[number - 1]
        if isinstance(before, Word) and self.pieces[before.token].text == ",":
            return 1
        found = looseness(self.outline, self.pieces, node.token) if isinstance(node, Word) else None
        return _NEVER if found is None else found

    def _split(self, nodes: Sequence, level: int) -> Iterator[Sequence]:
        start = 0
        for number in range(1, len(nodes)):
            if self._looseness(nodes, number) == level:
                yield nodes[start:number]
                start = number
        yield nodes[start:]

    def _nodes(self, pen: Pen, nodes: Sequence, indent: int, behind: int = 0) -> None:
        """`behind` is how much must follow the last node on its line."""
        for number, node in enumerate(nodes):
            if number and self.flat.spaced(nodes[number - 1], node):
                pen.write(" ")
            match node:
                case Word(token=token):
                    pen.write(self.pieces[token].text)
                case Block():
                    pen.write(self._block(node, indent))
                case Soup():
                    self._as_written(pen, (node,))
                case Bracket():
                    text = self.flat.node(node)
                    rest = self.flat.rest(nodes, number) if number < len(nodes) - 1 else behind
                    if text is None or (node.items and pen.column + len(text) + rest > WIDTH):
                        self._bracket(pen, node, rest)
                    else:
                        pen.write(text)

    def _bracket(self, pen: Pen, bracket: Bracket, behind: int) -> None:
        outer = pen.indent
        pen.write(self.pieces[bracket.opening].text)
        if self._hugs(pen, bracket):
            for item in bracket.items[:-1]:
                pen.write(f"{self.flat.sequence(item)} ")
            self._nodes(pen, bracket.items[-1], outer, behind + 1)
        else:
            self._items(pen, bracket, outer + STEP)
            pen.line(outer)
        pen.write(self.pieces[bracket.closing].text)

    def _items(self, pen: Pen, bracket: Bracket, indent: int) -> None:
        """All on one line if that is enough, else one a line."""
        parts = [self.flat.sequence(item) for item in bracket.items]
        line = " ".join(part or "" for part in parts)
        if None not in parts and indent + len(line) <= WIDTH and not self.flat.ends_with_comma(bracket):
            pen.line(indent)
            pen.write(line)
            return
        for item, part in zip(bracket.items, parts, strict=True):
            pen.line(indent)
            if part is not None and indent + len(part) <= WIDTH:
                pen.write(part)
            else:
                self._sequence(pen, item, indent, indent + STEP)

    def _hugs(self, pen: Pen, bracket: Bracket) -> bool:
        """Whether the braces of the last item stay on the line of the bracket around them."""
        if self.pieces[bracket.opening].text == "{" or not bracket.items or self.flat.ends_with_comma(bracket):
            return False
        *others, final = bracket.items
        braced = final[-1]
        if isinstance(braced, Word) or self.pieces[braced.opening].text != "{":
            return False
        before = [self.flat.sequence(item) for item in (*others, final[:-1])]
        return None not in before and pen.column + sum(len(part or "") + 1 for part in before) < WIDTH

    # What keeps its author's line breaks: soup, and members with comments inside

    def _as_written(self, pen: Pen, nodes: Sequence) -> None:
        opened: list[int] = []
        before = -1
        for node in self._leaves(nodes):
            token = first((node,))
            if before >= 0:
                self._gap(pen, before, token, opened)
            text = self.pieces[token].text
            if isinstance(node, Block):
                pen.write(self._block(node, pen.indent))
                before = node.closing
                continue
            if text in ("(", "[", "{"):
                opened.append(pen.indent)
            elif text in (")", "]", "}") and opened:
                opened.pop()
            pen.write(text)
            before = token

    def _gap(self, pen: Pen, before: int, token: int, opened: list[int]) -> None:
        piece = self.pieces[token]
        inside = opened[-1] + STEP if opened else pen.base + STEP
        for comment in piece.comments:
            if comment.lines:
                pen.lines(comment.lines, inside)
            else:
                pen.write(" ")
            pen.write(comment.text)
        if piece.lines:
            pen.lines(piece.lines, opened[-1] if opened and piece.text in (")", "]", "}") else inside)
        elif piece.comments or is_spaced(self.outline, self.pieces, before, token):
            pen.write(" ")

    def _leaves(self, nodes: Sequence) -> Iterator[Word | Block]:
        for node in nodes:
            match node:
                case Word() | Block():
                    yield node
                case Bracket():
                    yield Word(node.opening)
                    for item in node.items:
                        yield from self._leaves(item)
                    yield Word(node.closing)
                case Soup():
                    tokens = range(node.opening, node.closing + 1)
                    yield from (Word(token) for token in tokens if self.pieces[token].text)


def _comments(piece: Piece, *, at_start: bool) -> tuple[str, tuple[Comment, ...]]:
    """Comments behind what stands before, and those with lines of their own."""
    comments = piece.comments
    if not comments or comments[0].lines or at_start:
        return "", comments
    following = comments[1].lines if len(comments) > 1 else piece.lines
    if not following and not comments[0].ends_line:
        return "", comments
    return f" {comments[0].text}", comments[1:]


def _blank(chunks: list[str], wanted: bool) -> list[str]:
    return [""] if wanted and chunks else []
