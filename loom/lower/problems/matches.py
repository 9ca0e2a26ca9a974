"""Mistakes in `match` over the variants of a union."""

from __future__ import annotations

from loom.base import Diagnostic, Severity


class MatchUnknownVariant(Diagnostic):
    """An arm names what the matched union does not hold."""

    message = "`{name}` is no variant of {union}"
    help = "did you mean `{nearest}`?"

    name: str
    union: str
    nearest: str


class MatchDuplicateVariant(Diagnostic):
    """Two arms of a `match` name one variant; the second is never reached."""

    message = "`{name}` has an arm already"
    help = "remove one of the two"

    name: str


class MatchNonUnionSubject(Diagnostic):
    """A `match` names variants of something that has none."""

    message = "{found} is no union and has no variants"
    help = "match over conditions: `match {{ a == b => …, else => … }}`"

    found: str


class MatchSubjectNotSimple(Diagnostic):
    """What is matched over variants is a name or a path of names; a call would have to be made once for each arm."""

    message = "a call cannot be matched"
    help = "bind it with `let`, and match that name"


class MatchNonExhaustive(Diagnostic):
    """A `match` leaves variants out and has no `else`. As a value it is then optional, with blocks it does nothing."""

    severity = Severity.WARNING
    message = "the match leaves out {variants}"
    help = "add an arm for each, or `else => …`"

    variants: str
