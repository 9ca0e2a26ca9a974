"""Whether a space stands between two tokens of one line, and where a long line may break.

In: an outline and texts. Out: yes or no; how loosely the parts on both sides of a token hang together.
Never: a line break itself.
"""

from __future__ import annotations

from loom.parse.formatter.outline import Outline, Role
from loom.parse.formatter.pieces import Piece

_NONE_BEFORE = frozenset((",", ";", ".", ")", "]"))
_NONE_BEHIND = frozenset(("(", "[", "."))
_CLAUSES = frozenset(
    ("requires", "when", "where", "message", "against", "verifies", "by", "ignoring", "check", "unless")
)
_OPERATORS = {
    "|": 1, "?": 1, ":": 1, "||": 2, "&&": 3, "==": 4, "!=": 4, "<": 5, "<=": 5, ">": 5, ">=": 5,
    "+": 6, "-": 6, "*": 7, "/": 7, "%": 7,
}  # fmt: skip


def is_spaced(outline: Outline, pieces: list[Piece], before: int, token: int) -> bool:
    """Between the tokens `before` and `token`, which follow each other on a line."""
    roles, left, right = outline.roles, pieces[before].text, pieces[token].text
    if roles.get(before) is Role.LOOSE or roles.get(token) is Role.LOOSE:
        return pieces[token].spaced
    if right in _NONE_BEFORE or left in _NONE_BEHIND or roles.get(token) in (Role.SUFFIX, Role.JOINT):
        return False
    if roles.get(before) in (Role.SIGN, Role.JOINT):
        return False
    if right == "(":
        return roles.get(token) is Role.GROUP or outline.kinds[before] == "unique"
    if right == ":":
        return roles.get(token) is Role.TERNARY
    return not (left == "{" and right == "}")


def looseness(outline: Outline, pieces: list[Piece], token: int) -> int | None:
    """How early a line breaks before `token`; None when it never does. Clauses break first."""
    text, role = pieces[token].text, outline.roles.get(token)
    if role in (Role.SIGN, Role.SUFFIX, Role.JOINT, Role.LOOSE):
        return None
    if text in _CLAUSES:
        return 0 if outline.kinds[token] == text else None
    if text == ":" and role is not Role.TERNARY:
        return None
    return _OPERATORS.get(text)
