"""Pieces by what holds them: members in lists, items in brackets.

In: pieces and an outline. Out: the file's `Block`.
Never: a decision on lines.
"""

from __future__ import annotations

import msgspec

from loom.parse.formatter.outline import Outline, Role
from loom.parse.formatter.pieces import Piece


class Word(msgspec.Struct, frozen=True):
    """One token."""

    token: int


class Bracket(msgspec.Struct, frozen=True):
    """`(…)`, `[…]`, or the braces of a builder; each item ends with its comma, if it has one."""

    opening: int
    items: tuple[Sequence, ...]
    closing: int


class Block(msgspec.Struct, frozen=True):
    """Braces around a list of members, or the whole file."""

    opening: int
    kind: str
    members: tuple[Sequence, ...]
    closing: int


class Soup(msgspec.Struct, frozen=True):
    """What is not understood yet, braces included: tokens from `opening` to `closing`."""

    opening: int
    closing: int


Node = Word | Bracket | Block | Soup
Sequence = tuple[Node, ...]

_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")


class Builder:
    """Reads on from `token`."""

    def __init__(self, outline: Outline, pieces: list[Piece]) -> None:
        self.outline = outline
        self.pieces = pieces
        self.token = 0

    def file(self) -> Block:
        return self.block(-1)

    def block(self, opening: int) -> Block:
        """The list that begins behind `opening`; its closing brace is passed too."""
        found = self.outline.lists[opening]
        members = []
        for bound in found.bounds[1:]:
            members.append(self._until(bound))
        closing = self.token
        self.token += 1
        return Block(opening, found.kind, tuple(members), closing)

    def _until(self, bound: int) -> Sequence:
        nodes: list[Node] = []
        while self.token < bound:
            nodes += self._node()
        return tuple(nodes)

    def _node(self) -> Sequence:
        """The next node; none for the inside of a template."""
        token = self.token
        self.token += 1
        text = self.pieces[token].text
        if not text:  # also a list of members that a template has inside
            return ()
        if token in self.outline.braced:
            self.token = self.outline.braced[token] + 1
            return (Soup(token, self.token - 1),)
        if token in self.outline.lists:
            return (self.block(token),)
        if text in _OPENING and self.outline.roles.get(token) is not Role.LOOSE:
            return (self._bracket(token),)
        return (Word(token),)

    def _bracket(self, opening: int) -> Bracket:
        items: list[Sequence] = []
        nodes: list[Node] = []
        while self.pieces[self.token].text not in _CLOSING:
            is_comma = self.pieces[self.token].text == ","
            nodes += self._node()
            if is_comma:
                items.append(tuple(nodes))
                nodes = []
        if nodes:
            items.append(tuple(nodes))
        self.token += 1
        return Bracket(opening, tuple(items), self.token - 1)
